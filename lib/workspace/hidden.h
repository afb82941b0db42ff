/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_HIDDEN_H
#define CHOCK_WORKSPACE_HIDDEN_H

/*
 * hidden - what of a project is not in a copy, nor in any object of it
 *
 * The copy's repository borrows nothing, for a store has more than references
 * lead to.  It has a pack of its own: of the whole history, as far as branches
 * and tags lead to it, where nothing hidden was ever in it; else of the commit
 * that the session begins at, its trees, and of its files those that are not
 * hidden.  git then takes the others for objects of a partial clone whose
 * remote is gone (gitformat-pack(5), ".promisor"; git-config(1),
 * extensions.partialClone), and the commit for the first of a shallow clone,
 * so that it works, and commits what is hidden as it was.  In the place of each
 * hidden file stands one line that says so.
 *
 * Names are not hidden: trees hold those, and the ids.
 *
 * In the workspace, beside the copy:
 *
 *	hidden.patterns   what is hidden, each behind it a NUL
 *	hidden.blobs      the ids of the hidden files, a line each
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/* A longer history is not looked through, and counts as one that has some. */
#define HIDDEN_COMMITS_MAX ((uint64_t)50000)

/* Of more hidden files than these nobody reads what is in them. */
#define HIDDEN_FILES_MAX ((size_t)10000)

/* Of a history in a pack, and of all hidden files that are read. */
#define HIDDEN_BYTES_MAX ((uint64_t)256 << 20)

/* What git calls the remote that the hidden objects cannot be fetched from. */
#define HIDDEN_REMOTE "hidden-by-policy"

/* The line in the place of a hidden file. */
#define HIDDEN_NOTICE "hidden by policy: a commit keeps this file as it was\n"

#define autohidden __attribute__((cleanup(hidden_drop)))

struct hidden {
	struct names paths; /* the files of the commit that are hidden */
	struct names blobs; /* ids of what hidden paths have, sorted */
	struct names whose; /* the same ids, each with its path behind it */
	struct buf objects; /* the ids of all that the copy has, a line each */
	struct buf refs;    /* lines of packed-refs, if the history is whole */
	bool cut;           /* the copy has one commit alone */
	bool unknown;       /* not all that hidden paths have could be read */
};

/* hidden_is - whether the project's file @path is hidden in @space */
bool hidden_is(const struct space *space, const char *path);

/*
 * hidden_find - sort the files of the project's commit by what @space hides
 *
 * Returns 0, -EINVAL if a link stands on the way to what is hidden, if all
 * files are hidden, or a .gitattributes is, or if a file that is not hidden has
 * the same bytes as one that is, or -errno.
 */
int hidden_find(struct hidden *hidden, const struct space *space,
		const struct project *project, struct why *why);

/* hidden_matches - whether anything is there that the pattern @pattern hides */
bool hidden_matches(const struct hidden *hidden, const struct space *space,
		    const char *pattern);

/* hidden_add_blob - note that the hidden @path has the bytes of @id, if any */
void hidden_add_blob(struct hidden *hidden, const char *id, const char *path);

/*
 * hidden_now - note what hidden paths have in the index, and as files
 *
 * Returns 0, with @hidden unknown if they are too many or cannot be read, or
 * -errno.
 */
int hidden_now(struct hidden *hidden, const struct space *space,
	       const struct project *project, struct why *why);

/* hidden_ids - which blob each of @paths, files of the project, would be */
int hidden_ids(struct names *ids, const struct space *space,
	       const struct names *paths, struct why *why);

/*
 * hidden_history - find out whether all the history may be in the copy
 *
 * That is if no commit which HEAD, a branch or a tag leads to has a hidden
 * path, and no object among all that these lead to is one of the blobs.
 * Returns 0, or -errno; what git cannot tell counts as one that has some.
 */
int hidden_history(struct hidden *hidden, const struct space *space,
		   const struct project *project, struct why *why);

/* hidden_leave_bytes - take out of @paths, and name in @left, the files that
 * have the bytes of a hidden one; 0 or -errno */
int hidden_leave_bytes(struct names *paths, struct names *left,
		       const struct hidden *hidden, const struct space *space,
		       struct why *why);

/* hidden_pack - put what is not hidden into @git_dir as a pack; 0 or -errno */
int hidden_pack(const struct hidden *hidden, const struct space *space,
		const char *git_dir, struct why *why);

/* hidden_check_out - fill the copy from @git_dir with what is not hidden */
int hidden_check_out(const struct hidden *hidden, const struct space *space,
		     const char *git_dir, struct why *why);

/*
 * hidden_fill - have the commit @head in the working tree of @git, which has
 * its objects, and a notice in the place of each hidden file; 0 or -errno
 */
int hidden_fill(const struct hidden *hidden, struct git *git, const char *head,
		struct why *why);

/* hidden_is_noticed - whether each hidden file is the notice in @files */
bool hidden_is_noticed(const struct hidden *hidden, const char *files);

/* hidden_keep - write down what is hidden, for the way back; 0 or -errno */
int hidden_keep(const struct hidden *hidden, const struct space *space,
		struct why *why);

/* hidden_patterns - what was hidden when the session began; 0 or -errno */
int hidden_patterns(struct names *patterns, const struct space *space,
		    struct why *why);

/* hidden_leave - take what is hidden out of the list @paths */
void hidden_leave(struct names *paths, const struct space *space);

/*
 * hidden_obstacle - put into @reason that a commit of @effect changes what is
 * hidden, or has its bytes by another name
 *
 * Returns 0 or -errno.
 */
int hidden_obstacle(struct buf *reason, const struct space *space,
		    const struct effect *effect, struct why *why);

/* hidden_drop - release the memory; good as new afterwards */
void hidden_drop(struct hidden *hidden);

#endif /* CHOCK_WORKSPACE_HIDDEN_H */
