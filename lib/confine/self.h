/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_SELF_H
#define CHOCK_CONFINE_SELF_H

/*
 * self - what our own programs give up before they look at input
 *
 * Each opens what it needs, confines itself, and only then reads: no new
 * privileges, no core dump, Landlock without a single rule, and a seccomp
 * allowlist that holds little more than read, write, poll and fdatasync.  A
 * bug in a parser is then not a way out.
 */

struct why;

/*
 * confine_self - give up everything but the descriptors that are open
 *
 * Where the kernel has no Landlock, the allowlist, which has no call that
 * takes a path, holds the same acts.
 *
 * Returns 0 or -errno; after a failure the caller must not go on.
 */
int confine_self(struct why *why);

#endif /* CHOCK_CONFINE_SELF_H */
