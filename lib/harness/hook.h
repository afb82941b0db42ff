/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_HOOK_H
#define CHOCK_HARNESS_HOOK_H

/*
 * hook - the message that Claude Code sends to a hook, and the answer to it
 *
 * Codex sends the same message, with a turn_id, and takes fewer answers: an
 * `allow` or `ask` before a tool is used is an error to it, and after an error
 * of a hook it runs the tool.
 *
 * Invariants
 *   - An event that carries a tool that is still to be used is known, or the
 *     message is refused.
 */

#include "base/buf.h"
#include "base/span.h"
#include "harness/native.h"
#include "harness/ruling.h"
#include "record/record.h"

struct why;

#define HOOK_BYTES_MAX ((size_t)16 << 20) /* of one message */

#define autohook __attribute__((cleanup(hook_drop)))

enum hook_event {
	HOOK_OTHER,      /* nothing is about to be done */
	HOOK_TOOL,       /* PreToolUse */
	HOOK_PERMISSION, /* PermissionRequest: a person is about to be asked */
};

struct hook {
	struct record record;
	enum hook_event event;
	struct native native;
	bool denies_only;    /* it takes no other answer about a tool */
	const char *unasked; /* why nobody would be asked, or NULL */
};

/*
 * hook_read - read the message @text, which must outlive @hook
 *
 * Returns 0; -EBADMSG for what is no message; -EINVAL for one that names a
 * use of a tool which nobody can tell the meaning of, and that can be answered.
 */
int hook_read(struct hook *hook, struct span text, struct why *why);

/* hook_settle - make @ruling one that @hook's harness can hold to */
void hook_settle(const struct hook *hook, struct ruling *ruling);

/* hook_answer - what to print, with its newline, put behind @out */
void hook_answer(struct buf *out, const struct hook *hook,
		 const struct ruling *ruling);

/* hook_drop - release it; good as new afterwards */
void hook_drop(struct hook *hook);

#endif /* CHOCK_HARNESS_HOOK_H */
