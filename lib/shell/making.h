/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SHELL_MAKING_H
#define CHOCK_SHELL_MAKING_H

/*
 * making - a word while it is read
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct reader;

struct making {
	struct reader *r;
	struct buf text;
	bool known;
	bool quoted;
	bool split;
	bool double_quoted; /* here */
};

/* making_expand - go over one expansion; what is written stays in the word */
void making_expand(struct making *word);

/* making_unclosed - go to the end, for what began @at is not closed */
void making_unclosed(struct making *word, size_t at);

#endif /* CHOCK_SHELL_MAKING_H */
