/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_PRINT_H
#define CHOCK_POLICY_PRINT_H

/*
 * print - what a policy holds, as lines of the language again
 *
 * There is one way in which a thing is printed: the fields of a rule in one
 * order, numbers and addresses in their shortest form, quotes only where a
 * word needs them.  What is printed reads as what it was printed from.
 */

#include "policy/policy.h"
#include "policy/rule.h"

struct buf;
struct policy_agent;

/* print_rule - @rule as a line without its newline, put into the empty @line */
void print_rule(struct buf *line, const struct policy_rule *rule);

/* print_agent - the same for the declaration of an agent */
void print_agent(struct buf *line, const struct policy_agent *agent);

/* print_statement - the same for a statement about the sandbox */
void print_statement(struct buf *line,
		     const struct policy_statement *statement);

#endif /* CHOCK_POLICY_PRINT_H */
