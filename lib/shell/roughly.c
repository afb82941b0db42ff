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

/* Reads a word, up to what separates words; quotes fall away. */
static struct shell_word rough_word(struct reader *r)
{
	struct shell_word word = { .at = r->at, .known = true };
	autobuf struct buf text = { 0 };

	while (r->at < r->text.len) {
		char c = r->text.data[r->at];

		if (separates(c) || is_blank(c) || c == '<' || c == '>')
			break;
		if (c == '\\' && r->at + 1 < r->text.len &&
		    r->text.data[r->at + 1] == '\n')
			r->at++;
		else if (c != '\'' && c != '"' && c != '\\')
			buf_addc(&text, c);
		if (strchr("$*?[~", c))
			word.known = false;
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
	while (r->at < r->text.len && strchr(" \t", r->text.data[r->at]))
		r->at++;
	redirect->target = rough_word(r);
}

static void take(struct reader *r, struct shell_command *command)
{
	struct shell_redirect redirect = { .flow = SHELL_READS };
	struct shell_word word;

	if (strchr("<>", r->text.data[r->at])) {
		rough_redirect(r, &redirect);
		if (redirect.target.text.len)
			redirect_add(command, redirect);
		return;
	}
	word = rough_word(r);
	if (!word.text.len)
		return;
	if (!command->word_count && list_reserved(&word))
		return;
	if (!command->word_count && simple_take_assignment(r, command, word))
		return;
	simple_word(command, word);
}

/* Goes over what is before the next command; false at the end. */
static bool find(struct reader *r)
{
	while (r->at < r->text.len && (separates(r->text.data[r->at]) ||
				       is_blank(r->text.data[r->at])))
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
			else
				take(r, command);
		}
	}
}
