/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_TORN_H
#define CHOCK_LOG_TORN_H

/*
 * torn - what is behind the last whole line of a log, kept beside it
 *
 * A writer that is killed, or a machine that loses power, leaves part of a
 * line.  It was never acknowledged, and is no event; but nothing is thrown
 * away that somebody may want to look at.
 */

#include <stdint.h>

#include "base/buf.h"

struct why;
struct logfile;

/*
 * torn_move - copy all behind @offset in @log to the end of its torn file
 *
 * The copy is on the disk when this returns; to take the bytes out of the log
 * is left to the caller.  The fields of the event that says so are put into
 * @record.
 *
 * Returns 0 or -errno.
 */
int torn_move(struct buf *record, const struct logfile *log, uint64_t offset,
	      struct why *why);

#endif /* CHOCK_LOG_TORN_H */
