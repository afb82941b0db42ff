/* SPDX-License-Identifier: ISC */
/* What is expanded in words and in here-documents. */
#include <stdint.h>

#include "shell/making.h"
#include "shell/reader.h"

static bool is_name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(int c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

void making_unclosed(struct making *word, size_t at)
{
	reader_doubt(word->r, at, "a quote or a bracket that is not closed");
	word->known = false;
	word->r->at = word->r->text.len;
}

static bool too_deep(struct making *word)
{
	struct reader *r = word->r;

	if (r->depth < SHELL_DEPTH_MAX)
		return false;
	reader_doubt(r, r->at, "nested deeper than is read");
	r->at = r->text.len;
	return true;
}

static void substitute(struct making *word)
{
	struct reader *r = word->r;
	enum shell_join join = r->join;
	bool nested = r->nested, body = r->body;
	size_t heredocs = r->heredoc_count;
	size_t start = r->at;

	reader_gap(r, start, "a command substitution");
	if (heredocs)
		reader_doubt(r, start, "a substitution before a here-document");
	r->at += 2;
	if (too_deep(word))
		return;
	r->depth++;
	r->join = SHELL_AFTER;
	reader_list(r, END_PARENTHESIS);
	r->depth--;
	r->join = join;
	r->nested = nested;
	r->body = body;
	if (r->heredoc_count != heredocs)
		reader_doubt(r, start, "a here-document in a substitution");
	r->heredoc_count = heredocs;
}

/* What is between backquotes has lost a level of backslashes. */
static void backquote(struct making *word)
{
	struct reader *r = word->r;
	struct reader inner = { .shell = r->shell, .inner = true };
	autobuf struct buf text = { 0 };
	size_t start = r->at++;

	reader_gap(r, start, "a command substitution");
	if (r->heredoc_count)
		reader_doubt(r, start, "a substitution before a here-document");
	while (r->at < r->text.len && r->text.data[r->at] != '`') {
		int next = reader_behind(r, 1);

		if (r->text.data[r->at] == '\\' &&
		    (next == '$' || next == '`' || next == '\\' ||
		     (next == '"' && word->double_quoted)))
			r->at++;
		buf_addc(&text, r->text.data[r->at++]);
	}
	if (r->at == r->text.len)
		making_unclosed(word, start);
	else
		r->at++;
	if (too_deep(word))
		return;
	inner.text = buf_span(&text);
	inner.outer = r->inner ? r->outer : start;
	inner.depth = r->depth + 1;
	reader_text(&inner);
}

/* Arithmetic runs nothing but what is substituted in it, and what it finds in
 * a variable.  What ends otherwise than it does is a substitution. */
static void calculate(struct making *word)
{
	struct reader *r = word->r;
	size_t start = r->at;
	unsigned int open = 2;
	int c;

	reader_gap(r, start, "arithmetic, which looks into variables");
	r->at += 3;
	if (too_deep(word))
		return;
	r->depth++;
	while (open && (c = reader_peek(r)) >= 0) {
		if (c == '\'' || c == '"' || c == '\\')
			reader_doubt(r, start, "a quote in arithmetic");
		if (c == '$' || c == '`') {
			making_expand(word);
			continue;
		}
		open += c == '(' ? 1 : 0;
		open -= c == ')' ? 1 : 0;
		if (c == ')' && open == 1 && reader_behind(r, 1) != ')')
			reader_doubt(r, start, "parentheses of two meanings");
		r->at++;
	}
	r->depth--;
	if (open)
		making_unclosed(word, start);
}

/* What of ${ } is more than a name. */
static void parameter_rest(struct making *word, size_t start)
{
	struct reader *r = word->r;
	int c;

	reader_gap(r, start, "an expansion that is more than a name");
	word->split = true;
	if (too_deep(word))
		return;
	r->depth++;
	while ((c = reader_peek(r)) >= 0 && c != '}') {
		if (c == '\'' || c == '"' || c == '\\' || c == '{' || c == '\n')
			reader_doubt(r, start, "a quote within ${ }");
		if (c == '$' || c == '`')
			making_expand(word);
		else if (c == '\\' && reader_behind(r, 1) >= 0)
			r->at += 2;
		else
			r->at++;
	}
	r->depth--;
	if (c < 0)
		making_unclosed(word, start);
	else
		r->at++;
}

static void parameter(struct making *word)
{
	struct reader *r = word->r;
	size_t start = r->at;
	int c;

	r->at += 2;
	c = reader_peek(r);
	if (c == '#' && is_name_start(reader_behind(r, 1))) {
		r->at++;
		c = reader_peek(r);
	}
	if (is_name_start(c)) {
		while (is_name(reader_peek(r)))
			r->at++;
	} else if (c > 0 && strchr("0123456789?#$!@*-", c)) {
		r->at++;
	} else if (c == ' ' || c == '\t' || c == '\n' || c == '|') {
		reader_doubt(r, start, "a body within ${ }");
	}
	if (reader_peek(r) == '}')
		r->at++;
	else
		parameter_rest(word, start);
}

static void dollar(struct making *word)
{
	static const char follows[] = " \t\n;&|)<>\"/.,:%";
	struct reader *r = word->r;
	int c;

	r->at++;
	c = reader_peek(r);
	if (is_name_start(c)) {
		while (is_name(reader_peek(r)))
			r->at++;
		if (reader_peek(r) == '[')
			reader_gap(r, r->at, "a subscript");
	} else if (c > 0 && strchr("0123456789?#$!@*-", c)) {
		r->at++;
	} else {
		buf_addc(&word->text, '$');
		if (c >= 0 && !strchr(follows, c))
			reader_doubt(r, r->at - 1,
				     "a dollar that shells read differently");
		return;
	}
	word->known = false;
}

void making_expand(struct making *word)
{
	struct reader *r = word->r;
	size_t start = r->at;
	int c = r->text.data[r->at] == '$' ? reader_behind(r, 1) : '`';
	size_t before = word->text.len;

	if (c != '`' && c != '(' && c != '{') {
		dollar(word);
		if (word->text.len != before)
			return;
	} else {
		word->known = false;
		if (c == '`')
			backquote(word);
		else if (c == '{')
			parameter(word);
		else if (reader_behind(r, 2) == '(')
			calculate(word);
		else
			substitute(word);
	}
	buf_cut(&word->text, before);
	buf_add(&word->text,
		(struct span){ r->text.data + start, r->at - start });
	/* "$@" is as many words as there are. */
	if (!word->double_quoted || c == '@' ||
	    (c == '{' && span_starts(span_from(r->text, start), "${@")))
		word->split = true;
}

void word_expand(struct reader *r, size_t end)
{
	struct making word = { .r = r, .double_quoted = true };
	size_t whole = r->text.len;

	r->text.len = end;
	while (r->at < end) {
		char c = r->text.data[r->at];

		if (c == '\\' && r->at + 1 < end)
			r->at += 2;
		else if (c == '$' || c == '`')
			making_expand(&word);
		else
			r->at++;
	}
	r->text.len = whole;
	r->at = end;
	buf_drop(&word.text);
}
