/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_BUG_H
#define CHOCK_BASE_BUG_H

/*
 * bug - states that only a mistake in chock itself can bring about
 *
 * bug_if() is always compiled in: a program that holds others to a policy
 * stops rather than go on from a state that nobody thought of.  It prints
 * nothing, for it may stand in lib/; the trap's core and line are the report.
 */

#define bug_if(condition)                 \
	do {                              \
		if (condition)            \
			__builtin_trap(); \
	} while (0)

#endif /* CHOCK_BASE_BUG_H */
