/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_SHAPE_H
#define CHOCK_POLICY_SHAPE_H

/*
 * shape - how the statements are written that say what a sandbox holds
 *
 * Each keyword has one or more forms, which are at once what is checked and
 * what an error shows:
 *
 *	word        that word
 *	a|b         one of these words
 *	TYPE        a word of that type; TYPE... one or more of them
 *	[a TYPE]    may be left out; these come last, in any order, each once
 *
 * Only what one line can tell is checked here.  What the words come to (does
 * the path exist, can this machine hold the limit) is for who builds it.
 */

#include "policy/policy.h"

struct words;
struct why;

/* shape_keyword - the keyword written @word; POLICY_KEYWORDS for none */
enum policy_keyword shape_keyword(const char *word);

/*
 * shape_check - whether the line of @words is a form of @keyword
 *
 * Returns 0 or -EINVAL.
 */
int shape_check(enum policy_keyword keyword, const struct words *words,
		struct why *why);

/* shape_is_single - whether one file can say @keyword only once */
bool shape_is_single(enum policy_keyword keyword);

#endif /* CHOCK_POLICY_SHAPE_H */
