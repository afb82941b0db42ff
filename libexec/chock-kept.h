/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_KEPT_H
#define CHOCK_KEPT_H

/*
 * chock-kept - what its files share: a session whose workspace is kept
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/dir.h"
#include "log/session.h"

struct names;
struct why;

#define KEPT_EXPIRES "expires" /* in a workspace: the second since 1970 */

struct kept {
	char id[SESSION_ID_LEN + 1];
	char *log;          /* owned; it may not be there */
	char *workspace;    /* owned */
	struct buf project; /* empty: the workspace was never whole */
	struct buf ended;   /* how, in words */
	bool overlay;
	bool landing; /* an apply was cut off */
	bool running;
	bool asking;      /* it runs, and waits for a person's answer */
	uint64_t started; /* milliseconds since 1970 */
	uint64_t expires; /* seconds since 1970; 0: it does not */
	uint64_t bytes;   /* on the disk */
};

#define autokept_session __attribute__((cleanup(kept_drop)))

/*
 * kept_each - call @told with each session whose workspace is kept, in no order
 *
 * What is told lives for the call.  Leaves if their places cannot be listed,
 * and says of one place that cannot.
 */
void kept_each(void (*told)(void *context, const struct kept *kept),
	       void *context);

/* kept_each_place - call @told with each directory of sessions of one project,
 * in no order; or leave */
void kept_each_place(void (*told)(void *context, const char *place),
		     void *context);

/* kept_each_name - dir_each() of such a directory; one that cannot be listed is
 * said, once */
void kept_each_name(const char *place, dir_name *each, void *context);

/* kept_find - the one called @id, or leave as kept_waiting_refuse() does */
void kept_find(struct kept *kept, const char *id, const char *verb);

/* kept_check_project - leave if its project is not where it was */
void kept_check_project(const struct kept *kept);

/* kept_copy - make @to, in which nothing is, a copy of its own of @from */
void kept_copy(struct kept *to, const struct kept *from);

/* kept_read_log - set running, asking and ended, by the session's log */
void kept_read_log(struct kept *kept);

/* kept_measure - set bytes; what cannot be looked into counts for nothing */
void kept_measure(struct kept *kept);

/*
 * kept_remove - remove the workspace, if no session uses it
 *
 * Its state is read again once it cannot change; with @expired it stays if its
 * time is not over then.
 *
 * Returns 0, -EAGAIN if one does, -EBUSY if an apply of it was cut off, or
 * another -errno.
 */
int kept_remove(const struct kept *kept, bool expired, struct why *why);

/* kept_is_over - whether its time was set, and is over */
bool kept_is_over(const struct kept *kept);

/* kept_sweep - remove all that are over, and not in use */
void kept_sweep(void);

/* kept_drop - release it; good as new afterwards */
void kept_drop(struct kept *kept);

struct kept_list {
	struct kept *items; /* owned */
	size_t count;
};

/* kept_list_add - put a copy of @kept behind the others, and measure it */
void kept_list_add(struct kept_list *listing, const struct kept *kept);

/* kept_list_all - all that are kept, the oldest first */
void kept_list_all(struct kept_list *listing);

/* kept_list_row - what a person is told of one, a line put behind @text */
void kept_list_row(struct buf *text, const struct kept *kept);

/* kept_list_confirm - whether a person says yes to @question; or leave */
bool kept_list_confirm(const struct buf *question);

/* kept_list_drop - release it; good as new afterwards */
void kept_list_drop(struct kept_list *listing);

/* kept_waiting_rows - a line for each session whose work waits at a reference
 * of its project, put behind @text */
void kept_waiting_rows(struct buf *text);

/* kept_waiting_refuse - leave, for no workspace of @id is kept; where its work
 * waits at a reference, name the call of git that does what @verb would */
void __attribute__((noreturn))
kept_waiting_refuse(const char *id, const char *verb);

/* kept_landed_refs - put the references of sessions in @place whose work landed
 * behind @refs, and the project behind @root */
void kept_landed_refs(struct names *refs, struct buf *root, const char *place);

/*
 * kept_landed_clear - remove the references of sessions whose work landed
 *
 * After asking, unless the answer is @yes.  Returns a status, or leaves.
 */
int kept_landed_clear(bool yes);

/* kept_template_rows - a line for each checkout that sessions begin from, put
 * behind @text; or leave */
void kept_template_rows(struct buf *text);

/* kept_template_clear - remove those that no workspace needs, and say so */
void kept_template_clear(void);

/* kept_template_sweep - remove those that were not used for long */
void kept_template_sweep(void);

#endif /* CHOCK_KEPT_H */
