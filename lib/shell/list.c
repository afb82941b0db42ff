/* SPDX-License-Identifier: ISC */
/*
 * Lists of commands: what separates them, and what is around them.
 *
 * A shell that cannot make sense of a string runs nothing of it, or no more
 * than what it has read.  So it need not be checked here that an `if' has its
 * `fi': reserved words are gone over wherever a command could begin, and what
 * is between them are the commands.
 */
#include "shell/reader.h"

static bool list(struct reader *r, enum list_end end);

static bool is_one_of(const struct shell_word *word, const char *words)
{
	size_t len;

	if (word->quoted || !word->text.len)
		return false;
	for (; *words; words += len + (words[len] ? 1 : 0)) {
		len = strcspn(words, " ");
		if (len == word->text.len &&
		    !memcmp(words, word->text.data, len))
			return true;
	}
	return false;
}

static const char bodies[] = "if then elif else fi while until do done";
static const char loops[] = "for select foreach";
/* Each shell has its own opinion of what follows these. */
static const char odd[] =
	"coproc repeat end nocorrect noglob always [[ {} namespace";

bool list_reserved(const struct shell_word *word)
{
	return is_one_of(word, bodies) || is_one_of(word, loops) ||
	       is_one_of(word, odd) ||
	       is_one_of(word, "{ } ! case esac in function time");
}

bool list_opens(const struct shell_word *word)
{
	return is_one_of(word, "if then elif else while until do ! time");
}

void reader_blanks(struct reader *r)
{
	int c;

	while ((c = reader_peek(r)) == ' ' || c == '\t')
		r->at++;
	if (c == '#')
		while (r->at < r->text.len && r->text.data[r->at] != '\n')
			r->at++;
}

static void blanks_and_newlines(struct reader *r)
{
	reader_blanks(r);
	while (reader_peek(r) == '\n') {
		reader_newline(r);
		reader_blanks(r);
	}
}

void reader_newline(struct reader *r)
{
	r->at++;
	if (r->heredoc_count)
		heredocs_skip(r);
}

/* A list within: of a subshell, or of a case. */
static bool list_within(struct reader *r, enum list_end end)
{
	bool ended;

	if (r->depth == SHELL_DEPTH_MAX) {
		reader_doubt(r, r->at, "nested deeper than is read");
		r->at = r->text.len;
		return false;
	}
	r->depth++;
	ended = list(r, end);
	r->depth--;
	r->join = SHELL_AFTER;
	return ended;
}

/* ---- what begins with a reserved word ----------------------------------- */

/* NAME in WORD... of a loop, up to what separates it from the body. */
static void loop_head(struct reader *r)
{
	struct shell_word word;
	size_t start = r->at;

	reader_blanks(r);
	if (!word_read(r, &word)) {
		reader_doubt(r, start, "a loop without a name");
		return;
	}
	blanks_and_newlines(r);
	start = r->at;
	if (!word_read(r, &word) || is_one_of(&word, "do"))
		return;
	if (!is_one_of(&word, "in"))
		reader_doubt(r, start, "a loop that is not understood");
	do {
		if (is_one_of(&word, "{ }"))
			reader_doubt(r, start, "a loop that is not understood");
		reader_blanks(r);
	} while (word_read(r, &word));
}

/* The patterns of one case, with the parenthesis behind them; false at esac */
static bool case_patterns(struct reader *r)
{
	struct shell_word word;
	size_t start = r->at;
	bool open = false;

	blanks_and_newlines(r);
	if (reader_peek(r) == '(') {
		r->at++;
		open = true;
	}
	for (;;) {
		int c;

		reader_blanks(r);
		if (word_read(r, &word)) {
			if (!open && is_one_of(&word, "esac"))
				return false;
			open = true;
			continue;
		}
		c = reader_peek(r);
		if (c != '|' && c != ')') {
			reader_doubt(r, start, "a case that is not understood");
			return false;
		}
		r->at++;
		if (c == ')')
			return true;
	}
}

static void case_read(struct reader *r, size_t start)
{
	struct shell_word word;

	reader_blanks(r);
	if (word_read(r, &word))
		blanks_and_newlines(r);
	if (!word_read(r, &word) || !is_one_of(&word, "in")) {
		reader_doubt(r, start, "a case that is not understood");
		return;
	}
	while (case_patterns(r))
		if (list_within(r, END_CASE))
			break;
}

static void function_head(struct reader *r)
{
	struct shell_word word;

	reader_blanks(r);
	(void)word_read(r, &word);
	reader_blanks(r);
	if (reader_peek(r) == '(' && reader_behind(r, 1) == ')')
		r->at += 2;
}

/* The keyword of some shells and the program of the others. */
static void time_read(struct reader *r, const struct shell_word *word,
		      size_t start)
{
	enum shell_join join = r->join;
	struct shell_word option;

	for (;;) {
		struct shell_command *command = reader_add(r, start);

		if (!command)
			return;
		simple_word(command, *word);
		r->join = join;
		reader_blanks(r);
		if (reader_peek(r) != '-')
			return;
		/* What is behind them is a command to some, words to others. */
		reader_doubt(r, start, "time with options");
		if (!word_read(r, &option))
			return;
		word = &option;
	}
}

/* Returns false if @word is none of the shell's own. */
static bool reserved(struct reader *r, const struct shell_word *word,
		     size_t start)
{
	if (is_one_of(word, "!")) {
		r->nested = true;
		return true;
	}
	if (is_one_of(word, "time")) {
		time_read(r, word, start);
		return true;
	}
	if (!list_reserved(word) || is_one_of(word, "in"))
		return false;
	r->body = true;
	if (is_one_of(word, odd)) {
		struct shell_word times;

		reader_blanks(r);
		if (is_one_of(word, "repeat"))
			(void)word_read(r, &times);
		reader_doubt(r, start, "a word that not all shells know");
		return !is_one_of(word, "[[");
	}
	r->closed = is_one_of(word, "} fi done esac");
	if (is_one_of(word, "{ }"))
		return true;
	reader_gap(r, start, "a compound command");
	if (is_one_of(word, "esac"))
		reader_doubt(r, start, "an esac without its case");
	if (is_one_of(word, loops))
		loop_head(r);
	if (is_one_of(word, "case"))
		case_read(r, start);
	if (is_one_of(word, "function"))
		function_head(r);
	return true;
}

/* ---- lists -------------------------------------------------------------- */

/* Goes over a semicolon; whether it was one that ends a case. */
static bool semicolon(struct reader *r)
{
	int c;

	r->at++;
	r->join = SHELL_AFTER;
	c = reader_peek(r);
	if (c != ';' && c != '|' && (c != '&' || reader_behind(r, 1) == '>'))
		return false;
	r->at++;
	if (c == ';' && reader_peek(r) == '&')
		r->at++;
	return true;
}

static void ampersand(struct reader *r)
{
	size_t start = r->at++;

	r->closed = false;
	r->join = SHELL_AFTER;
	if (reader_peek(r) == '&') {
		r->at++;
		r->join = SHELL_AND;
	} else if (reader_peek(r) == '!' || reader_peek(r) == '|') {
		reader_doubt(r, start, "&! or &|, which are zsh's");
	}
}

static void bar(struct reader *r)
{
	struct shell *shell = r->shell;

	r->at++;
	if (reader_peek(r) == '|') {
		r->at++;
		r->join = SHELL_OR;
		return;
	}
	if (reader_peek(r) == '&')
		r->at++;
	if (shell->count)
		shell->commands[shell->count - 1].nested = true;
	r->nested = true;
	r->join = SHELL_PIPE;
}

/* Reads the command here; true where it is the esac that ends the list. */
static bool command(struct reader *r, enum list_end end)
{
	struct shell_word word;
	size_t start = r->at;

	if (redirect_ahead(r)) {
		simple_read(r, NULL, start);
		return false;
	}
	if (!word_read(r, &word)) {
		reader_doubt(r, start, "what no command begins with");
		r->at++;
		return false;
	}
	if (end == END_CASE && is_one_of(&word, "esac"))
		return true;
	/* {a} is a to zsh, and {a,b} to the others. */
	if (word.text.len > 1 && r->text.data[start] == '{')
		reader_doubt(r, start, "a brace before a name");
	/* In 2>f it is a descriptor; name() is a function, whatever name is. */
	if (word.known && redirect_ahead(r) && *word.text.data >= '0' &&
	    *word.text.data <= '9') {
		r->at = start;
		simple_read(r, NULL, start);
	} else if (reader_peek(r) == '(' || !reserved(r, &word, start)) {
		simple_read(r, &word, start);
	}
	return false;
}

static void subshell(struct reader *r)
{
	size_t start = r->at++;

	if (reader_peek(r) == '(')
		reader_doubt(r, start, "two parentheses");
	(void)list_within(r, END_PARENTHESIS);
	r->closed = true;
}

/* One step; true where the list ends. */
static bool list_step(struct reader *r, enum list_end end, bool *esac)
{
	int c = reader_peek(r);

	if (c > 0 && strchr("\n;|", c))
		r->closed = false;
	if (c == '\n') {
		reader_newline(r);
	} else if (c == ';') {
		size_t start = r->at;

		if (!semicolon(r))
			return false;
		if (end == END_CASE)
			return true;
		reader_doubt(r, start, "the end of a case outside of one");
	} else if (c == '&' && reader_behind(r, 1) != '>') {
		ampersand(r);
	} else if (c == '|') {
		bar(r);
	} else if (c == '(') {
		subshell(r);
	} else if (c == ')') {
		if (end != END_PARENTHESIS)
			reader_doubt(r, r->at, "nothing that is closed");
		r->at++;
		return end == END_PARENTHESIS;
	} else {
		*esac = command(r, end);
		return *esac;
	}
	return false;
}

static bool list(struct reader *r, enum list_end end)
{
	bool esac = false;

	for (;;) {
		reader_blanks(r);
		if (reader_peek(r) < 0) {
			if (end != END_OF_TEXT)
				reader_doubt(r, r->at, "something not closed");
			return false;
		}
		if (list_step(r, end, &esac))
			return esac;
	}
}

void reader_list(struct reader *r, enum list_end end)
{
	(void)list(r, end);
}

void reader_text(struct reader *r)
{
	r->doubt = r->text.len;
	reader_list(r, END_OF_TEXT);
	if (r->heredoc_count)
		reader_doubt(r, r->text.len, "a here-document without text");
	if (r->doubt < r->text.len)
		reader_roughly(r);
}
