/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_FIFOS_H
#define CHOCK_WORKSPACE_FIFOS_H

/*
 * fifos - what in a copy would keep git waiting
 *
 * git opens some files by their names, whatever they are, and an open(2) of a
 * FIFO ends when somebody opens its other side.  Those are the files of a
 * repository, and in the working tree .gitignore, .gitattributes, .gitmodules
 * and .mailmap, of which git follows no link.
 */

struct why;

/*
 * fifos_refuse - see that git waits for nothing in the copy at @copy
 *
 * A link in a repository counts as what it leads to.  Of what cannot be looked
 * at, or is more than cow/survey.h goes through, nothing is said: the time of
 * who asks git is the limit there, as it is for a link to a path that means
 * something else in a sandbox.
 *
 * Returns 0, or -EBADMSG with the name of one.
 */
int fifos_refuse(const char *copy, struct why *why);

#endif /* CHOCK_WORKSPACE_FIFOS_H */
