/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_COW_H
#define CHOCK_COW_COW_H

/*
 * cow - a directory of which a run has a copy on write
 *
 * The run has an overlay; this is its outside: that one run at a time has the
 * directory, since when it may have been changed, and what becomes of the
 * layer when the run is over.
 *
 * Invariants
 *   - An open cow holds the directory's lock (flock(2)).
 *   - The directory is not changed but by cow_commit() and cow_recover(), and
 *     by those as a whole or not at all.
 */

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "cow/layerdiff.h"
#include "cow/shelf.h"

struct list;
struct why;

struct cow {
	const char *path;           /* borrowed */
	const char *owner;          /* borrowed; whose layer it is; or NULL */
	int dir_fd;                 /* owned; -1 when closed */
	struct before *before;      /* borrowed; see cow/layerdiff.h */
	struct shelf shelf;         /* where its work is if not in it */
	struct stat st;             /* of the directory */
	struct timespec since;      /* by the clock of its file system */
	struct timespec real, boot; /* by our clocks, at the same time */
};

#define COW_CLOSED ((struct cow){ .dir_fd = -1 })
#define autocow __attribute__((cleanup(cow_close)))

/*
 * cow_open - take the directory @path for a run, from now on
 *
 * @commits: the run may commit, so that one must be possible.
 *
 * What an earlier run left that never was whole is removed.
 *
 * Returns 0, -EAGAIN if another run has it, -EEXIST or -EXDEV if the work of an
 * earlier one is kept and waits for cow_recover(), -ENOTDIR, or another -errno.
 */
int cow_open(struct cow *cow, const char *path, bool commits, struct why *why);

/* Who is told of what is left out; cow/layerdiff.h. */
struct cow_tell {
	void (*left_out)(void *context, const char *path, const char *what);
	void *context; /* borrowed */
};

/* cow_list - add to @list, which tells @tell as well, what the layer @upper_fd
 * changes; 0 or -errno */
int cow_list(const struct cow *cow, int upper_fd, const struct cow_tell *tell,
	     struct list *list, struct why *why);

enum cow_state {
	COW_DONE, /* all is in place, or there was nothing to do */
	COW_KEPT, /* nothing is in place, and the work lies where @why says */
	COW_HALF, /* some is; cow_recover() has what it needs to go on */
	COW_LOST, /* nothing is in place, and the work could not be kept */
};

/*
 * cow_commit - put all that the layer @upper_fd changes into the directory
 *
 * Returns COW_DONE, or what became of the work, with why in @why: errnum is
 * ESTALE where something was changed from outside meanwhile.
 */
enum cow_state cow_commit(const struct cow *cow, int upper_fd,
			  const struct cow_tell *tell, struct why *why);

enum cow_recovery {
	COW_FINISH, /* put it in place, if nothing speaks against that */
	COW_FORCE,  /* also over what was changed, and of a run not known */
	COW_DROP,   /* put back what is not whole, and throw it away */
};

/*
 * cow_recover - deal with what an earlier run has left of @path
 *
 * Work that was kept for another path waits, but for COW_FORCE and COW_DROP
 * where it is known to be the same directory.  Work in it that no line of
 * cow/waits.h is about is believed by COW_FORCE alone.
 *
 * Returns as cow_commit() does; COW_DONE too if there was nothing.
 */
enum cow_state cow_recover(const char *path, enum cow_recovery how,
			   struct why *why);

/* cow_close - let go of the directory; fine on a closed one */
void cow_close(struct cow *cow);

#endif /* CHOCK_COW_COW_H */
