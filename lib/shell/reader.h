/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SHELL_READER_H
#define CHOCK_SHELL_READER_H

/*
 * reader - where the reading of one text stands
 *
 * What the files of this part share, and nobody else.
 */

#include "base/buf.h"
#include "shell/shell.h"

/* A here-document whose text begins on the next line. */
struct heredoc {
	struct span end; /* the line that ends it */
	bool quoted;     /* nothing in it is expanded */
	bool tabs;       /* those before a line do not count */
};

struct reader {
	struct shell *shell; /* borrowed */
	struct span text;    /* borrowed */
	size_t at;
	size_t doubt;       /* from here on all is read roughly too */
	unsigned int depth; /* of bodies around us */
	bool inner;         /* text was made of another: places are outer's */
	size_t outer;
	enum shell_join join; /* of the next command */
	bool nested;          /* the next one is */
	bool body;            /* all that follow are */
	bool closed;          /* what a redirection may be for ends here */
	struct heredoc heredocs[SHELL_HEREDOCS_MAX];
	size_t heredoc_count;
};

/* What ends a list of commands. */
enum list_end { END_OF_TEXT, END_PARENTHESIS, END_CASE };

/* reader_gap - note that what stands @at is not all that can happen */
void reader_gap(struct reader *r, size_t at, const char *reason);

/* reader_doubt - the same, and another reading may begin there */
void reader_doubt(struct reader *r, size_t at, const char *reason);

/*
 * reader_peek - the byte that comes next, -1 at the end
 *
 * Lines that a backslash continues are joined.
 */
int reader_peek(struct reader *r);

/* reader_behind - the byte @ahead of the next, as it is written, or -1 */
int reader_behind(const struct reader *r, size_t ahead);

/* reader_newline - go over a newline and over the here-documents behind it */
void reader_newline(struct reader *r);

/* reader_keep - a copy of @text that lives as long as the list */
struct span reader_keep(struct reader *r, struct span text);

/* reader_add - a command more in the list, or NULL where that is full */
struct shell_command *reader_add(struct reader *r, size_t at);

/* reader_list - read commands up to @end, and go over that */
void reader_list(struct reader *r, enum list_end end);

/* reader_text - read all of it, and roughly where that was in doubt */
void reader_text(struct reader *r);

/* reader_roughly - add what commands the text from the doubt on may have */
void reader_roughly(struct reader *r);

/* word_read - read the word that begins here; false if none does */
bool word_read(struct reader *r, struct shell_word *word);

/* word_expand - read what a here-document's text up to @end has expanded */
void word_expand(struct reader *r, size_t end);

/* simple_word - a word more for @command */
void simple_word(struct shell_command *command, struct shell_word word);

/*
 * simple_read - read the simple command that begins here
 *
 * @first is its first word if that was read already, from @start on.  It may
 * be a function's head instead.
 */
void simple_read(struct reader *r, const struct shell_word *first,
		 size_t start);

/* simple_take_assignment - take @word as an assignment; false if it is none */
bool simple_take_assignment(struct reader *r, struct shell_command *command,
			    struct shell_word word);

/* redirect_ahead - whether a redirection begins here */
bool redirect_ahead(struct reader *r);

/*
 * redirect_read - read it; @fd is the number in front, -1 without one
 *
 * Returns false if it has no target.
 */
bool redirect_read(struct reader *r, struct shell_redirect *redirect, int fd);

/* redirect_add - a redirection more for @command */
void redirect_add(struct shell_command *command,
		  struct shell_redirect redirect);

/* list_reserved - whether @word is one of the shell's own where a command
 * could begin */
bool list_reserved(const struct shell_word *word);

/* list_opens - whether @word is one of those that a command follows */
bool list_opens(const struct shell_word *word);

/* reader_blanks - go over blanks and a comment */
void reader_blanks(struct reader *r);

/* heredocs_skip - go over the texts of the here-documents that are due */
void heredocs_skip(struct reader *r);

#endif /* CHOCK_SHELL_READER_H */
