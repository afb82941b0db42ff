/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CACHE_H
#define CHOCK_CACHE_H

/*
 * chock-cache - what its files share: the store, and an entry of it
 *
 *	DATA/caches/KEY/project   the project's physical path
 *	DATA/caches/KEY/bytes     how much its caches had after the last session
 *	DATA/caches/KEY/NAME/     a cache; NAME is its path, base/flatname.h
 *
 * A sandbox gets the caches, and nothing above them.  Who uses an entry has a
 * lock on its directory, flock(2), before anything in it is changed.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/amount.h"
#include "base/buf.h"
#include "base/opt.h"
#include "digest/sha256.h"

#define CACHE_GIB 8 /* that all may have together */
#define CACHE_TOTAL ((uint64_t)CACHE_GIB << 30)
#define CACHE_SHARE_GIB 4 /* of these, that a project may have */
#define CACHE_SHARE ((uint64_t)CACHE_SHARE_GIB << 30)
#define CACHE_DAYS 30 /* without a session, and it goes */
#define CACHE_PROJECT "project"
#define CACHE_BYTES "bytes"

/* How a directory of the store is opened. */
#define STORE_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct entry {
	char key[SHA256_HEX + 1];
	struct buf project;
	uint64_t bytes; /* on the disk */
	uint64_t used;  /* seconds since 1970 */
	dev_t dev;
	ino_t ino;
	bool running;
	bool gone;    /* trim() removed it */
	size_t lead;  /* the first entry of the same project, trim() */
	uint64_t sum; /* of that: what all of the project's have */
};

struct entries {
	struct entry *items; /* owned */
	size_t count;
};

/* store_open - the directory of all entries, and its path; made if @make */
int store_open(struct buf *path, bool make);

/* store_is_cache - whether @name in an entry's directory is a cache */
bool store_is_cache(int entry_fd, const char *name);

/* store_measure - what the tree @path takes; an empty one takes nothing */
struct amount store_measure(const char *path);

/*
 * store_all - all entries, the one that was used last at the end
 *
 * What has no number from its last session, or @look, is measured.
 */
void store_all(struct entries *entries, bool look);

/*
 * store_lock - lock the entry that is open as @fd, for as long as that is open
 *
 * Returns 0, -EWOULDBLOCK if a session has it, or another -errno.
 */
int store_lock(int fd);

/*
 * store_remove - remove an entry, if nobody has its lock
 *
 * Returns false, with a message, if it stays.
 */
bool store_remove(const struct entry *entry);

/* store_age - the seconds since the last session that had it */
uint64_t store_age(const struct entry *entry);

/* store_drop - release them; good as new afterwards */
void store_drop(struct entries *entries);

/* What says which entry it is, and which caches are in it. */
struct wanted {
	const char *project;
	int frozen_fd;                /* borrowed; the policies */
	const struct opt_list *rules; /* of the command line; borrowed */
};

/* cache_open - have an entry, and print where it is; nothing in one that is
 * there is touched */
void cache_open(const struct wanted *wanted);

/*
 * cache_take - make the caches in the entry that is open as @fd, and print them
 *
 * The lock is had until the last descriptor of what is open as @fd is closed.
 * Leaves with EXIT_DENY if a session has it.
 */
void cache_take(const struct wanted *wanted, int fd);

/*
 * cache_give - a session is over that had the entry of @fd, and its lock
 *
 * Of the entry stays what can be looked through and has @most bytes; of the
 * others what has been used and has room.  Prints what became of it.
 */
void cache_give(int fd, uint64_t most);

#endif /* CHOCK_CACHE_H */
