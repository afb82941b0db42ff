/* SPDX-License-Identifier: ISC */
/*
 * The second reading, of text that is in doubt.
 *
 * Quotes mean nothing here.  Whatever could separate commands does, so that a
 * command is found wherever its name is written, whichever of the readings a
 * shell has.  That more is found than any shell would run is no harm: where
 * there is doubt, nothing is allowed anyway.
 */
#include "shell/reader.h"

static bool separates(char c)
{
	return c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' ||
	       c == ')' || c == '{' || c == '}' || c == '`';
}

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

/* Whether what begins here is one of {a,b}, whose first word it runs. */
static bool in_braces(const struct reader *r)
{
	return r->at && (r->text.data[r->at - 1] == '{' ||
			 r->text.data[r->at - 1] == ',');
}

/* Reads a word, up to what separates words; quotes fall away. */
static struct shell_word rough_word(struct reader *r)
{
	struct shell_word word = { .at = r->at, .known = true };
	bool braced = in_braces(r);
	autobuf struct buf text = { 0 };

	while (r->at < r->text.len) {
		char c = r->text.data[r->at];

		if (separates(c) || is_blank(c) || c == '<' || c == '>' ||
		    (braced && c == ','))
			break;
		if (c == '\\' && r->at + 1 < r->text.len &&
		    r->text.data[r->at + 1] == '\n')
			r->at++;
		else if (c != '\'' && c != '"' && c != '\\')
			buf_addc(&text, c);
		if (strchr("$*?[~", c))
			word.known = false;
		if (c == '$')
			word.split = true;
		r->at++;
	}
	word.text = reader_keep(r, buf_span(&text));
	return word;
}

static void rough_redirect(struct reader *r, struct shell_redirect *redirect)
{
	redirect->flow = SHELL_READS;
	redirect->input = true;
	while (r->at < r->text.len && strchr("<>", r->text.data[r->at])) {
		if (r->text.data[r->at] == '>')
			redirect->flow = SHELL_WRITES;
		r->at++;
	}
	/* >&! and >| write to what is behind them. */
	if (reader_behind(r, 0) == '&')
		r->at++;
	if (reader_behind(r, 0) == '|' || reader_behind(r, 0) == '!')
		r->at++;
	while (r->at < r->text.len && strchr(" \t", r->text.data[r->at]))
		r->at++;
	redirect->target = rough_word(r);
}

/* Takes what stands here; false where another command begins behind it. */
static bool take(struct reader *r, struct shell_command *command)
{
	struct shell_redirect redirect = { .flow = SHELL_READS };
	struct shell_word word;

	if (strchr("<>", r->text.data[r->at])) {
		rough_redirect(r, &redirect);
		if (redirect.target.text.len)
			redirect_add(command, redirect);
		return true;
	}
	word = rough_word(r);
	if (!word.text.len)
		return true;
	if (command->word_count && list_opens(&word))
		return false;
	if (!command->word_count &&
	    (list_reserved(&word) || simple_take_assignment(r, command, word)))
		return true;
	simple_word(command, word);
	return true;
}

/* Whether what is here stands between commands: ,pwn} and &!pwn too. */
static bool is_between(const struct reader *r)
{
	char c = r->text.data[r->at];

	return separates(c) || is_blank(c) || (c == ',' && in_braces(r)) ||
	       (c == '!' && r->at && r->text.data[r->at - 1] == '&');
}

/* Goes over what is before the next command; false at the end. */
static bool find(struct reader *r)
{
	while (r->at < r->text.len && is_between(r))
		r->at++;
	return r->at < r->text.len;
}

void reader_roughly(struct reader *r)
{
	r->at = r->doubt;
	while (find(r)) {
		struct shell_command *command;

		r->nested = true;
		command = reader_add(r, r->at);
		if (!command)
			return;
		while (r->at < r->text.len && !separates(r->text.data[r->at])) {
			if (r->text.data[r->at] != '\n' &&
			    is_blank(r->text.data[r->at]))
				r->at++;
			else if (!take(r, command))
				break;
		}
	}
}
