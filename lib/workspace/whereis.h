/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_WHEREIS_H
#define CHOCK_WORKSPACE_WHEREIS_H

/*
 * whereis - where a git project is, and what it is at, from one call of git
 *
 * A call takes some milliseconds before it does anything, and project_open()
 * has half a dozen things to ask.  For workspace/project alone, which asks one
 * by one where this does not tell.
 */

struct project;
struct why;

/*
 * whereis_find - fill the root, directories, kind of ids, branch and head of
 * @project, whose settings are known, from the directory @dir in it
 *
 * Returns 1; 0 with nothing filled where git fails, or where what it prints can
 * be read in more than one way (a path with a newline); or -errno.
 */
int whereis_find(struct project *project, const char *dir, struct why *why);

#endif /* CHOCK_WORKSPACE_WHEREIS_H */
