/* SPDX-License-Identifier: ISC */
#include "policy/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/why.h"
#include "policy/policy.h"
#include "policy/pool.h"
#include "record/utf8.h"

static int wrong_at(const char *file, unsigned int line, size_t column,
		    const char *what, struct why *why)
{
	return why_set(why, EINVAL, "%s:%u:%zu: %s", file, line, column, what);
}

/* Why @c cannot stand in a policy, or NULL. */
static const char *bad_byte(unsigned char c)
{
	if (!c)
		return "a NUL byte; a policy is text";
	if (c == '\r')
		return "a carriage return; lines end with a newline alone";
	if ((c < ' ' && c != '\t') || c == 0x7f)
		return "a control character";
	return NULL;
}

/* Nearly every byte of a policy. */
static bool is_plain(char c)
{
	return c >= ' ' && c <= '~';
}

/* Goes through all of @bytes once, so that no later step meets surprises. */
static int check_text(const char *file, struct span bytes, struct why *why)
{
	unsigned int line = 1;
	size_t start = 0, at = 0, len;
	const char *bad;
	uint32_t character;

	if (span_starts(bytes, "\xef\xbb\xbf"))
		return wrong_at(file, 1, 1,
				"a byte order mark; write UTF-8 without one",
				why);
	while (at < bytes.len) {
		if (is_plain(bytes.data[at]) && at - start < WORDS_LINE_MAX) {
			at++;
			continue;
		}
		if (bytes.data[at] == '\n') {
			line++;
			start = ++at;
			continue;
		}
		bad = bad_byte((unsigned char)bytes.data[at]);
		len = utf8_next(&character, span_from(bytes, at));
		if (!len)
			bad = "bytes that are not UTF-8";
		if (at - start >= WORDS_LINE_MAX)
			bad = "the line is longer than 16 KiB";
		if (bad)
			return wrong_at(file, line, at - start + 1, bad, why);
		at += len;
	}
	if (at > start)
		return wrong_at(file, line, at - start + 1,
				"the last line does not end with a newline",
				why);
	return 0;
}

int words_open(struct words *words, const char *file, struct span bytes,
	       void **memory, struct why *why)
{
	words->file = file;
	words->rest = bytes;
	words->memory = memory;
	words->home = NULL;
	words->project = NULL;
	words->line = 0;
	words->count = 0;
	if (bytes.len > POLICY_BYTES_MAX)
		return wrong_at(file, 1, 1, "the file is larger than 1 MiB",
				why);
	return check_text(file, bytes, why);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* How long the word is that @text starts with, its quotes included; 0 for one
 * that is not closed. */
static size_t word_len(struct span text)
{
	size_t len = 0;

	if (*text.data != '"') {
		while (len < text.len && !is_blank(text.data[len]))
			len++;
		return len;
	}
	for (len = 1; len < text.len; len++) {
		if (text.data[len] == '\\')
			len++;
		else if (text.data[len] == '"')
			return len + 1;
	}
	return 0;
}

/* Puts what a quoted word says behind @said. */
static int unquote(struct words *words, struct buf *said, struct span quoted,
		   struct why *why)
{
	size_t i;

	for (i = 1; i + 1 < quoted.len; i++) {
		if (quoted.data[i] == '\\' && quoted.data[++i] != '"' &&
		    quoted.data[i] != '\\')
			return words_wrong(words, words->count, why,
					   "within quotes only \\\" and \\\\ "
					   "follow a backslash");
		buf_addc(said, quoted.data[i]);
	}
	if (!said->len)
		return words_wrong(words, words->count, why, "an empty word");
	return 0;
}

static int take_plain(struct words *words, struct span word, struct why *why)
{
	if (memchr(word.data, '"', word.len))
		return words_wrong(words, words->count, why,
				   "a quote in the middle of a word");
	if (memchr(word.data, '#', word.len))
		return words_wrong(words, words->count, why,
				   "a '#' in the middle of a word; put a blank "
				   "before a comment, quotes around the word");
	words->word[words->count++] = pool_keep(words->memory, word);
	return 0;
}

static int take_quoted(struct words *words, struct span word, struct why *why)
{
	autobuf struct buf said = { 0 };
	int r = unquote(words, &said, word, why);

	if (r < 0)
		return r;
	words->word[words->count++] = pool_keep(words->memory, buf_span(&said));
	return 0;
}

static int take_word(struct words *words, struct span text, size_t *len,
		     struct why *why)
{
	if (words->count == WORDS_MAX)
		return words_wrong(words, words->count, why,
				   "more than %d words", WORDS_MAX);
	*len = word_len(text);
	if (!*len)
		return words_wrong(words, words->count, why,
				   "a quote that is not closed");
	if (*text.data != '"')
		return take_plain(words, (struct span){ text.data, *len }, why);
	if (*len < text.len && !is_blank(text.data[*len]))
		return words_wrong(words, words->count, why,
				   "a closing quote that no blank follows");
	return take_quoted(words, (struct span){ text.data, *len }, why);
}

static int split(struct words *words, struct span text, struct why *why)
{
	size_t at = 0, len;
	int r;

	words->count = 0;
	for (;;) {
		while (at < text.len && is_blank(text.data[at]))
			at++;
		words->column[words->count] = (unsigned int)at + 1;
		if (at == text.len || text.data[at] == '#')
			break;
		r = take_word(words, span_from(text, at), &len, why);
		if (r < 0)
			return r;
		at += len;
	}
	words->word[words->count] = NULL;
	return 0;
}

int words_next(struct words *words, struct why *why)
{
	while (words->rest.len) {
		const char *data = words->rest.data;
		const char *end = memchr(data, '\n', words->rest.len);
		struct span text = { data, (size_t)(end - data) };
		int r;

		words->line++;
		words->rest = span_from(words->rest, text.len + 1);
		r = split(words, text, why);
		if (r < 0)
			return r;
		if (words->count)
			return 1;
	}
	return 0;
}

struct policy_origin words_origin(const struct words *words, size_t index)
{
	return (struct policy_origin){ words->file, words->line,
				       words->column[index] };
}

int words_wrong(const struct words *words, size_t index, struct why *why,
		const char *fmt, ...)
{
	char what[WHY_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return wrong_at(words->file, words->line, words->column[index], what,
			why);
}

int words_unknown(const struct words *words, size_t index,
		  const struct choice *known, struct why *why)
{
	const char *word = words->word[index];
	char near[NEAREST_ROOM];

	return words_wrong(words, index, why, "'%s' is no %s%s", word,
			   known->what,
			   nearest_clause(near, span_of(word), known->words,
					  known->count));
}
