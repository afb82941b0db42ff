/* SPDX-License-Identifier: ISC */
/*
 * The reader of strings for a shell.
 *
 * The input is such a string.  A command that is put behind a string without
 * a gap must be found, or be in a gap: nothing that was read may swallow it.
 */

#include "shell/shell.h"

#include <stdbool.h>

#include "base/buf.h"
#include "fuzz.h"

static void check_word(const struct shell_word *word, size_t len)
{
	size_t i, sum = 0;

	bug_if(word->at > len);
	/* What it says can be read, all of it. */
	for (i = 0; i < word->text.len; i++)
		sum += (unsigned char)word->text.data[i];
	bug_if(sum > word->text.len * 255);
}

static void check_command(const struct shell_command *command, size_t len)
{
	size_t i;

	bug_if(command->at > len);
	for (i = 0; i < command->word_count; i++)
		check_word(&command->words[i], len);
	for (i = 0; i < command->assign_count; i++) {
		bug_if(!command->assigns[i].name.len);
		check_word(&command->assigns[i].value, len);
	}
	for (i = 0; i < command->redirect_count; i++)
		check_word(&command->redirects[i].target, len);
}

/* What is read is in bounds; returns whether @program is one of it. */
static bool check(const struct shell *shell, size_t len, const char *program)
{
	bool found = false;
	size_t i;

	bug_if(shell->count > SHELL_COMMANDS_MAX);
	for (i = 0; i < shell->gap_count && i < SHELL_GAPS_MAX; i++)
		bug_if(shell->gaps[i].at > len || !shell->gaps[i].reason);
	for (i = 0; i < shell->count; i++) {
		const struct shell_command *command = &shell->commands[i];

		check_command(command, len);
		found = found || (command->word_count &&
				  span_is(command->words[0].text, program));
	}
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	autoshell struct shell shell = { .count = 0 }, longer = { .count = 0 };
	autobuf struct buf more = { 0 };
	bool joined = size && data[size - 1] == '\\';

	shell_read(&shell, text);
	(void)check(&shell, size, "swallowed");
	buf_add(&more, text);
	buf_adds(&more, "\nswallowed");
	shell_read(&longer, buf_span(&more));
	bug_if(!check(&longer, more.len, "swallowed") && !joined &&
	       !longer.gap_count);
	bug_if(!shell.gap_count && !longer.gap_count &&
	       longer.count < shell.count);
	return 0;
}
