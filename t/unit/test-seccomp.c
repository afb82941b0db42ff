/* SPDX-License-Identifier: ISC */
/*
 * The filters say what t/data/calls, calls-by-argument and calls-self say.
 *
 * That the kernel agrees is for t/82-seccomp.bats, which makes the calls.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confine/filters.h"
#include "confine/seccomp.h"
#include "filter.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define NO_SUCH_NUMBER 1023
#define GARBAGE UINT64_C(0xdeadbeef00000000)
/* Instructions for a call that no argument decides: the depth of a balanced
 * tree over the filter's ranges, and the checks in front of it. */
#define STEPS_MAX 16

static const struct program sandbox = { filter_sandbox, COUNT(filter_sandbox) };
static const struct program jit = { filter_sandbox_jit,
				    COUNT(filter_sandbox_jit) };
static const struct program told = { filter_sandbox_told,
				     COUNT(filter_sandbox_told) };
static const struct program jit_told = { filter_sandbox_jit_told,
					 COUNT(filter_sandbox_jit_told) };
static const struct program self = { filter_self, COUNT(filter_self) };

static uint32_t meaning(const char *word)
{
	static const struct {
		const char *word;
		uint32_t action;
	} words[] = {
		{ "allowed", SECCOMP_RET_ALLOW },
		{ "killed", SECCOMP_RET_KILL_PROCESS },
		{ "done", SECCOMP_RET_ERRNO },
		{ "EPERM", SECCOMP_RET_ERRNO | EPERM },
		{ "EBUSY", SECCOMP_RET_ERRNO | EBUSY },
		{ "EINVAL", SECCOMP_RET_ERRNO | EINVAL },
		{ "ENOSYS", SECCOMP_RET_ERRNO | ENOSYS },
		{ "ENOTTY", SECCOMP_RET_ERRNO | ENOTTY },
		{ "EOPNOTSUPP", SECCOMP_RET_ERRNO | EOPNOTSUPP },
		{ "EAFNOSUPPORT", SECCOMP_RET_ERRNO | EAFNOSUPPORT },
		{ "EPROTONOSUPPORT", SECCOMP_RET_ERRNO | EPROTONOSUPPORT },
	};
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i].word, word))
			return words[i].action;
	return SECCOMP_RET_LOG; /* "argument": no single answer */
}

/* The number of the call @name here; -1 if this machine does not have it. */
static int number_of(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(call_names); i++)
		if (call_names[i] && !strcmp(call_names[i], name))
			return (int)i;
	return -1;
}

struct row {
	char name[64];
	char answer[32];
	uint64_t args[6];
	int number;
};

/* The rows of t/data/@file; a row's arguments are from its third word on. */
static size_t read_rows(const char *file, struct row *rows, size_t room)
{
	char path[4096], line[256], *rest;
	size_t count = 0, arg;
	FILE *from;
	int used;

	(void)snprintf(path, sizeof(path), "%s/%s", TEST_DATA, file);
	from = fopen(path, "re");
	if (!from)
		abort();
	while (fgets(line, sizeof(line), from)) {
		if (line[0] == '#')
			continue;
		if (count == room)
			abort();
		memset(&rows[count], 0, sizeof(*rows));
		if (sscanf(line, "%63s %31s%n", rows[count].name,
			   rows[count].answer, &used) != 2)
			abort();
		rest = line + used;
		for (arg = 0; arg < 6 && strspn(rest, " \n") < strlen(rest);
		     arg++)
			rows[count].args[arg] = strtoull(rest, &rest, 0);
		count++;
	}
	(void)fclose(from);
	return count;
}

static struct row calls[1024];
static size_t call_count;

static const struct row *find_call(const char *name)
{
	size_t i;

	for (i = 0; i < call_count; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

static void every_call_is_classed(void)
{
	int unlisted = 0, unnamed = 0, wrong = 0;
	size_t i;
	char *name;

	for (i = 0; i < NO_SUCH_NUMBER; i++) {
		name = seccomp_syscall_resolve_num_arch(seccomp_arch_native(),
							(int)i);
		if (name && !find_call(name)) {
			printf("# not in t/data/calls: %s\n", name);
			unlisted++;
		}
		if (name && !seccomp_call_name((int)i)) {
			printf("# not in confine/calls.h: %s\n", name);
			unnamed++;
		}
		free(name);
	}
	for (i = 0; i < COUNT(call_names); i++)
		if (call_names[i] && !find_call(call_names[i])) {
			printf("# not in t/data/calls: %s\n", call_names[i]);
			unlisted++;
		}
	for (i = 0; i < call_count; i++)
		wrong += meaning(calls[i].answer) == SECCOMP_RET_LOG &&
			 strcmp(calls[i].answer, "argument") != 0;
	ok(call_count > 300, "reads a table of all calls");
	ok(!unlisted, "every call of this machine is in the table");
	ok(!unnamed, "every call that libseccomp knows has a row");
	ok(!wrong, "every answer in the table is one");
}

/* The two answers that differ where somebody listens are one here. */
static int mismatches(const struct program *program, uint32_t kill)
{
	struct seccomp_data data = { .arch = seccomp_arch_native() };
	int bad = 0, steps;
	uint32_t got, wanted;
	size_t i;
	int number;

	for (i = 0; i < call_count; i++) {
		number = number_of(calls[i].name);
		wanted = meaning(calls[i].answer);
		if (number < 0 || wanted == SECCOMP_RET_LOG)
			continue;
		data.nr = number;
		got = filter_run(program, &data, &steps);
		if (kill != SECCOMP_RET_KILL_PROCESS &&
		    got == SECCOMP_RET_KILL_PROCESS)
			bad++;
		if (got == kill)
			got = SECCOMP_RET_KILL_PROCESS;
		if (got != wanted || steps > STEPS_MAX) {
			printf("# %s: 0x%x and not %s, after %d steps\n",
			       calls[i].name, got, calls[i].answer, steps);
			bad++;
		}
	}
	return bad;
}

/* With the upper halves, which the kernel ignores, empty and full. */
static int argument_mismatches(const struct row *rows, size_t count,
			       const struct program *plain,
			       const struct program *with_jit)
{
	const struct program *program;
	uint64_t dirty[6];
	uint32_t clean, other;
	const char *name;
	int bad = 0;
	size_t i, arg;

	for (i = 0; i < count; i++) {
		name = rows[i].name;
		program = plain;
		if (with_jit && !strncmp(name, "jit:", 4)) {
			program = with_jit;
			name += 4;
		}
		if (number_of(name) < 0)
			continue;
		for (arg = 0; arg < 6; arg++)
			dirty[arg] = rows[i].args[arg] | GARBAGE;
		clean = filter_answer(program, (uint32_t)number_of(name),
				      rows[i].args);
		other = filter_answer(program, (uint32_t)number_of(name),
				      dirty);
		if (clean == meaning(rows[i].answer) && other == clean)
			continue;
		printf("# %s %s, row %zu: 0x%x, 0x%x\n", rows[i].name,
		       rows[i].answer, i, clean, other);
		bad++;
	}
	return bad;
}

/* For every number, with all arguments in turn without a bit and with each. */
static int differences(void)
{
	uint64_t args[6];
	uint32_t number, got, wanted;
	int bad = 0;
	size_t bit, i;

	for (number = 0; number <= NO_SUCH_NUMBER; number++)
		for (bit = 0; bit <= 64; bit++) {
			for (i = 0; i < COUNT(args); i++)
				args[i] = bit < 64 ? UINT64_C(1) << bit : 0;
			wanted = filter_answer(&sandbox, number, args);
			got = filter_answer(&told, number, args);
			bad += got != wanted &&
			       (wanted != SECCOMP_RET_KILL_PROCESS ||
				got != SECCOMP_RET_USER_NOTIF);
		}
	return bad;
}

static uint32_t core_limit(const uint64_t *args)
{
	return filter_answer(&sandbox, (uint32_t)number_of("prlimit64"), args);
}

static void filters_say_what_the_tables_say(void)
{
	static struct row rows[512];
	size_t count = read_rows("calls-by-argument", rows, COUNT(rows));
	uint64_t args[6] = { 0 };
	int families = 0;

	ok(!mismatches(&sandbox, SECCOMP_RET_KILL_PROCESS),
	   "answers every call as the table says");
	ok(!mismatches(&jit, SECCOMP_RET_KILL_PROCESS),
	   "and the same where pages may be both");
	ok(!mismatches(&told, SECCOMP_RET_USER_NOTIF) &&
		   !mismatches(&jit_told, SECCOMP_RET_USER_NOTIF),
	   "tells a listener of every call that else kills, and of no other");
	ok(differences() == 0, "and differs in nothing else");
	ok(count > 90 && !argument_mismatches(rows, count, &sandbox, &jit),
	   "reads arguments as the kernel does, 32 bits of them");
	ok(core_limit((uint64_t[6]){ 0, 4, 0, 0x1000 }) == SECCOMP_RET_ALLOW,
	   "lets a program ask for its core limit");
	ok(core_limit((uint64_t[6]){ 0, 4, UINT64_C(1) << 32, 0 }) ==
		   SECCOMP_RET_ERRNO,
	   "and takes no pointer for none, wherever it points");
	for (args[0] = 0; args[0] < 256; args[0]++)
		families += filter_answer(&sandbox,
					  (uint32_t)number_of("socket"),
					  args) == SECCOMP_RET_ALLOW;
	ok(families == 1, "opens no family without type but unix");
}

/* Every call but those in calls-self ends one of our own programs. */
static void self_is_an_allowlist(void)
{
	static struct row rows[256];
	size_t count = read_rows("calls-self", rows, COUNT(rows));
	int bad = 0;
	size_t i, j;

	ok(count > 80 && !argument_mismatches(rows, count, &self, NULL),
	   "leaves our own programs what they need");
	for (i = 0; i < NO_SUCH_NUMBER + 1; i++) {
		for (j = 0; j < count; j++)
			if (number_of(rows[j].name) == (int)i)
				break;
		if (j == count && filter_answer(&self, (uint32_t)i, NULL) !=
					  SECCOMP_RET_KILL_PROCESS) {
			printf("# open: %s\n", seccomp_call_name((int)i));
			bad++;
		}
	}
	ok(!bad, "and nothing else");
}

static void foreign_numbers_are_held(void)
{
	static const struct program *const programs[] = { &sandbox, &jit, &told,
							  &jit_told, &self };
	struct seccomp_data data = { .nr = 0, .arch = AUDIT_ARCH_I386 };
	int bad = 0;
	size_t i;

	for (i = 0; i < COUNT(programs); i++) {
		bad += filter_run(programs[i], &data, NULL) !=
		       SECCOMP_RET_KILL_PROCESS;
		bad += filter_answer(programs[i], 0x40000000, NULL) !=
		       SECCOMP_RET_KILL_PROCESS;
		bad += filter_answer(programs[i], 0x40000000 | 59, NULL) !=
		       SECCOMP_RET_KILL_PROCESS;
		bad += filter_answer(programs[i], 0xfffffffe, NULL) !=
		       SECCOMP_RET_KILL_PROCESS;
	}
	ok(!bad, "kills calls of another architecture and of x32");
	ok(filter_answer(&sandbox, UINT32_MAX, NULL) ==
		   (SECCOMP_RET_ERRNO | ENOSYS),
	   "has no call -1, and does not kill for it");
	ok(filter_answer(&sandbox, COUNT(call_names), NULL) ==
			   (SECCOMP_RET_ERRNO | ENOSYS) &&
		   filter_answer(&sandbox, NO_SUCH_NUMBER, NULL) ==
			   (SECCOMP_RET_ERRNO | ENOSYS) &&
		   filter_answer(&sandbox, 0x3fffffff, NULL) ==
			   (SECCOMP_RET_ERRNO | ENOSYS),
	   "has no call that it does not know");
}

int main(void)
{
	call_count = read_rows("calls", calls, COUNT(calls));
	every_call_is_classed();
	filters_say_what_the_tables_say();
	self_is_an_allowlist();
	foreign_numbers_are_held();
	return tap_end();
}
