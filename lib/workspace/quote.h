/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_QUOTE_H
#define CHOCK_WORKSPACE_QUOTE_H

/*
 * quote - bytes in the spelling that their reader wants
 *
 * Each function puts the quoted form behind what @b holds.
 */

#include "base/buf.h"
#include "base/span.h"

/* quote_c - in double quotes with C's escapes, as git reads a list of object
 * stores: any byte can stand in it, the list's separator included */
void quote_c(struct buf *b, struct span bytes);

/*
 * quote_c_read - what @quoted says: git's C quoting, or, without a quote at
 * its start, the bytes themselves
 *
 * Returns 0, or -EINVAL if a quoted form is not whole.
 */
int quote_c_read(struct buf *b, struct span quoted);

/* quote_config - a value in a git configuration file */
void quote_config(struct buf *b, struct span bytes);

/* quote_bind - one side of chock-spawn's SRC:DST:ro */
void quote_bind(struct buf *b, struct span bytes);

/*
 * quote_shown - text that a terminal can be given
 *
 * Newlines and tabs stay.  What is not UTF-8 and every other character that
 * utf8_unseen() is about come out as \xNN or \u{NNNN}.
 */
void quote_shown(struct buf *b, struct span bytes);

/* quote_line - quote_shown() with newlines and tabs escaped as well, and each
 * backslash doubled, so that no two lines come out as the same */
void quote_line(struct buf *b, struct span bytes);

/* quote_shell - one word for a POSIX shell, quoted only where it must be */
void quote_shell(struct buf *b, struct span bytes);

#endif /* CHOCK_WORKSPACE_QUOTE_H */
