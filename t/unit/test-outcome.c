/* SPDX-License-Identifier: ISC */
/* outcome: what the sandbox may have had to do with an end is said, and why */

#include <signal.h>
#include <string.h>

#include "base/buf.h"
#include "spec/notice.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool names_jit(int wait_status, bool jit, bool timed_out)
{
	const struct sandbox sandbox = { .jit = jit };
	const struct outcome outcome = {
		.stage = OUTCOME_STARTED,
		.ended = true,
		.wait_status = wait_status,
		.timed_out = timed_out,
	};
	autobuf struct buf notice = { 0 };
	autobuf struct buf line = { 0 };

	outcome_notice(&notice, &outcome, &sandbox);
	notice_join(&line, &notice);
	return strstr(buf_str(&line), "--rule 'allow sandbox.jit'") != NULL;
}

/* As waitpid(2) has it: a signal in the low bits, a status above them. */
static void test_faults(void)
{
	static const int faults[] = { SIGTRAP, SIGILL, SIGSEGV, SIGABRT,
				      SIGBUS };
	bool killed = true, shell = true, allowed = false, timed_out = false;
	size_t i;

	for (i = 0; i < COUNT(faults); i++) {
		killed = killed && names_jit(faults[i], false, false);
		shell = shell &&
			names_jit((128 + faults[i]) << 8, false, false);
		allowed = allowed || names_jit(faults[i], true, false);
		timed_out = timed_out || names_jit(faults[i], false, true);
	}
	ok(killed, "who died of a fault may have wanted to make machine code");
	ok(shell, "so may the child of a shell that says so");
	ok(!allowed, "but not where that is allowed");
	ok(!timed_out, "nor where the time had run out");
	ok(!names_jit(SIGKILL, false, false), "another signal is none");
	ok(!names_jit(0, false, false) && !names_jit(1 << 8, false, false),
	   "nor is a status of the command's own");
}

int main(void)
{
	test_faults();
	return tap_end();
}
