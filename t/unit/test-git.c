/* SPDX-License-Identifier: ISC */
/* git on the host has no more memory than it was given. */

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/num.h"
#include "base/why.h"
#include "tap.h"
#include "workspace/git.h"

static rlim_t ours(void)
{
	struct rlimit limit = { 0 };

	(void)getrlimit(RLIMIT_DATA, &limit);
	return limit.rlim_cur;
}

/* A git that says how much its own child may have, in KiB. */
static uint64_t told(bool fed)
{
	static const char *const args[] = { "-c", "alias.x=!ulimit -d", "x",
					    NULL };
	autobuf struct buf out = { 0 };
	struct git git = GIT_CALL(.dir = "/");
	struct why why = { 0 };
	uint64_t kib = 0;
	int r = fed ? git_filter(&git, args, span_of("x"), &out, &why)
		    : git_one(&git, args, &out, &why);
	struct span line = buf_span(&out);

	return r || num_read(&kib, span_cut(&line, '\n'), UINT64_MAX) < 0 ? 0
									  : kib;
}

int main(void)
{
	const rlim_t before = ours();
	struct rlimit less = { 0 };

#ifdef CHOCK_SANITIZED
	ok(1, "its memory has a limit # skip nothing measured: it has none in "
	      "a build with sanitizers");
	return tap_end();
#endif
	(void)getrlimit(RLIMIT_DATA, &less);
	ok(told(false) == GIT_MEMORY_MAX >> 10, "its memory has a limit");
	ok(told(true) == GIT_MEMORY_MAX >> 10, "also where it gets an input");
	ok(ours() == before, "and ours is what it was");
	less.rlim_cur = (rlim_t)1 << 29;
	ok(!setrlimit(RLIMIT_DATA, &less) && told(false) == (uint64_t)1 << 19,
	   "a lower one of whoever called stays");
	return tap_end();
}
