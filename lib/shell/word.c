/* SPDX-License-Identifier: ISC */
/* Words and their quotes. */
#include "shell/making.h"
#include "shell/reader.h"

/* Puts the next byte behind the word. */
static void take(struct making *word)
{
	struct reader *r = word->r;

	if (r->text.data[r->at] == '\n' && r->heredoc_count)
		reader_doubt(r, r->at,
			     "a newline within a word before a here-document");
	buf_addc(&word->text, r->text.data[r->at++]);
}

/* ---- quotes ------------------------------------------------------------- */

static void take_single(struct making *word)
{
	struct reader *r = word->r;
	size_t start = r->at++;

	word->quoted = true;
	while (r->at < r->text.len && r->text.data[r->at] != '\'')
		take(word);
	if (r->at == r->text.len)
		making_unclosed(word, start);
	else
		r->at++;
}

static void take_double(struct making *word)
{
	struct reader *r = word->r;
	size_t start = r->at++;
	int c;

	word->quoted = true;
	word->double_quoted = true;
	while ((c = reader_peek(r)) >= 0 && c != '"') {
		int next = reader_behind(r, 1);

		if (c == '\\' &&
		    (next == '$' || next == '`' || next == '"' || next == '\\'))
			r->at++;
		if ((c == '$' || c == '`'))
			making_expand(word);
		else
			take(word);
	}
	word->double_quoted = false;
	if (c < 0)
		making_unclosed(word, start);
	else
		r->at++;
}

/* The byte that @c behind a backslash stands for in $'...', or -1. */
static int c_escape(int c)
{
	static const char from[] = "abefnrtv\\'\"?E";
	static const char to[] = "\a\b\033\f\n\r\t\v\\'\"?\033";
	const char *found = c > 0 ? strchr(from, c) : NULL;

	return found ? to[found - from] : -1;
}

/* $'...' is a dollar and a quote to shells that do not know it. */
static void take_ansi(struct making *word)
{
	struct reader *r = word->r;
	size_t start = r->at;

	reader_doubt(r, start, "$'...', which not all shells know");
	r->at += 2;
	word->quoted = true;
	while (r->at < r->text.len && r->text.data[r->at] != '\'') {
		int byte = -1;

		if (r->text.data[r->at] != '\\') {
			take(word);
			continue;
		}
		byte = c_escape(reader_behind(r, 1));
		if (byte < 0)
			word->known = false;
		else
			buf_addc(&word->text, (char)byte);
		r->at += r->at + 1 < r->text.len ? 2 : 1;
	}
	if (r->at == r->text.len)
		making_unclosed(word, start);
	else
		r->at++;
}

/* ---- words -------------------------------------------------------------- */

/* A byte that is outside of quotes and no expansion. */
static void take_bare(struct making *word, int c, size_t start)
{
	struct reader *r = word->r;
	int before = r->at > start ? r->text.data[r->at - 1] : '=';

	/* Braces with nothing in them are no expansion. */
	if (c == '{' && reader_behind(r, 1) == '}')
		take(word);
	else if (strchr("*?[{}", c))
		word->known = false;
	/* In {a,-b} each is a word by itself, and begins as it is there. */
	if (c == '{' && r->at == start)
		word->split = true;
	if (c == '~' && (before == '=' || before == ':'))
		word->known = false;
	if (c >= 0x80)
		reader_gap(r, r->at, "bytes that are not ASCII nor quoted");
	take(word);
}

static void take_escaped(struct making *word)
{
	struct reader *r = word->r;

	word->quoted = true;
	if (++r->at == r->text.len)
		reader_doubt(r, r->at - 1, "a backslash at the end");
	else
		take(word);
}

/* Takes what stands here; false where the word ends. */
static bool take_next(struct making *word, size_t start)
{
	struct reader *r = word->r;
	int c = reader_peek(r);
	int next = reader_behind(r, 1);

	if (c < 0 || strchr(" \t\n;&|<>()", c))
		return false;
	if (c == '\'')
		take_single(word);
	else if (c == '"')
		take_double(word);
	else if (c == '\\')
		take_escaped(word);
	else if (c == '$' && next == '\'')
		take_ansi(word);
	else if (c == '$' && next == '"')
		reader_doubt(r, r->at++, "$\"...\", which not all shells know");
	else if (c == '$' || c == '`')
		making_expand(word);
	else
		take_bare(word, c, start);
	return true;
}

/* What zsh alone would make something of. */
static void check_bare(struct making *word, struct span raw)
{
	if (span_is(raw, "["))
		word->known = true;
	if (raw.len > 1 && *raw.data == '=' && !span_is(raw, "=="))
		reader_gap(word->r, word->r->at - raw.len,
			   "a word that begins with '='");
}

bool word_read(struct reader *r, struct shell_word *word)
{
	struct making making = { .r = r, .known = true };
	size_t start;

	(void)reader_peek(r);
	start = r->at;
	while (take_next(&making, start))
		continue;
	if (r->at == start)
		return false;
	check_bare(&making,
		   (struct span){ r->text.data + start, r->at - start });
	*word = (struct shell_word){ .text = reader_keep(
					     r, buf_span(&making.text)),
				     .at = r->inner ? r->outer : start,
				     .known = making.known,
				     .quoted = making.quoted,
				     .split = making.split };
	buf_drop(&making.text);
	return true;
}
