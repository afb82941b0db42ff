/* SPDX-License-Identifier: ISC */
/*
 * strict mode is what t/data/calls-strict names, as it is without it, and
 * nothing else of what is allowed.
 */
#include <errno.h>
#include <stdio.h>

#include "confine/filters.h"
#include "confine/seccomp.h"
#include "filter.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define NUMBERS 1024
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)

static const struct program plain = { filter_sandbox, COUNT(filter_sandbox) };
static const struct program strict = { filter_strict, COUNT(filter_strict) };
static const struct program jit = { filter_strict_jit,
				    COUNT(filter_strict_jit) };
static const struct program told = { filter_strict_told,
				     COUNT(filter_strict_told) };
static const struct program jit_told = { filter_strict_jit_told,
					 COUNT(filter_strict_jit_told) };

static char needed[256][32];
static size_t needed_count;

static void read_needed(void)
{
	FILE *from = fopen(TEST_DATA "/calls-strict", "re");
	char line[128];

	if (!from)
		abort();
	while (fgets(line, sizeof(line), from)) {
		if (line[0] == '#')
			continue;
		if (needed_count == COUNT(needed) ||
		    sscanf(line, "%31s", needed[needed_count++]) != 1)
			abort();
	}
	(void)fclose(from);
}

static bool is_needed(const char *name)
{
	size_t i;

	for (i = 0; i < needed_count; i++)
		if (!strcmp(needed[i], name))
			return true;
	return false;
}

static uint32_t expected(uint32_t number, const uint64_t *args)
{
	uint32_t action = filter_answer(&plain, number, args);
	const char *name = seccomp_call_name((int)number);

	if (action == SECCOMP_RET_ALLOW && (!name || !is_needed(name)))
		return UNKNOWN;
	return action;
}

/* With arguments that meet conditions, and with none of them. */
static int mismatches(void)
{
	static const uint64_t args[][6] = {
		{ 0 },
		{ UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX },
		{ 1, 1, 1, 1 },
		{ 2, 2, 0, 0 },
		{ 1, 0x5412, 3, 0 },
	};
	uint32_t number, got;
	int bad = 0;
	size_t i;

	for (number = 0; number < NUMBERS; number++)
		for (i = 0; i < COUNT(args); i++) {
			got = filter_answer(&strict, number, args[i]);
			if (got == expected(number, args[i]))
				continue;
			printf("# %s: 0x%x\n", seccomp_call_name((int)number),
			       got);
			bad++;
		}
	return bad;
}

static int unused(void)
{
	int bad = 0;
	size_t i;
	int number;

	for (i = 0; i < needed_count; i++) {
		for (number = 0; number < NUMBERS; number++)
			if (seccomp_call_name(number) &&
			    !strcmp(seccomp_call_name(number), needed[i]))
				break;
		/* What only other machines have is in no table here. */
		if (number == NUMBERS &&
		    seccomp_syscall_resolve_name(needed[i]) ==
			    __NR_SCMP_ERROR) {
			printf("# no call: %s\n", needed[i]);
			bad++;
		}
	}
	return bad;
}

static int allowed(const struct program *program)
{
	uint32_t number;
	int count = 0;

	for (number = 0; number < NUMBERS; number++)
		count += filter_answer(program, number, NULL) ==
			 SECCOMP_RET_ALLOW;
	return count;
}

static int told_of(const struct program *program)
{
	uint32_t number;
	int count = 0;

	for (number = 0; number < NUMBERS; number++)
		count += filter_answer(program, number, NULL) ==
			 SECCOMP_RET_USER_NOTIF;
	return count;
}

static bool holds_foreign(const struct program *program)
{
	struct seccomp_data data = { .nr = 0, .arch = 0x40000003 /* i386 */ };

	return filter_run(program, &data, NULL) == SECCOMP_RET_KILL_PROCESS &&
	       filter_answer(program, 0x40000000, NULL) ==
		       SECCOMP_RET_KILL_PROCESS;
}

int main(void)
{
	read_needed();
	ok(needed_count > 150 && !unused(), "names calls that there are");
	ok(!mismatches(), "allows them as they are without it, and no other");
	ok(allowed(&strict) < allowed(&plain) - 60,
	   "which leaves out a good part");
	ok(allowed(&jit) == allowed(&strict) &&
		   allowed(&told) == allowed(&strict) &&
		   allowed(&jit_told) == allowed(&strict),
	   "whatever else is asked for");
	ok(told_of(&told) > 30 && told_of(&told) == told_of(&jit_told) &&
		   !told_of(&strict) && !told_of(&jit),
	   "tells of what kills where somebody listens");
	ok(holds_foreign(&strict) && holds_foreign(&jit) &&
		   holds_foreign(&told) && holds_foreign(&jit_told),
	   "kills calls of another architecture and of x32");
	return tap_end();
}
