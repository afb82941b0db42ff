/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_DISK_H
#define CHOCK_LIMIT_DISK_H

/*
 * disk - what a sandbox writes to disks, looked at from outside
 *
 * No unprivileged process can set a quota on a directory of the host.  So
 * somebody looks once a second: at how much space and how many inodes are left
 * where the sandbox can write, in what it was granted or in places of its own
 * on a disk, and, once more space is gone than the sandbox may take, at what it
 * wrote.  That is counted by another process, for a tree can be large: all
 * files that were changed since the run began, with all of their blocks.  What
 * hides from being counted is over.
 *
 * Invariants
 *   - Nothing is changed, and no link is followed.  What is mounted below a
 *     grant comes along into a sandbox, and counts, but for the kernel's views.
 *   - A grant within another one, or for other calls, is not counted alone,
 *     nor is a nest within a grant.
 *   - What a network or another process serves (NFS, FUSE) may never answer,
 *     and who looks at it then sees to no limit any more: it is not looked at.
 *     Who counts may go there, and is ended as any other process.
 *   - A file that has no name any more counts only against what is left; one
 *     that is renamed during a count may be missed by it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct sandbox;

#define DISK_INTERVAL 1000               /* milliseconds between two looks */
#define DISK_FLOOR (UINT64_C(1) << 30)   /* bytes that stay free */
#define DISK_FILES_FLOOR UINT64_C(65536) /* inodes that stay free */
#define DISK_SYSTEMS_MAX 16              /* file systems that are looked at */
#define DISK_COUNTS_APART 10             /* times as long as counting took */

struct disk_system {
	int fd; /* owned */
	dev_t device;
	uint64_t free_at_first; /* bytes, for an ordinary user */
	uint64_t floor;
	uint64_t files_floor; /* inodes; 0 where the file system has no end */
};

struct disk {
	const struct sandbox *sandbox; /* borrowed */
	struct timespec began;
	struct disk_system systems[DISK_SYSTEMS_MAX];
	size_t count;
	bool writable;           /* something is, looked at or not */
	const char *remote;      /* a type that is not looked at, or NULL */
	pid_t counter;           /* who counts at the moment, or 0 */
	struct timespec counted; /* when that one began, or the last */
	struct timespec again;   /* not before then */
};

enum disk_state {
	DISK_FINE,
	DISK_OVER,    /* the sandbox wrote more than its limit */
	DISK_FULL,    /* less is left than the floor */
	DISK_CROWDED, /* fewer inodes are left than theirs */
};

/*
 * disk_open - find the disks that @sandbox can write to; before it begins
 *
 * Where little is free at first, half of it is the floor, of bytes and of
 * inodes each.  More file systems than DISK_SYSTEMS_MAX are not looked at.
 * With a count of 0 there is nothing to look at.
 */
void disk_open(struct disk *disk, const struct sandbox *sandbox);

/*
 * disk_add_mounts - find those that are mounted below what it can write to
 *
 * Process 1 is born by then and builds, which takes longer than this does.
 */
void disk_add_mounts(struct disk *disk);

/* disk_look - how it is now; never waits for a count */
enum disk_state disk_look(struct disk *disk);

/* disk_close - look no more, and end who counts */
void disk_close(struct disk *disk);

#endif /* CHOCK_LIMIT_DISK_H */
