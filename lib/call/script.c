/* SPDX-License-Identifier: ISC */
/* What a string for a shell comes to. */
#include <string.h>

#include "base/buf.h"
#include "call/call.h"
#include "call/command.h"
#include "call/running.h"
#include "call/wrapper.h"
#include "policy/action.h"

/* Where the commands of a string run, as far as it is known. */
struct walk {
	struct running run;
	struct buf directory; /* what run.directory points to after a cd */
	bool moved;           /* by a cd that may have failed */
};

/* ---- files -------------------------------------------------------------- */

static bool is_harmless_file(struct span path)
{
	struct span fd = span_from(path, strlen("/dev/fd/"));
	size_t i;

	if (listed("/dev/null /dev/zero /dev/full /dev/random /dev/urandom "
		   "/dev/stdin /dev/stdout /dev/stderr",
		   path))
		return true;
	if (!span_starts(path, "/dev/fd/") || !fd.len)
		return false;
	for (i = 0; i < fd.len; i++)
		if (fd.data[i] < '0' || fd.data[i] > '9')
			return false;
	return true;
}

void running_file(const struct running *run, const struct shell_word *target,
		  bool writes)
{
	autobuf struct buf action = { 0 };
	struct span path = target->text;

	if (!call_look(run->call, 1, path.len))
		return;
	if (target->known && is_harmless_file(path))
		return;
	if (!target->known || !path.len || strlen(path.data) != path.len) {
		running_unparsed(run,
				 "byte %zu: a file that is not written "
				 "out",
				 target->at);
		return;
	}
	if (*path.data != '/' && run->adrift) {
		running_unparsed(run,
				 "byte %zu: a relative file where the "
				 "directory is not known",
				 target->at);
		return;
	}
	if (span_starts(path, "/dev/tcp/") || span_starts(path, "/dev/udp/"))
		running_unparsed(run, "byte %zu: a file that is a connection",
				 target->at);
	buf_adds(&action, writes ? "fs.write" : "fs.read");
	if (!command_file(&action, path.data, run->directory, run->projects))
		running_unparsed(run, "byte %zu: a file that may be elsewhere",
				 target->at);
	else if (action.len)
		call_want(
			run->call, buf_span(&action),
			span_of(*run->projects ? "" : "no --project is known"));
}

static void take_redirects(const struct running *run,
			   const struct shell_command *command)
{
	size_t i;

	for (i = 0; i < command->redirect_count; i++) {
		const struct shell_redirect *redirect = &command->redirects[i];

		if (redirect->flow == SHELL_READS ||
		    redirect->flow == SHELL_UPDATES)
			running_file(run, &redirect->target, false);
		if (redirect->flow == SHELL_WRITES ||
		    redirect->flow == SHELL_UPDATES)
			running_file(run, &redirect->target, true);
	}
}

/* ---- directories -------------------------------------------------------- */

/* Whether @command may change the directory without being a plain cd. */
static bool may_move(const struct shell_command *command)
{
	return command->word_count &&
	       (!command->words->known ||
		listed("pushd popd eval source . command builtin noglob "
		       "nocorrect - time",
		       command->words->text));
}

static void change(struct walk *walk, const struct shell_command *command)
{
	const struct shell_word *to = &command->words[1];
	struct running *run = &walk->run;
	autobuf struct buf path = { 0 };

	if (command->word_count != 2 || !to->known || command->nested ||
	    command->join == SHELL_OR || !to->text.len ||
	    *to->text.data == '-' || *to->text.data == '+' ||
	    command->assign_count ||
	    !command_directory(&path, to->text.data, run->directory)) {
		run->adrift = true;
		return;
	}
	if (run->adrift && *to->text.data != '/')
		return;
	buf_reset(&walk->directory);
	buf_add(&walk->directory, buf_span(&path));
	run->directory = buf_str(&walk->directory);
	walk->moved = true;
}

/* ---- strings ------------------------------------------------------------ */

static void take_command(struct walk *walk, const struct shell_command *command)
{
	struct running *run = &walk->run;
	size_t i;

	/* Behind anything but && the cd may have failed. */
	if (walk->moved && command->join != SHELL_AND &&
	    command->join != SHELL_PIPE)
		run->adrift = true;
	for (i = 0; i < command->assign_count; i++)
		running_variable(run, command->assigns[i].name,
				 &command->assigns[i].value);
	take_redirects(run, command);
	running_words(run, command->words, command->word_count);
	if (command->word_count && listed("cd chdir", command->words->text))
		change(walk, command);
	else if (may_move(command))
		run->adrift = true;
}

static void say_gaps(const struct running *run, const struct shell *shell)
{
	size_t i;

	for (i = 0; i < shell->gap_count && i < SHELL_GAPS_MAX; i++)
		running_unparsed(run, "byte %zu: %s", shell->gaps[i].at,
				 shell->gaps[i].reason);
}

void running_string(const struct running *run, struct span text)
{
	struct walk walk = { .run = *run };
	autoshell struct shell shell = { 0 };
	size_t i;

	if (!call_look(run->call, 0, text.len))
		return;
	walk.run.asked = false;
	shell_read(&shell, text);
	say_gaps(run, &shell);
	for (i = 0; i < shell.count && !run->call->overflow; i++)
		take_command(&walk, &shell.commands[i]);
	buf_drop(&walk.directory);
}
