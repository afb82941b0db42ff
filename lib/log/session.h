/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_SESSION_H
#define CHOCK_LOG_SESSION_H

/*
 * session - the name of a session, and where the sessions of a project are
 *
 * An id has 26 digits of Crockford's base 32: 48 bits of milliseconds since
 * 1970 and 80 random ones, so that ids sort by the time they were made.  The
 * sessions of a project are in one directory, which nobody else may write to.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

#define SESSION_ID_LEN 26
#define SESSION_ID_MAX 255 /* bytes; of the ids that others make */

/* Of a project's base name; what is longer is cut. */
#define SESSION_NAME_MAX 64

/* session_id_make - a new id; 0 or -errno */
int session_id_make(char id[SESSION_ID_LEN + 1], struct why *why);

/*
 * session_id_started - when the id @id was made, in milliseconds since 1970
 *
 * Returns 0, or -EINVAL if session_id_make() makes no such ids.
 */
int session_id_started(uint64_t *ms, struct span id);

/* session_id_fits - whether a log can be of a session called @id */
bool session_id_fits(struct span id);

/*
 * session_project - the name of the directory of the sessions of the project
 * at the real path @path
 *
 * That is its base name, in letters, digits, '.', '_' and '-' only, a '-',
 * and the first 8 hexadecimal digits of the SHA-256 of @path.
 */
void session_project(struct buf *name, struct span path);

/*
 * session_open_place - the directory of the sessions of the project at the
 * real path @project
 *
 * Its path is put behind @path, without a '/' at the end.  With @make, it and
 * what is above it are made, with mode 0700.  From "chock" on no level may be
 * a symbolic link, somebody else's, or open to others for writing.
 *
 * Returns a descriptor that the caller owns, -ENOENT if it is not there, or
 * another -errno.
 */
int session_open_place(struct buf *path, struct span project, bool make,
		       struct why *why);

#endif /* CHOCK_LOG_SESSION_H */
