/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_TELL_H
#define CHOCK_POLICY_TELL_H

/*
 * tell - rules and names in lines that a person reads
 *
 * Invariants
 *   - What is told is printable ASCII, a '?' for every other byte: files and
 *     agents are called what somebody else chose.
 */

#include "base/span.h"

struct act;
struct buf;
struct policy_origin;
struct policy_rule;
struct rule_field;

/* tell_text - @text put behind @line */
void tell_text(struct buf *line, struct span text);

/* tell_place - "FILE:LINE" of @origin put behind @line */
void tell_place(struct buf *line, const struct policy_origin *origin);

/* tell_field - a name, a class with its ".*", or "any", put behind @line */
void tell_field(struct buf *line, struct rule_field field);

/* tell_rule - @rule as it is written, all of its fields, put behind @line */
void tell_rule(struct buf *line, const struct policy_rule *rule);

/* tell_act - the attributes of a question, as FIELD=VALUE with a blank in
 * front of each, put behind @line */
void tell_act(struct buf *line, const struct act *act);

#endif /* CHOCK_POLICY_TELL_H */
