/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SESSIONS_H
#define CHOCK_SESSIONS_H

/*
 * chock-sessions - what its files share: a session that has a log
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "log/session.h"
#include "log/tally.h"

struct logged {
	char id[SESSION_ID_LEN + 1];
	char *dir;        /* owned; where all of it is */
	char *log;        /* owned */
	uint64_t started; /* milliseconds since 1970 */
	bool running;
	bool kept; /* its workspace is there */
	struct tally tally;
};

struct logged_list {
	struct logged *items; /* owned */
	size_t count;
};

#define autologged __attribute__((cleanup(logged_list_drop)))

/*
 * logged_find - add to @list all sessions that have a log, the oldest first; or
 * leave
 *
 * With @id only the one that is called so: leaves if there is none.
 */
void logged_find(struct logged_list *list, const char *id);

/* logged_count - read the logs of @list, and count what is in them */
void logged_count(struct logged_list *list);

/* logged_row - what a person is told of one, a line put behind @text */
void logged_row(struct buf *text, const struct logged *logged);

/* logged_record - the same as a record */
void logged_record(struct buf *text, const struct logged *logged);

/* logged_list_drop - release it; good as new afterwards */
void logged_list_drop(struct logged_list *list);

/* logged_beside - the path of the file with @suffix beside the log; the
 * caller's to free */
char *logged_beside(const struct logged *logged, const char *suffix);

/*
 * show_log - print the events of @log, a line each, or its records
 *
 * With @follow those that come as well, until the session ends.  Leaves.
 */
void __attribute__((noreturn))
show_log(const struct logged *logged, bool follow, bool as_json);

/* export_logs - copy each with all that is beside its log into the directory
 * @to; or leave */
void export_logs(const struct logged_list *list, const char *to);

/*
 * remove_logs - remove each with all that is beside its log, if none runs and
 * no workspace is kept; says so
 *
 * Returns the status to leave with.
 */
int remove_logs(const struct logged_list *list);

#endif /* CHOCK_SESSIONS_H */
