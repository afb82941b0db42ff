/* SPDX-License-Identifier: ISC */
#include "shell/shell.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "record/utf8.h"
#include "shell/reader.h"

#define PIECE_ROOM ((size_t)4 << 10) /* bytes; words are short */

struct piece {
	struct piece *older; /* owned */
	size_t used;
	size_t room;
	char data[];
};

struct span reader_keep(struct reader *r, struct span text)
{
	struct piece *piece = r->shell->memory;
	char *copy;

	if (!piece || piece->room - piece->used <= text.len) {
		size_t room = text.len < PIECE_ROOM ? PIECE_ROOM : text.len + 1;

		piece = alloc_zero(1, sizeof(*piece) + room);
		piece->older = r->shell->memory;
		piece->room = room;
		r->shell->memory = piece;
	}
	copy = piece->data + piece->used;
	piece->used += text.len + 1;
	if (text.len)
		memcpy(copy, text.data, text.len);
	return (struct span){ copy, text.len };
}

void reader_gap(struct reader *r, size_t at, const char *reason)
{
	struct shell *shell = r->shell;

	if (shell->gap_count < SHELL_GAPS_MAX)
		shell->gaps[shell->gap_count] =
			(struct shell_gap){ .at = r->inner ? r->outer : at,
					    .reason = reason };
	shell->gap_count++;
}

void reader_doubt(struct reader *r, size_t at, const char *reason)
{
	reader_gap(r, at, reason);
	if (at < r->doubt)
		r->doubt = at;
}

int reader_behind(const struct reader *r, size_t ahead)
{
	if (r->text.len - r->at <= ahead)
		return -1;
	return (unsigned char)r->text.data[r->at + ahead];
}

int reader_peek(struct reader *r)
{
	while (reader_behind(r, 0) == '\\' && reader_behind(r, 1) == '\n') {
		char before = r->at ? r->text.data[r->at - 1] : ' ';

		if (before != ' ' && before != '\t' && before != '\n')
			reader_gap(r, r->at, "a word that is continued");
		r->at += 2;
	}
	return reader_behind(r, 0);
}

struct shell_command *reader_add(struct reader *r, size_t at)
{
	struct shell *shell = r->shell;
	struct shell_command *added;

	if (shell->count == SHELL_COMMANDS_MAX) {
		reader_gap(r, at, "more commands than are read");
		r->at = r->text.len;
		return NULL;
	}
	shell->commands = alloc_array(shell->commands, shell->count,
				      sizeof(*shell->commands));
	added = &shell->commands[shell->count++];
	*added = (struct shell_command){ .at = r->inner ? r->outer : at,
					 .join = r->join,
					 .nested = r->nested || r->body ||
						   r->depth > 0 || r->inner };
	r->join = SHELL_AFTER;
	r->nested = false;
	return added;
}

/* What no shell needs and two of them could take for two things. */
static void check_bytes(struct reader *r)
{
	const char *reason = NULL;
	uint32_t character;
	size_t at = 0;

	while (!reason && at < r->text.len) {
		char byte = r->text.data[at];
		size_t len = utf8_next(&character, span_from(r->text, at));

		if (!len)
			reason = "bytes that are not UTF-8";
		else if (byte != '\n' && byte != '\t' &&
			 ((unsigned char)byte < ' ' || byte == 0x7f))
			reason = "a control byte";
		else if (len > 1 && utf8_unseen(character))
			reason = "a character that cannot be seen";
		if (reason)
			reader_gap(r, at, reason);
		at += len;
	}
}

void shell_read(struct shell *shell, struct span text)
{
	struct reader r = { .shell = shell, .text = text };

	if (text.len > SHELL_BYTES_MAX) {
		reader_gap(&r, SHELL_BYTES_MAX, "more bytes than are read");
		r.text.len = SHELL_BYTES_MAX;
	}
	check_bytes(&r);
	reader_text(&r);
}

void shell_drop(struct shell *shell)
{
	struct piece *piece = shell->memory;
	size_t i;

	for (i = 0; i < shell->count; i++) {
		free(shell->commands[i].words);
		free(shell->commands[i].assigns);
		free(shell->commands[i].redirects);
	}
	free(shell->commands);
	while (piece) {
		struct piece *older = piece->older;

		free(piece);
		piece = older;
	}
	*shell = (struct shell){ 0 };
}
