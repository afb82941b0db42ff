/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_COMMAND_H
#define CHOCK_CALL_COMMAND_H

/*
 * command - the action that running a program comes to
 */

#include <stdbool.h>

struct buf;

/*
 * command_action - the exec.* action of running @program, put behind @action
 *
 * @directory is where it runs, NULL for the project.  @projects are the names
 * that the project's directory has, up to a NULL.  What cannot be told from
 * the words alone is exec.unparsed.
 */
void command_action(struct buf *action, const char *program,
		    const char *directory, const char *const *projects);

/*
 * command_bare - put the name that @program may have along PATH into @name
 *
 * That is the last part of a path into a folder of programs of the system's,
 * and of one that may lead anywhere.  Returns false for all other programs.
 */
bool command_bare(struct buf *name, const char *program, const char *directory);

/*
 * command_file - the rest of an fs.* action on the file @path
 *
 * Empties @action for a file of the project, which is the call's own.  Returns
 * false where the words alone cannot tell.
 */
bool command_file(struct buf *action, const char *path, const char *directory,
		  const char *const *projects);

/*
 * command_directory - the directory @to as seen from @directory, behind @path
 *
 * One in the project by a relative path is relative again.  Returns false
 * where the words alone cannot tell.
 */
bool command_directory(struct buf *path, const char *to, const char *directory);

/* command_in_project - whether @directory is in the project, or is it */
bool command_in_project(const char *directory, const char *const *projects);

/* command_outside - what to add where it is not: that none is known, or "" */
const char *command_outside(const char *directory, const char *const *projects);

#endif /* CHOCK_CALL_COMMAND_H */
