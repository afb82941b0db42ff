/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_LIST_H
#define CHOCK_POLICY_LIST_H

/*
 * list - all that a policy holds, in the order in which it counts
 *
 * First the agents, then the rules, layer by layer and each layer's in the
 * order in which they win, then the ceilings, then what the sandbox holds.
 * Behind each line stands its layer and where it was written.
 *
 * Invariants
 *   - The list is a policy file.  What would be an error in one file (the same
 *     rule in two layers) or grant what nobody granted (a ceiling's rules) is
 *     a comment in it.
 */

struct buf;
struct policy;

/* list_policy - put the lines about @policy behind @text */
void list_policy(struct buf *text, const struct policy *policy);

#endif /* CHOCK_POLICY_LIST_H */
