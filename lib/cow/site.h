/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_SITE_H
#define CHOCK_COW_SITE_H

/*
 * site - where one operation of a commit stands
 *
 * The places that an operation knows, and where inodes are at each instant:
 *
 *	            PATH   new-N   old-N
 *	before      old    new     -
 *	exchanged   new    old     -        where the file system can do that
 *	taken away  -      new     old      where it cannot, or there is no new
 *	landed      new    -       old
 *
 * Old or new may be nothing.  What stands at PATH and is neither is somebody
 * else's, and is never moved but to be moved back.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "cow/journal.h"
#include "cow/land.h"
#include "cow/stage.h"

struct why;

struct site {
	struct journal_op *op; /* borrowed */
	char new_name[STAGE_NAME_MAX], old_name[STAGE_NAME_MAX];
	const char *name;            /* the last part of the path */
	int parent_fd;               /* owned */
	uint64_t at, new_at, old_at; /* inodes; 0: nothing */
	struct stat st;              /* of what stands at PATH */
};

#define autosite __attribute__((cleanup(site_close)))
#define SITE_CLOSED ((struct site){ .parent_fd = -1 })

/*
 * site_open - find operation @index of @land, and look at it
 *
 * Returns 0, -ESTALE if its directory is no longer there (what is in the stage
 * is known then nevertheless), or another -errno.
 */
int site_open(struct site *site, const struct land *land, size_t index,
	      struct why *why);

/* site_look - look at it again; 0 or -errno */
int site_look(struct site *site, const struct land *land);

/* site_is_begun - whether any of it is */
bool site_is_begun(const struct site *site);

/* site_is_old - whether @st is of what the journal knows as @old */
bool site_is_old(const struct journal_old *old, const struct stat *st);

/* site_close - let go of it; fine on a closed one */
void site_close(const struct site *site);

/*
 * site_set_movable - let the owner write into the directory @name
 *
 * rename(2) does, to a directory that moves.  @st is what stands there; of
 * anything else nothing is changed.  Returns 0 or -errno.
 */
int site_set_movable(int dir_fd, const char *name, const struct stat *st);

/*
 * site_set_mode - give the directory @name the NODE_MODE bits of @mode
 *
 * The others it keeps.  Returns 0 or -errno.
 */
int site_set_mode(int dir_fd, const char *name, mode_t mode);

/* site_move - renameat2(2) with @flags; 0 or -errno */
int site_move(int from_fd, const char *from, int to_fd, const char *to,
	      unsigned int flags);

/*
 * site_move_onto_nothing - rename @from to @to, where nothing may be
 *
 * Returns 0, -EEXIST, -ENOTEMPTY or -ENOTDIR if something is, or another
 * -errno.
 */
int site_move_onto_nothing(int from_fd, const char *from, int to_fd,
			   const char *to, bool is_dir);

#endif /* CHOCK_COW_SITE_H */
