/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_DRAFT_H
#define CHOCK_HARNESS_DRAFT_H

/*
 * draft - the writing of one call after the other, for harness/native
 */

#include <stdbool.h>

#include "base/buf.h"
#include "harness/native.h"

struct draft {
	struct buf *lines; /* borrowed */
	const struct use *use;
	bool leaves;
};

/* draft_open, draft_close - begin and end a call; between are its arguments */
void draft_open(struct draft *draft, const char *tool);
void draft_close(struct draft *draft);

/*
 * draft_string - the field @name of the arguments
 *
 * @text is NULL where there is none, or null.  Returns 0, or -EINVAL if it is
 * no text.
 */
int draft_string(const struct draft *draft, const char *name, const char **text,
		 struct why *why);

/* draft_path - a call of @tool with a path and the directory it is below */
void draft_path(struct draft *draft, const char *tool, const char *path);

/* draft_patch - a call of @tool for each file that @patch names */
int draft_patch(struct draft *draft, const char *tool, const char *patch,
		struct why *why);

/* draft_command - the call that runs what the arguments say */
int draft_command(struct draft *draft, const char *tool, struct why *why);

/* draft_raw - a call of @tool with the arguments as they are */
int draft_raw(struct draft *draft, const char *tool, struct why *why);

#endif /* CHOCK_HARNESS_DRAFT_H */
