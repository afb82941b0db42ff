/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_TOOL_H
#define CHOCK_CALL_TOOL_H

/*
 * tool - the actions that a call of a tool comes to
 *
 * What a tool is called says what its arguments mean; see chock-protocol(7).
 */

struct call;
struct record_value;
struct why;

/*
 * tool_read - add the questions that calling the asker's tool comes to
 *
 * @args are the tool's arguments, an object or NULL.  @projects are the names
 * of the project's directory, up to a NULL.
 *
 * Returns 0 or -EINVAL.
 */
int tool_read(struct call *call, const struct record_value *args,
	      const char *const *projects, struct why *why);

#endif /* CHOCK_CALL_TOOL_H */
