/* SPDX-License-Identifier: ISC */
/* Simple commands: assignments, words, redirections. */
#include "base/alloc.h"
#include "shell/reader.h"

void simple_word(struct shell_command *command, struct shell_word word)
{
	command->words = alloc_array(command->words, command->word_count,
				     sizeof(*command->words));
	command->words[command->word_count++] = word;
}

/* How long the name is that @text starts with. */
static size_t name_len(struct span text)
{
	size_t len = 0;

	while (len < text.len) {
		char c = text.data[len];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '_' || (len && c >= '0' && c <= '9')))
			break;
		len++;
	}
	return len;
}

/* How long the bare NAME=, NAME+= or NAME[...]= is; 0 if there is none. */
static size_t assigned_len(struct reader *r, struct span raw)
{
	size_t len = name_len(raw);
	size_t at = len;

	if (!len)
		return 0;
	if (at < raw.len && raw.data[at] == '[') {
		const char *close = memchr(raw.data + at, ']', raw.len - at);

		if (!close)
			return 0;
		at = (size_t)(close - raw.data) + 1;
	}
	if (at < raw.len && raw.data[at] == '+')
		at++;
	if (at == raw.len || raw.data[at] != '=')
		return 0;
	if (at != len)
		reader_doubt(r, r->at,
			     "an assignment that not all shells know");
	return at + 1;
}

bool simple_take_assignment(struct reader *r, struct shell_command *command,
			    struct shell_word word)
{
	struct span name = word.text;
	size_t len = assigned_len(r, word.text);

	if (!len)
		return false;
	name.len = name_len(name);
	word.text = span_from(word.text, len);
	command->assigns = alloc_array(command->assigns, command->assign_count,
				       sizeof(*command->assigns));
	command->assigns[command->assign_count++] =
		(struct shell_assign){ name, word };
	return true;
}

/* The words of NAME=( ), which are none of the command. */
static void skip_array(struct reader *r)
{
	struct shell_word word;

	reader_doubt(r, r->at, "an array");
	r->at++;
	for (;;) {
		int c = reader_peek(r);

		if (c == ' ' || c == '\t')
			r->at++;
		else if (c == '\n')
			reader_newline(r);
		else if (!word_read(r, &word))
			break;
	}
	if (reader_peek(r) == ')')
		r->at++;
}

/* A number right before < or > is a descriptor; -1 if @word is none. */
static int descriptor(struct reader *r, const struct shell_word *word,
		      size_t start)
{
	int c = reader_peek(r);
	size_t i;

	if ((c == '<' || c == '>') && r->text.data[start] == '{')
		reader_doubt(r, start, "a variable for a descriptor");
	if ((c != '<' && c != '>') || word->quoted || !word->known ||
	    r->at - start != word->text.len)
		return -1;
	for (i = 0; i < word->text.len; i++)
		if (word->text.data[i] < '0' || word->text.data[i] > '9')
			return -1;
	if (word->text.len > 1) {
		reader_doubt(r, start, "a descriptor of two digits");
		return 10;
	}
	return word->text.data[0] - '0';
}

/* An opening parenthesis behind a word: NAME() or what is none of ours. */
static void parenthesis(struct reader *r, const struct shell_command *command)
{
	size_t start = r->at++;

	if (command->word_count == 1 && reader_peek(r) == ')') {
		r->at++;
		reader_gap(r, start, "a function");
		r->body = true;
		return;
	}
	reader_doubt(r, start, "a parenthesis that is not understood");
	r->at = start;
}

/* Whether what stands before the '=' of an assignment is free of quotes. */
static bool is_bare_name(const struct reader *r, struct span text, size_t start)
{
	struct span raw = span_from(r->text, start);
	size_t len = name_len(raw);

	return len && len < raw.len && len == name_len(text) &&
	       !memcmp(raw.data, text.data, len) &&
	       (raw.data[len] == '=' || raw.data[len] == '+' ||
		raw.data[len] == '[');
}

static void take_word(struct reader *r, struct shell_command *command,
		      struct shell_word word, size_t start)
{
	if (!command->word_count && is_bare_name(r, word.text, start) &&
	    simple_take_assignment(r, command, word)) {
		if (reader_peek(r) == '(')
			skip_array(r);
		return;
	}
	if (!command->word_count && start != command->at &&
	    (command->redirect_count || command->assign_count) &&
	    list_reserved(&word))
		reader_doubt(r, start, "a reserved word in an odd place");
	if (!word.quoted && span_is(word.text, "}"))
		reader_doubt(r, start, "a brace that not all shells close");
	simple_word(command, word);
}

void simple_read(struct reader *r, const struct shell_word *first, size_t start)
{
	struct shell_command *command = reader_add(r, start);
	size_t index = r->shell->count - 1;
	bool closed = r->closed;
	struct shell_redirect redirect;
	struct shell_word word;

	if (!command)
		return;
	if (first)
		take_word(r, command, *first, start);
	/* What is read may move the commands, so they are found anew. */
	for (;;) {
		int fd = -1;

		reader_blanks(r);
		start = r->at;
		if (!redirect_ahead(r)) {
			if (!word_read(r, &word))
				break;
			fd = descriptor(r, &word, start);
			if (fd < 0) {
				take_word(r, &r->shell->commands[index], word,
					  start);
				continue;
			}
		}
		if (redirect_read(r, &redirect, fd))
			redirect_add(&r->shell->commands[index], redirect);
	}
	command = &r->shell->commands[index];
	if (reader_peek(r) == '(')
		parenthesis(r, command);
	if (command->redirect_count && !command->word_count && !closed)
		reader_gap(r, command->at,
			   "a redirection alone, which runs cat in zsh");
	r->closed = false;
}
