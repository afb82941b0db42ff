/* SPDX-License-Identifier: ISC */
#include "base/word.h"

#include <stdbool.h>
#include <string.h>

/* What chock-policy(5) reads as something else outside of quotes. */
static bool needs_quotes(struct span word)
{
	size_t i;

	for (i = 0; i < word.len; i++)
		if (strchr(" \t\"#", word.data[i]))
			return true;
	return !word.len;
}

void word_policy(struct buf *b, struct span word)
{
	size_t i;

	if (!needs_quotes(word)) {
		buf_add(b, word);
		return;
	}
	buf_addc(b, '"');
	for (i = 0; i < word.len; i++) {
		if (word.data[i] == '"' || word.data[i] == '\\')
			buf_addc(b, '\\');
		buf_addc(b, word.data[i]);
	}
	buf_addc(b, '"');
}

void word_shell(struct buf *b, struct span word)
{
	size_t i;

	buf_addc(b, '\'');
	for (i = 0; i < word.len; i++)
		if (word.data[i] == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, word.data[i]);
	buf_addc(b, '\'');
}
