/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_TEMPLATE_H
#define CHOCK_WORKSPACE_TEMPLATE_H

/*
 * template - a clean checkout that is kept, for sessions to begin from
 *
 * The files of a large project take long to write, and are the same for each
 * session that begins at one commit.  So they are written once, in the user's
 * state directory, and a session's copy is an overlay over them: what it writes
 * is in layers of its own.  Its index is the template's too, which fits, for an
 * overlay tells of a file that nobody changed what the file below says.
 *
 *	templates/PROJECT/         a project's, and the lock of them all
 *	templates/PROJECT/project  the top of its working tree
 *	templates/PROJECT/new/     one that is being made
 *	templates/PROJECT/KEY/     one that is whole; its time is its last use
 *	          files/, index    the checkout
 *	          users/           a file for each workspace over it: its path
 *
 * PROJECT and KEY are made of all that a checkout depends on, so that a
 * template serves one project of one user, and one commit, with the settings
 * and the umask that it was made with, and the files of the commit that are
 * hidden, which are not in it: a notice is in the place of each.
 *
 * Invariants
 *   - One that is being made has another name, and its own when it is whole.
 *   - Before a session begins from it, each file is held against its index,
 *     and each that is hidden against the notice.
 *   - No sandbox has it writable, nor sees the directory that it is in.
 *   - It is not removed while a workspace is there that began from it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "workspace/project.h"
#include "workspace/space.h"

struct hidden;
struct kinds;
struct why;

/* From how many files on a copy begins from a template. */
#define TEMPLATE_FILES 10000

/* Of one project, those that no workspace needs; the last used stay. */
#define TEMPLATE_SPARE 2

/*
 * template_serves - whether @space can begin from a template
 *
 * That is for a project of at least @least files by its index, 0: for none,
 * with a commit, where the sandbox can show an overlay.
 */
bool template_serves(struct space *space, const struct project *project,
		     uint64_t least);

/*
 * template_take - have the copy of @space begin from the template of its
 * project and commit without what is @hidden of it, which is made if it is not
 * there
 *
 * What is left to make is the copy's repository.  Waits for who makes one of
 * the same project.  Returns 0, -ESTALE if there is one that was changed and
 * that workspaces need, or another -errno.
 */
int template_take(struct space *space, const struct project *project,
		  const struct hidden *hidden, struct why *why);

/* template_kinds - what was counted of it, workspace/kinds.h; 0 or -errno */
int template_kinds(struct kinds *kinds, const struct space *space);

/* template_index - give the copy's repository @git_dir the template's index */
int template_index(const struct space *space, const char *git_dir,
		   struct why *why);

#endif /* CHOCK_WORKSPACE_TEMPLATE_H */
