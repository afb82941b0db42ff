/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_PARTS_H
#define CHOCK_SPEC_PARTS_H

/*
 * parts - which parts of Landlock a sandbox has, and what holds the others
 *
 * Why a part may be absent is in doc/decisions/0008-absent-parts-of-landlock.
 */

struct layer_row;
struct sandbox;
struct why;

/*
 * parts_note - fill in the @rows of all parts, where the kernel has ABI @abi
 *
 * The rows of the namespaces are there already.  Returns 0, or -ENOSYS for a
 * part that nothing else holds and @sandbox does not waive.
 */
int parts_note(struct layer_row *rows, const struct sandbox *sandbox, int abi,
	       struct why *why);

#endif /* CHOCK_SPEC_PARTS_H */
