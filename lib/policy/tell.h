/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_TELL_H
#define CHOCK_POLICY_TELL_H

/*
 * tell - rules, places and acts in sentences that a person reads
 *
 * A rule is told as policy/print writes it.
 *
 * Invariants
 *   - What is told is printable ASCII, a '?' for every other byte: files and
 *     agents are called what somebody else chose.
 */

struct act;
struct buf;
struct policy_origin;
struct policy_rule;

/* tell_place - "FILE:LINE" of @origin put behind @line */
void tell_place(struct buf *line, const struct policy_origin *origin);

/* tell_rule - @rule put behind @line */
void tell_rule(struct buf *line, const struct policy_rule *rule);

/* tell_act - the attributes of a question, as FIELD=VALUE with a blank in
 * front of each, put behind @line */
void tell_act(struct buf *line, const struct act *act);

#endif /* CHOCK_POLICY_TELL_H */
