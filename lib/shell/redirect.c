/* SPDX-License-Identifier: ISC */
/* Redirections, and the texts of here-documents. */
#include "base/alloc.h"
#include "shell/reader.h"

bool redirect_ahead(struct reader *r)
{
	int c = reader_peek(r);

	return c == '<' || c == '>' || (c == '&' && reader_behind(r, 1) == '>');
}

void redirect_add(struct shell_command *command, struct shell_redirect redirect)
{
	command->redirects = alloc_array(command->redirects,
					 command->redirect_count,
					 sizeof(*command->redirects));
	command->redirects[command->redirect_count++] = redirect;
}

static bool skip(struct reader *r, char c)
{
	if (reader_peek(r) != c)
		return false;
	r->at++;
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (skip(r, ' ') || skip(r, '\t'))
		continue;
}

static bool is_number(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	return text.len > 0;
}

/* What stands behind >& or <&: a descriptor, or in >&FILE a file. */
static bool is_descriptor(const struct shell_word *target)
{
	struct span text = target->text;

	if (!target->known || !text.len)
		return false;
	if (text.data[text.len - 1] == '-')
		text.len--;
	return !text.len || is_number(text);
}

/* ---- here-documents ----------------------------------------------------- */

/* A word that every shell takes for the same end of a here-document. */
static bool is_plain_end(const struct shell_word *word)
{
	size_t i;

	if (!word->known || !word->text.len)
		return false;
	for (i = 0; i < word->text.len; i++) {
		char c = word->text.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || strchr("_-.+", c)))
			return false;
	}
	return true;
}

static void begin_heredoc(struct reader *r, const struct shell_word *end,
			  bool tabs)
{
	if (!is_plain_end(end))
		reader_doubt(r, r->at, "an odd end of a here-document");
	if (r->heredoc_count == SHELL_HEREDOCS_MAX) {
		reader_doubt(r, r->at, "more here-documents than are read");
		return;
	}
	r->heredocs[r->heredoc_count++] = (struct heredoc){
		.end = end->text, .quoted = end->quoted, .tabs = tabs
	};
}

static struct span line_at(const struct reader *r, size_t at)
{
	struct span rest = span_from(r->text, at);
	const char *end = rest.len ? memchr(rest.data, '\n', rest.len) : NULL;

	if (end)
		rest.len = (size_t)(end - rest.data);
	return rest;
}

static void skip_heredoc(struct reader *r, const struct heredoc *heredoc)
{
	size_t start = r->at;
	size_t end = start;

	while (end < r->text.len) {
		struct span line = line_at(r, end);
		size_t next = end + line.len + 1;

		while (heredoc->tabs && line.len && *line.data == '\t')
			line = span_from(line, 1);
		if (span_equal(line, heredoc->end)) {
			if (!heredoc->quoted)
				word_expand(r, end);
			r->at = next < r->text.len ? next : r->text.len;
			return;
		}
		/* Whether the next line is one is read in two ways. */
		if (!heredoc->quoted && line.len &&
		    line.data[line.len - 1] == '\\')
			reader_doubt(r, start,
				     "a continued line in a here-document");
		end = next;
	}
	reader_doubt(r, start, "a here-document without its end");
	word_expand(r, r->text.len);
}

void heredocs_skip(struct reader *r)
{
	size_t count = r->heredoc_count;
	size_t i;

	/* None is due any more while the text of one is looked at. */
	r->heredoc_count = 0;
	for (i = 0; i < count; i++) {
		struct heredoc heredoc = r->heredocs[i];

		skip_heredoc(r, &heredoc);
	}
}

/* ---- redirections ------------------------------------------------------- */

/* The operator; @tabs for <<-, @feeds for both kinds of <<. */
struct operation {
	enum shell_flow flow;
	bool both;      /* &> */
	bool duplicate; /* >& and <& */
	bool heredoc;
	bool tabs;
};

static void read_less(struct reader *r, struct operation *op)
{
	op->flow = SHELL_READS;
	if (skip(r, '&')) {
		op->duplicate = true;
	} else if (skip(r, '>')) {
		op->flow = SHELL_UPDATES;
	} else if (skip(r, '<')) {
		op->flow = SHELL_FEEDS;
		op->heredoc = !skip(r, '<');
		op->tabs = op->heredoc && skip(r, '-');
		if (!op->heredoc)
			reader_gap(r, r->at, "<<<, which not all shells know");
	}
}

static void read_operator(struct reader *r, struct operation *op)
{
	op->both = skip(r, '&');
	if (!op->both && skip(r, '<')) {
		read_less(r, op);
		return;
	}
	r->at++;
	op->flow = SHELL_WRITES;
	if (skip(r, '>') || skip(r, '|'))
		return;
	op->duplicate = skip(r, '&');
}

/* Another shell takes a&>b c for a& >b c, which runs c. */
static void check_both(struct reader *r)
{
	int c;

	skip_blanks(r);
	c = reader_peek(r);
	if (c >= 0 && !strchr("\n;&|)", c))
		reader_doubt(r, r->at, "&> before a word");
}

bool redirect_read(struct reader *r, struct shell_redirect *redirect, int fd)
{
	struct operation op = { .flow = SHELL_READS };
	size_t start = r->at;

	read_operator(r, &op);
	if (reader_peek(r) == '(')
		reader_doubt(r, start, "a process substitution");
	if (reader_peek(r) == '!')
		reader_doubt(r, start, ">!, which is an operator to zsh");
	skip_blanks(r);
	redirect->flow = op.flow;
	redirect->input = fd == 0 || (fd < 0 && op.flow != SHELL_WRITES);
	if (!word_read(r, &redirect->target)) {
		reader_doubt(r, start, "a redirection without a target");
		return false;
	}
	if (op.heredoc)
		begin_heredoc(r, &redirect->target, op.tabs);
	if (op.duplicate && is_descriptor(&redirect->target))
		redirect->flow = SHELL_DUPLICATES;
	if (op.both)
		check_both(r);
	return true;
}
