/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_SUFFIX_H
#define CHOCK_LINT_SUFFIX_H

/*
 * suffix - names below which anybody can have a host of their own
 *
 * From the Public Suffix List, https://publicsuffix.org/list/: a rule a line,
 * "*." in front of all names one level below, "!" in front of an exception
 * from that, "//" in front of a comment.  Names are kept reversed, as actions
 * have them, and in their ASCII form.
 *
 * Invariants
 *   - Without a list a top-level domain is the only suffix that is known.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

#define SUFFIX_BYTES_MAX ((size_t)4 << 20) /* of a list */

struct suffix_rule {
	size_t start; /* of its name in names */
	size_t len;
	bool below;     /* all names one level below it */
	bool exception; /* and not this one */
};

struct suffixes {
	struct buf names;
	struct suffix_rule *rules; /* owned; in the order of their names */
	size_t count;
};

/* suffix_open - read @list; lines that are no rule are passed over */
void suffix_open(struct suffixes *suffixes, struct span list);

/* What a name is to the list. */
enum suffix_kind {
	SUFFIX_NONE,
	SUFFIX_ITSELF, /* it is a public suffix */
	SUFFIX_BELOW,  /* a public suffix is below it */
};

/*
 * suffix_kind - what the host @reversed is
 *
 * With SUFFIX_BELOW, the name of one that is below it, not reversed, is put
 * behind @example.
 */
enum suffix_kind suffix_kind(const struct suffixes *suffixes,
			     struct span reversed, struct buf *example);

/* suffix_add_host - @reversed the other way round, put behind @host */
void suffix_add_host(struct buf *host, struct span reversed);

/* suffix_drop - release it; good as new afterwards */
void suffix_drop(struct suffixes *suffixes);

#endif /* CHOCK_LINT_SUFFIX_H */
