/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_OUTER_H
#define CHOCK_SANDBOX_OUTER_H

/*
 * outer - the sandbox that the caller is in already, if there is one
 *
 * Some answer who makes a namespace with an errno; chock's own ends it, by a
 * signal that leaves nobody to say anything.
 */

struct why;

/*
 * outer_check - whether the caller may ask for a user namespace at all
 *
 * Costs one system call where no seccomp filter holds the caller, and else
 * tries it in a child.
 *
 * Returns 0 where it may, whatever the answer will be, or -EPERM if asking
 * alone would end it.
 */
int outer_check(struct why *why);

#endif /* CHOCK_SANDBOX_OUTER_H */
