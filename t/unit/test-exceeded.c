/* SPDX-License-Identifier: ISC */
/* exceeded: a limit that had to do with an end has its name and its words */
#include <string.h>

#include "base/buf.h"
#include "spec/exceeded.h"
#include "tap.h"

#define RAISE_MEMORY                                                          \
	": it is 64MiB, and '--limit memory=SIZE' or 'limit memory SIZE' in " \
	"a policy raises it"
#define RAISE_PROCESSES                                                  \
	": it is 40, and '--limit processes=COUNT' or 'limit processes " \
	"COUNT' in a policy raises it"
#define RAISE_DISK                                                         \
	": it is 3GiB, and '--limit disk=SIZE' or 'limit disk SIZE' in a " \
	"policy raises it"

static int says(struct exceeded exceeded, bool killed, const char *words)
{
	autobuf struct buf notice = { 0 };
	struct limits limits;

	limits_init(&limits);
	limits.value[LIMIT_MEMORY] = UINT64_C(64) << 20;
	limits.value[LIMIT_PROCESSES] = 40;
	limits.value[LIMIT_DISK] = UINT64_C(3) << 30;
	exceeded_notice(&notice, &exceeded, &limits, killed);
	if (!strcmp(buf_str(&notice), words))
		return 1;
	printf("# %s\n", buf_str(&notice));
	return 0;
}

static int names(struct exceeded exceeded, const char *name)
{
	const char *killed = exceeded_killed(&exceeded);

	return name ? killed && !strcmp(killed, name) : !killed;
}

static void the_kernel_did_it(void)
{
	const struct exceeded none = { 0 };
	const struct exceeded oom = { .oom_kills = 2 };
	const struct exceeded refused = { .refused = 7 };

	ok(names(none, NULL) && says(none, true, ""), "nothing of nothing");
	ok(names(oom, "memory"), "the kernel's kills are for memory");
	ok(says(oom, true,
		"the command was killed because the memory limit "
		"was reached (processes killed for it: 2)" RAISE_MEMORY),
	   "the command's");
	ok(says(oom, false,
		"the memory limit was reached (processes killed "
		"for it: 2)" RAISE_MEMORY),
	   "and those of others");
	ok(names(refused, NULL), "a refusal kills nobody");
	ok(says(refused, false,
		"the processes limit was reached (processes "
		"refused: 7)" RAISE_PROCESSES),
	   "and is said");
}

static void somebody_looked(void)
{
	const struct exceeded memory = { .ended = LIMIT_BIT(LIMIT_MEMORY) };
	const struct exceeded blind = { .ended = LIMIT_BIT(LIMIT_MEMORY),
					.blind = true };
	const struct exceeded processes = { .ended = LIMIT_BIT(
						    LIMIT_PROCESSES) };
	const struct exceeded disk = { .ended = LIMIT_BIT(LIMIT_DISK) };
	const struct exceeded full = { .ended = LIMIT_BIT(LIMIT_DISK),
				       .floor = true };

	ok(names(memory, "memory") &&
		   says(memory, true,
			"the memory limit was exceeded, and everything in the "
			"sandbox was ended" RAISE_MEMORY),
	   "memory that was looked at");
	ok(names(blind, "memory") &&
		   says(blind, true,
			"memory could not be looked at any more, "
			"and everything in the sandbox was ended"),
	   "memory that could not be");
	ok(names(processes, "processes") &&
		   says(processes, true,
			"the processes limit was exceeded, and everything in "
			"the sandbox was ended" RAISE_PROCESSES),
	   "processes");
	ok(names(disk, "disk") && says(disk, true,
				       "the disk limit was exceeded, and "
				       "everything in the sandbox was "
				       "ended" RAISE_DISK),
	   "a disk");
	ok(names(full, "disk") &&
		   says(full, true,
			"a disk that the sandbox writes to was almost full, "
			"and everything in the sandbox was ended"),
	   "and one that is full");
}

static int says_full(uint32_t full, const char *words)
{
	const struct exceeded exceeded = { .full = full };
	autobuf struct buf notice = { 0 };
	struct limits limits;

	limits_init(&limits);
	limits.value[LIMIT_SCRATCH] = 4096;
	limits.value[LIMIT_COW] = 2500;
	limits.value[LIMIT_PROCESSES] = 40;
	exceeded_notice_full(&notice, &exceeded, &limits);
	return !strcmp(buf_str(&notice), words);
}

static void no_room_was_left(void)
{
	ok(says_full(0, ""), "nothing where there was room");
	ok(says_full(LIMIT_BIT(LIMIT_SCRATCH),
		     "what is kept in memory (/tmp, TMPDIR, /dev/shm, the home "
		     "and each tmpfs) was full: the limit scratch is 4KiB, and "
		     "'--limit scratch=SIZE' or 'limit scratch SIZE' in a "
		     "policy raises it"),
	   "scratch, and what raises it");
	ok(says_full(LIMIT_BIT(LIMIT_COW),
		     "what --cow keeps apart was full: the limit cow is 2500B, "
		     "and '--limit cow=SIZE' or 'limit cow SIZE' in a policy "
		     "raises it"),
	   "a copy on write");
	ok(says_full(LIMIT_BIT(LIMIT_PROCESSES),
		     "there were as many processes as the limit allows, so "
		     "that one may have been refused" RAISE_PROCESSES),
	   "and processes");
}

int main(void)
{
	the_kernel_did_it();
	somebody_looked();
	no_room_was_left();
	return tap_end();
}
