/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_STANDARD_H
#define CHOCK_SPEC_STANDARD_H

/*
 * standard - what a command gets of its caller's: descriptors 0, 1 and 2
 *
 * They are the only ones that it gets, and lead where no grant does.
 */

struct landlock;
struct outcome;
struct sandbox;
struct why;

/* standard_name - "input", "output" or "error" */
const char *standard_name(int fd);

/*
 * standard_check - refuse what would be a way out of any sandbox
 *
 * That is a directory; a memfd that is open for one way only, but for one that
 * is sealed; unless the sandbox has the host's network, one of the host's
 * network sockets; and, where nothing holds where it sends, a unix socket that
 * is not connected for good.  Returns 0, or -errno with the reason in @outcome.
 */
int standard_check(const struct sandbox *sandbox, struct outcome *outcome);

/*
 * standard_allow - let them be opened again by name, as /dev/stdin and others
 *
 * Each just as far as the descriptor itself allows.  Returns 0 or -errno.
 */
int standard_allow(struct landlock *landlock, struct why *why);

#endif /* CHOCK_SPEC_STANDARD_H */
