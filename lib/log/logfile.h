/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_LOGFILE_H
#define CHOCK_LOG_LOGFILE_H

/*
 * logfile - the file of a log, those beside it, and who may write to it
 *
 * Beside NAME.jsonl are NAME.head (its anchor), NAME.torn (what was no whole
 * line), NAME.seal and NAME.seal.sig (its seal).  All are opened without
 * following a symbolic link, relative to one descriptor of their directory.
 *
 * There are two locks, both of open file descriptions (fcntl(2)), each on a
 * byte of its own.  The session's lock says that the session runs, and is
 * shared by all who got the same description.  The writer's lock is held by
 * one process of these at a time, while it adds lines.
 *
 * Invariants
 *   - An all-zero struct with LOGFILE_CLOSED's descriptors owns nothing.
 *   - fd is a description of its own, so that its offset is too.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

#define LOGFILE_SUFFIX ".jsonl"
#define LOGFILE_ANCHOR ".head"
#define LOGFILE_TORN ".torn"
#define LOGFILE_SEAL ".seal"
#define LOGFILE_SIGNATURE ".seal.sig"

#define LOGFILE_CLOSED ((struct logfile){ .fd = -1, .dir_fd = -1 })
#define autologfile __attribute__((cleanup(logfile_close)))

struct logfile {
	int fd;          /* owned */
	int dir_fd;      /* owned */
	struct buf stem; /* owned; the file's name without LOGFILE_SUFFIX */
	bool shared;     /* others may write, in turns */
};

/*
 * logfile_create - open the log @path to add to it; made if it is not there
 *
 * Takes the session's lock, which goes when @log is closed.
 *
 * Returns 0, -EAGAIN while somebody else holds the log, -EPERM if others may
 * write to it, -EINVAL if it is no regular file, or another -errno.
 */
int logfile_create(struct logfile *log, const char *path, struct why *why);

/*
 * logfile_inherit - open the log that @fd, open for reading and writing, is
 *
 * Takes the session's lock through @fd, or finds that it is held through it
 * already; it stays for as long as anybody has that description.
 *
 * Returns as logfile_create() does.
 */
int logfile_inherit(struct logfile *log, int fd, struct why *why);

/* logfile_find - open the log @path to read it; takes no lock */
int logfile_find(struct logfile *log, const char *path, struct why *why);

/*
 * logfile_open_beside - the file with @suffix beside the log
 *
 * @flags as for open(2); it is made with mode 0600 where they say so.
 *
 * Returns a descriptor that the caller owns, or -errno.
 */
int logfile_open_beside(const struct logfile *log, const char *suffix,
			int flags, struct why *why);

/* logfile_sync_place - put the log's name on the disk; 0 or -errno */
int logfile_sync_place(const struct logfile *log, struct why *why);

/* logfile_running - 1 if somebody holds the session's lock of @fd, 0, -errno */
int logfile_running(int fd);

/* logfile_begin, logfile_end - take and release the writer's lock; waits */
int logfile_begin(const struct logfile *log, struct why *why);
void logfile_end(const struct logfile *log);

/* logfile_close - close it, and with it the locks that came with it */
void logfile_close(struct logfile *log);

#endif /* CHOCK_LOG_LOGFILE_H */
