/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BRING_H
#define CHOCK_BRING_H

/*
 * chock-bring - how what was not applied is brought out, by adopt and export
 *
 *	.chock-adopted/SESSION/files/PATH  what is new or changed
 *	.chock-adopted/SESSION/deleted     the paths of what is gone, a line
 *	                                   each, as cow/list.h has them
 *
 * In the project, beside what is there; an archive has files/ and deleted.
 * Nothing that is there is overwritten, and of an adoption that fails nothing
 * is left.  Until all is there SESSION has BRING_PART behind it, and what a
 * kill left under that name the next adoption removes.
 */

#include <stdbool.h>
#include <stddef.h>

#include "archive/tar.h"
#include "base/buf.h"

struct why;

#define BRING_FILES "files"
#define BRING_DELETED "deleted"
#define BRING_PART ".part"

#define autobring __attribute__((cleanup(bring_drop)))

struct bring {
	int project_fd; /* borrowed */
	const char *id; /* borrowed; the session */
	int in_fd;      /* .chock-adopted */
	int to_fd;      /* that of the session in it */
	int files_fd;   /* files in that */
};

#define BRING_CLOSED                 \
	{                            \
		-1, NULL, -1, -1, -1 \
	}

/* bring_begin - make the place for what @id left in @project_fd; 0 or -errno */
int bring_begin(struct bring *bring, int project_fd, const char *id,
		struct why *why);

/*
 * bring_above - make the directories above @path, and that too with @whole
 *
 * Returns the descriptor of the last, or -errno.
 */
int bring_above(const struct bring *bring, const char *path, bool whole);

/* bring_end - write @deleted, and be done; or if @why says so leave nothing */
void bring_end(struct bring *bring, const struct buf *deleted, struct why *why);

/*
 * bring_told - print, as a record or in words on a terminal, where @count
 * changes of the session are by now
 */
void bring_told(const char *id, const char *project, size_t count);

/* bring_left_out - say that @path is a @what, which is not brought out */
void bring_left_out(void *context, const char *path, const char *what);

/* bring_archive - begin an archive on standard output, or leave */
void bring_archive(struct tar *tar);

/* bring_add - put @name of the directory @fd into @tar as files/@path */
int bring_add(struct tar *tar, const char *path, int fd, const char *name,
	      struct why *why);

/* bring_drop - close what is open */
void bring_drop(struct bring *bring);

#endif /* CHOCK_BRING_H */
