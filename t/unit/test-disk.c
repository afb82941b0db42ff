/* SPDX-License-Identifier: ISC */
/* disk: what was written since is counted, whoever hides it */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "limit/disk.h"
#include "scratch.h"
#include "spec/sandbox.h"
#include "tap.h"

#define MIB ((size_t)1 << 20)
#define LOOKS_MAX 2000 /* of 5 milliseconds */

static struct grant grants[] = { { .kind = GRANT_WRITE, .source = "d" },
				 { .kind = GRANT_READ, .source = "." },
				 { .kind = GRANT_WRITE, .source = "no" } };
static struct sandbox sandbox = { .grants = grants, .grant_count = 3 };

static void put(const char *path, size_t mib)
{
	static char block[MIB];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	memset(block, 1, sizeof(block));
	for (; mib; mib--)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			exit(111);
	if (fsync(fd) < 0)
		exit(111);
	(void)close(fd);
}

/* As if the file system had been emptier at first, for others use it too. */
static void begin(struct disk *disk, uint64_t limit)
{
	sandbox.limits.value[LIMIT_DISK] = limit;
	disk_open(disk, &sandbox);
	disk->systems[0].free_at_first += 64 * MIB;
}

/* The first look starts a count, which a later one finds. */
static enum disk_state after(void (*act)(void), uint64_t limit)
{
	struct disk disk;
	enum disk_state state;
	int i;

	begin(&disk, limit);
	act();
	state = disk_look(&disk);
	for (i = 0; i < LOOKS_MAX && disk.counter; i++) {
		(void)poll(NULL, 0, 5);
		state = disk_look(&disk);
	}
	disk_close(&disk);
	return state;
}

static void write_some(void)
{
	put("d/new", 3);
}

static void write_elsewhere(void)
{
	put("other", 3);
}

static void hide_some(void)
{
	if (mkdir("d/hidden", 0700) < 0)
		exit(111);
	put("d/hidden/f", 3);
	if (chmod("d/hidden", 0) < 0)
		exit(111);
}

static void nothing(void)
{
}

/* Until what is written is later than what was, by the clock of inodes. */
static void let_time_pass(void)
{
	struct timespec first, now;

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &first);
	do
		(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	while (now.tv_sec == first.tv_sec && now.tv_nsec == first.tv_nsec);
}

static void counts_what_was_written(void)
{
	put("d/old", 3);
	let_time_pass();
	ok(after(nothing, 2 * MIB) == DISK_FINE, "what was there is free");
	ok(after(write_elsewhere, 2 * MIB) == DISK_FINE,
	   "and so is what others write");
	ok(after(write_some, 8 * MIB) == DISK_FINE, "less than the limit");
	ok(after(write_some, 2 * MIB) == DISK_OVER, "more than the limit");
	ok(after(write_some, LIMIT_NONE) == DISK_FINE, "no limit");
	let_time_pass();
	ok(after(nothing, 2 * MIB) == DISK_FINE, "an earlier run's is free");
	ok(after(hide_some, 2 * MIB) == DISK_OVER, "what hides is over");
	let_time_pass();
	ok(after(nothing, 2 * MIB) == DISK_FINE,
	   "what was hidden before is not");
}

/* One that is quick is not held against the next, as by who looks late. */
static void counts_again_soon(void)
{
	struct disk disk;
	enum disk_state state;
	int i;

	let_time_pass();
	begin(&disk, 5 * MIB);
	put("d/again", 3);
	(void)disk_look(&disk);
	ok(disk.counter, "a count begins");
	(void)poll(NULL, 0, 1100);
	state = disk_look(&disk);
	ok(state == DISK_FINE && !disk.counter, "and was over a second later");
	put("d/again", 3);
	for (i = 0; i < 400 && state == DISK_FINE; i++) {
		(void)poll(NULL, 0, 5);
		state = disk_look(&disk);
	}
	ok(state == DISK_OVER, "the next one is not ten seconds away");
	disk_close(&disk);
}

static void write_to_nest(void)
{
	put("d/nest/f", 3);
}

/* A place of the sandbox's own, in what it was granted and outside of that. */
static void counts_the_nest(void)
{
	struct disk disk;

	if (mkdir("d/nest", 0700) < 0 || mkdir("nest", 0700) < 0)
		exit(111);
	let_time_pass();
	sandbox.nest = "d/nest";
	ok(after(write_to_nest, 2 * MIB) == DISK_OVER, "a nest counts");
	let_time_pass();
	ok(after(write_to_nest, 8 * MIB) == DISK_FINE,
	   "and once, where a grant has it as well");
	sandbox.nest = "nest";
	sandbox.grant_count = 0;
	disk_open(&disk, &sandbox);
	ok(disk.count == 1 && disk.writable, "it is looked at without a grant");
	disk_close(&disk);
	sandbox.nest = NULL;
	disk_open(&disk, &sandbox);
	ok(!disk.count && !disk.writable, "nothing is, without both");
	disk_close(&disk);
	sandbox.grant_count = 3;
}

static void write_below(void)
{
	put("n/sub/new", 3);
}

static void write_through_link(void)
{
	put("link/sub/other", 3);
}

static void write_for_others(void)
{
	put("e/new", 3);
}

/* Of a policy, an option, and a directory in it; by another name; for others */
static void counts_once(void)
{
	static struct grant many[] = {
		{ .kind = GRANT_WRITE, .source = "n/sub" },
		{ .kind = GRANT_WRITE, .source = "n" },
		{ .kind = GRANT_WRITE, .source = "n" },
		{ .kind = GRANT_WRITE, .source = "link" },
		{ .kind = GRANT_WRITE, .source = "e", .other = true },
	};

	sandbox.grants = many;
	sandbox.grant_count = sizeof(many) / sizeof(*many);
	ok(!mkdir("n", 0700) && !mkdir("n/sub", 0700) && !mkdir("e", 0700) &&
		   !symlink("n", "link"),
	   "has grants in grants");
	ok(after(write_below, 5 * MIB) == DISK_FINE, "counts each file once");
	let_time_pass();
	ok(after(write_below, 2 * MIB) == DISK_OVER, "but does count it");
	sandbox.grants = many + 3;
	sandbox.grant_count = 2;
	let_time_pass();
	ok(after(write_through_link, 2 * MIB) == DISK_OVER,
	   "counts what a link leads to");
	let_time_pass();
	ok(after(write_for_others, 2 * MIB) == DISK_FINE,
	   "and not what is granted to other calls");
}

static void keeps_some_free(void)
{
	struct disk disk;

	sandbox.limits.value[LIMIT_DISK] = LIMIT_NONE;
	disk_open(&disk, &sandbox);
	ok(disk.count == 1, "looks at what can be written, once each");
	ok(disk.systems[0].floor <= DISK_FLOOR &&
		   disk.systems[0].floor <= disk.systems[0].free_at_first / 2 &&
		   disk.systems[0].floor,
	   "the floor is below what is free at first");
	ok(disk_look(&disk) == DISK_FINE, "enough is left");
	disk.systems[0].floor = UINT64_MAX;
	ok(disk_look(&disk) == DISK_FULL, "or not");
	disk.systems[0].floor = 0;
	ok(disk.systems[0].files_floor <= DISK_FILES_FLOOR,
	   "inodes have a floor as well");
	disk.systems[0].files_floor = UINT64_MAX;
	ok(disk_look(&disk) == DISK_CROWDED, "which is looked at");
	disk_close(&disk);
	ok(!disk.count, "closes");
}

int main(void)
{
	scratch_enter();
	if (mkdir("d", 0700) < 0)
		return 111;
	counts_what_was_written();
	counts_again_soon();
	counts_the_nest();
	keeps_some_free();
	counts_once();
	ok(scratch_leave(), "cleans up");
	return tap_end();
}
