/* SPDX-License-Identifier: ISC */
#include "call/running.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "call/call.h"
#include "call/command.h"
#include "call/gitcommand.h"
#include "call/wrapper.h"
#include "policy/action.h"

#define NOTE_ROOM 160 /* bytes of a note */

void running_unparsed(const struct running *run, const char *fmt, ...)
{
	const struct question *asked;
	char note[NOTE_ROOM];
	va_list args;
	char *c;

	if (run->call->overflow || run->call->unsaid)
		return;
	va_start(args, fmt);
	(void)vsnprintf(note, sizeof(note), fmt, args);
	va_end(args);
	for (c = note; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	asked = call_want(run->call, span_of("exec.unparsed"), span_of(note));
	run->call->unsaid = asked && asked->note_count == QUESTION_NOTES_MAX;
}

void running_switch(const struct running *run, struct span name,
		    struct span option)
{
	running_unparsed(run, "%.*s %.*s, which can run programs",
			 (int)(name.len < 20 ? name.len : 20), name.data,
			 (int)(option.len < 40 ? option.len : 40), option.data);
}

/* ---- one program -------------------------------------------------------- */

static struct span last_part(struct span name)
{
	size_t i;

	for (i = name.len; i; i--)
		if (name.data[i - 1] == '/')
			return span_from(name, i);
	return name;
}

/* A rule on a name holds for the same program by its path. */
static void ask_bare(const struct running *run, struct span name)
{
	autobuf struct buf action = { 0 };

	if (!name.len)
		return;
	buf_adds(&action, "exec.path");
	action_add(&action, name);
	call_want(run->call, buf_span(&action), (struct span){ NULL, 0 });
}

void running_name(const struct running *run, struct span name)
{
	autobuf struct buf action = { 0 };
	autobuf struct buf bare = { 0 };
	bool path = name.len && memchr(name.data, '/', name.len);

	if (!name.len || strlen(name.data) != name.len) {
		running_unparsed(run, "a program without a name");
		return;
	}
	if (path && *name.data != '/' && run->adrift) {
		running_unparsed(run, "a relative path where the directory is "
				      "not known");
		ask_bare(run, last_part(name));
		return;
	}
	if (command_bare(&bare, name.data, run->directory))
		ask_bare(run, buf_span(&bare));
	command_action(&action, name.data, run->directory, run->projects);
	if (span_is(buf_span(&action), "exec.unparsed"))
		running_unparsed(run, "a path that may lead elsewhere");
	else
		call_want(run->call, buf_span(&action),
			  (struct span){ NULL, 0 });
}

/* The value of --NAME=VALUE and -xVALUE, or what is no option. */
static struct span any_value(struct span text)
{
	const char *is = text.len ? memchr(text.data, '=', text.len) : NULL;

	if (span_starts(text, "-") && is)
		return span_from(text, (size_t)(is + 1 - text.data));
	if (span_starts(text, "--"))
		return (struct span){ NULL, 0 };
	return span_from(text, span_starts(text, "-") ? 2 : 0);
}

void running_any(const struct running *run, const struct shell_word *words,
		 size_t count)
{
	struct running inner = *run;
	size_t i;

	inner.depth++;
	/* Around them the same was done, so that it is done but once. */
	if (run->asked)
		return;
	for (i = 0; i < count && !run->call->overflow; i++) {
		struct span text = any_value(words[i].text);
		size_t plain =
			text.len ? strcspn(text.data, " \t\n;&|<>()$`'\"\\")
				 : 0;

		if (plain < text.len && run->depth < RUNNING_DEPTH_MAX)
			running_string(&inner, text);
		else if (text.len && call_look(run->call, 1, text.len))
			running_name(run, text);
	}
}

static void run_known(const struct running *run, const struct shell_word *words,
		      size_t count)
{
	struct span name = last_part(words->text);
	const struct wrapper *wrapper = wrapper_find(name);
	struct running inner = *run;

	inner.depth++;
	running_name(run, words->text);
	/* zsh has the path of NAME for =NAME. */
	if (words->text.len > 1 && *words->text.data == '=')
		running_name(run, span_from(words->text, 1));
	if (!wrapper) {
		running_builtin(&inner, words, count);
		running_switches(&inner, name, words, count);
		gitcommand_dashed(&inner, words, count);
	} else if (wrapper->form == WRAPS_FINDER) {
		running_find(&inner, words, count);
	} else if (wrapper->form == WRAPS_GIT) {
		gitcommand_run(&inner, wrapper, words, count);
	} else if (wrapper->form == WRAPS_SHELL) {
		running_shell(&inner, wrapper, words, count);
	} else {
		running_wrapped(&inner, wrapper, words, count);
	}
}

void running_words(const struct running *run, const struct shell_word *words,
		   size_t count)
{
	/* A word that expands to nothing leaves its place to the next one. */
	for (; count && !words->known; words++, count--, run->call->words++)
		running_unparsed(run,
				 "byte %zu: a program's name that is not "
				 "written out",
				 words->at);
	if (run->call->overflow || (count && !call_look(run->call, count, 0)))
		return;
	if (count && run->depth >= RUNNING_DEPTH_MAX) {
		running_unparsed(run,
				 "programs that run programs, deeper than %d",
				 RUNNING_DEPTH_MAX);
		running_any(run, words, count);
	} else if (count) {
		run_known(run, words, count);
	}
}

bool running_option(const struct shell_word *word)
{
	struct span text = word->text;
	size_t i;

	if (word->known || !text.len)
		return false;
	for (i = 0; i < text.len; i++)
		if (text.data[i] && strchr("$`{", text.data[i]))
			return true;
	return *text.data == '*' || *text.data == '?' || *text.data == '[' ||
	       *text.data == '-';
}

void running_written(const struct running *run, const struct shell_word *words,
		     size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!words[i].known)
			running_unparsed(run,
					 "byte %zu: a word that says what "
					 "is run, and is not written out",
					 words[i].at);
}

void running_joined(const struct running *run, const struct shell_word *words,
		    size_t count)
{
	autobuf struct buf text = { 0 };
	size_t i;

	for (i = 0; i < count && !run->call->overflow; i++) {
		if (i)
			buf_addc(&text, ' ');
		buf_add(&text, words[i].text);
		if (!words[i].known)
			running_unparsed(run,
					 "byte %zu: a shell's string that "
					 "is not written out",
					 words[i].at);
	}
	if (count)
		running_string(run, buf_span(&text));
}
