/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_NATIVE_H
#define CHOCK_HARNESS_NATIVE_H

/*
 * native - what a harness calls a tool, as calls that chock's programs read
 *
 * Harnesses name their tools and arguments each in their own way.  Those that
 * are known become the tools of chock-protocol(7); any other keeps its name.
 * One use of a tool may come to several calls: all of them must be allowed.
 *
 * Invariants
 *   - An all-zero struct has no call.
 *   - lines holds whole records, each with its newline.
 *   - Text of a harness is a plain string: {"base64":...}, which chock's own
 *     records may have, is something else to who runs the tool.
 */

#include <stdbool.h>

#include "base/buf.h"

struct record_value;
struct why;

#define NATIVE_PATHS_MAX 256 /* files that one patch may name */
#define NATIVE_SPLITS_MAX 8  /* readings of one mcp__SERVER__TOOL */

/* A tool that a harness is about to use; all of it is borrowed. */
struct use {
	const char *tool;
	const struct record_value *input; /* NULL: none */
	const struct record_value *id;    /* NULL: none */
	const char *text;                 /* instead of input: what a tool that
					   * takes plain text gets */
	const char *server;               /* an MCP server's tool */
	const char *cwd;
	const char *agent; /* the kind of a subagent; NULL: the main agent */
	const char *model;
};

struct native {
	struct buf lines;
	bool leaves; /* it asks to run outside of the harness's own sandbox */
};

/*
 * native_put - add the calls that @use comes to
 *
 * Returns 0, or -EINVAL for a use that nobody can tell the meaning of.
 */
int native_put(struct native *native, const struct use *use, struct why *why);

/* native_drop - release it; good as new afterwards */
void native_drop(struct native *native);

#endif /* CHOCK_HARNESS_NATIVE_H */
