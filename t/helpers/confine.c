/* SPDX-License-Identifier: ISC */
/*
 * confine - put one layer on, and nothing else, and become a command
 *
 *	confine landlock [r:PATH | rx:PATH | rw:PATH | rwx:PATH | net]... -- CMD
 *	confine seccomp | seccomp-jit | seccomp-strict -- CMD...
 *	confine limits [KEY=VALUE]... -- CMD...
 *	confine none -- CMD...
 *	confine answer CALL ERRNUM [BITS | ARGUMENT=VALUE] -- CMD...
 *	confine kill CALL [BITS | ARGUMENT=VALUE] -- CMD...
 *	confine listen -- CMD...
 *
 * `answer` and `kill` stand for a kernel or a container that does not have a
 * call: it fails with that errno (with BITS: if its first argument has one of
 * them; with ARGUMENT=VALUE: if that argument, from 0 on, is VALUE), or ends
 * who makes it.  `listen` stands for one that listens to a
 * filter of its own, below which nobody else can.
 *
 * For tests, which hold each layer to account alone.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/num.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"
#include "spec/limits.h"

static int grant(struct landlock *ruleset, const char *word, struct why *why)
{
	static const struct {
		const char *how;
		unsigned int access;
	} grants[] = {
		{ "r:", LANDLOCK_READ },
		{ "rx:", LANDLOCK_READ | LANDLOCK_EXEC },
		{ "rw:", LANDLOCK_READ | LANDLOCK_WRITE },
		{ "rwx:", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_EXEC },
		{ "dev:", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	};
	autoclose int fd = -1;
	size_t i;

	for (i = 0; i < sizeof(grants) / sizeof(*grants); i++) {
		if (!span_starts(span_of(word), grants[i].how))
			continue;
		word += strlen(grants[i].how);
		fd = open(word, O_PATH | O_CLOEXEC);
		if (fd < 0)
			return why_sys(why, errno, "cannot open '%s'", word);
		return landlock_allow(ruleset, fd, grants[i].access, why);
	}
	return why_set(why, EINVAL, "no grant '%s'", word);
}

static int put_landlock(char **words, struct why *why)
{
	autolandlock struct landlock ruleset = LANDLOCK_CLOSED;
	bool net = *words && !strcmp(*words, "net");
	int r = landlock_open(&ruleset, net, why);

	for (words += net; !r && *words; words++)
		r = grant(&ruleset, *words, why);
	return r < 0 ? r : landlock_enforce(&ruleset, why);
}

static int put_limits(char **words, struct why *why)
{
	struct limits limits;
	struct span key;
	int r = 0;

	limits_init(&limits);
	for (; *words && !r; words++) {
		key = (struct span){ *words, strcspn(*words, "=") };
		r = limits_read(&limits, key,
				span_from(span_of(*words), key.len + 1), why);
	}
	return r < 0 ? r : limits_set(&limits, why);
}

/* Which calls of one name are answered; all zero: every one. */
struct when {
	unsigned int argument;
	bool equal;
	uint32_t value; /* or bits, one of which it has */
};

static int put_answer(const char *name, uint32_t action,
		      const struct when *when, struct why *why)
{
	size_t at = offsetof(struct seccomp_data, args) +
		    when->argument * sizeof(uint64_t);
	bool any = !when->equal && !when->value;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)at),
		BPF_JUMP(BPF_JMP | (when->equal ? BPF_JEQ : BPF_JSET) | BPF_K,
			 when->value, 0, !any),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 6, code };
	const char *known;
	int i;

	for (i = 0; i < 1024; i++) {
		known = seccomp_call_name(i);
		if (!known || strcmp(known, name) != 0)
			continue;
		code[1].k = (uint32_t)i;
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			return why_sys(why, errno, "cannot load a filter");
		return 0;
	}
	return why_set(why, EINVAL, "no call '%s'", name);
}

static int read_when(struct when *when, struct span word)
{
	size_t equals = 0;
	uint64_t number = 0;
	int r = 0;

	while (equals < word.len && word.data[equals] != '=')
		equals++;
	when->equal = equals < word.len;
	if (when->equal) {
		r = num_read(&number, (struct span){ word.data, equals }, 5);
		when->argument = (unsigned int)number;
		word = span_from(word, equals + 1);
	}
	if (!r)
		r = num_read(&number, word, UINT32_MAX);
	when->value = (uint32_t)number;
	return r;
}

static int put_errno(char **words, struct why *why)
{
	struct when when = { 0 };
	uint64_t number;

	if (!words[0] || !words[1] ||
	    num_read(&number, span_of(words[1]), 4095) < 0 ||
	    (words[2] && read_when(&when, span_of(words[2])) < 0))
		return why_set(why, EINVAL, "which call, and which errno?");
	return put_answer(words[0], SECCOMP_RET_ERRNO | (uint32_t)number, &when,
			  why);
}

static int put_kill(char **words, struct why *why)
{
	struct when when = { 0 };

	if (!words[0] || (words[1] && read_when(&when, span_of(words[1])) < 0))
		return why_set(why, EINVAL, "which call?");
	return put_answer(words[0], SECCOMP_RET_KILL_PROCESS, &when, why);
}

/* Nothing is ever told to it; it stays open in the command. */
static int put_listener(struct why *why)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 1, code };
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);

	if (fd < 0 || fd_inherit((int)fd) < 0)
		return why_sys(why, errno, "cannot listen");
	return 0;
}

static int put(const char *layer, char **words, struct why *why)
{
	if (!strcmp(layer, "none"))
		return 0;
	if (!strcmp(layer, "landlock"))
		return put_landlock(words, why);
	if (!strcmp(layer, "answer"))
		return put_errno(words, why);
	if (!strcmp(layer, "kill"))
		return put_kill(words, why);
	if (!strcmp(layer, "listen"))
		return put_listener(why);
	if (!strcmp(layer, "limits"))
		return put_limits(words, why);
	if (!strcmp(layer, "seccomp"))
		return seccomp_load(SECCOMP_SANDBOX, why);
	if (!strcmp(layer, "seccomp-strict"))
		return seccomp_load(SECCOMP_STRICT, why);
	if (!strcmp(layer, "seccomp-jit"))
		return seccomp_load(SECCOMP_SANDBOX_JIT, why);
	return why_set(why, EINVAL, "no layer '%s'", layer);
}

int main(int argc, char **argv)
{
	struct why why = { 0 };
	int dashes = 2;

	report_name("confine");
	while (dashes < argc && strcmp(argv[dashes], "--") != 0)
		dashes++;
	if (dashes + 1 >= argc)
		die(EXIT_MISUSE, "usage: confine LAYER [WORD...] -- CMD...");
	argv[dashes] = NULL;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die_errno(EXIT_SYSTEM, "cannot set no_new_privs");
	if (put(argv[1], argv + 2, &why) < 0)
		die_why(&why);
	execvp(argv[dashes + 1], argv + dashes + 1);
	die_errno(EXIT_NOT_FOUND, "cannot run '%s'", argv[dashes + 1]);
}
