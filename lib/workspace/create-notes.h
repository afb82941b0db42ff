/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_CREATE_NOTES_H
#define CHOCK_WORKSPACE_CREATE_NOTES_H

/*
 * create-notes - what a copy has of a project that is in no commit, and what
 * is said of what it lacks
 *
 * Parts of workspace/create, for it alone.  What differs is put behind a note
 * for the person, in clauses with "; " between them, and refuses nothing.
 */

#include <stdbool.h>

struct buf;
struct hidden;
struct project;
struct space;
struct why;

/* What is asked for of the files that are not committed. */
struct create_dirty {
	const struct hidden *hidden;
	struct dirt *dirt; /* borrowed; a look at them may have begun */
	bool wanted;
};

/*
 * create_dirt - bring uncommitted and untracked files into the copy where they
 * are wanted, and say what was left behind
 *
 * Returns 0 or -errno.
 */
int create_dirt(const struct space *s, const struct project *p,
		const struct create_dirty *how, struct buf *note,
		struct why *why);

/*
 * create_kinds - say what the copy has in another form than the project:
 * history that is cut, sparse patterns, submodules, filtered files
 *
 * Returns 0 or -errno.
 */
int create_kinds(const struct space *s, const struct project *p,
		 const struct hidden *hidden, struct buf *note,
		 struct why *why);

/* create_unmatched - say which of what is to be hidden nothing is there of: a
 * name that is written another way hides nothing; and which would with **
 * before it, for a pattern without is about one directory */
void create_unmatched(const struct space *s, const struct project *p,
		      const struct hidden *hidden, struct buf *note);

#endif /* CHOCK_WORKSPACE_CREATE_NOTES_H */
