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
	char note[NOTE_ROOM];
	va_list args;
	char *c;

	va_start(args, fmt);
	(void)vsnprintf(note, sizeof(note), fmt, args);
	va_end(args);
	for (c = note; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	call_want(run->call, span_of("exec.unparsed"), span_of(note));
}

/* ---- one program -------------------------------------------------------- */

/* The name of a program in a folder of the system's, or none. */
static struct span system_name(struct span path)
{
	static const char *const folders[] = { "/bin/", "/usr/bin/", "/sbin/",
					       "/usr/sbin/",
					       "/usr/local/bin/" };
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		struct span name = span_from(path, strlen(folders[i]));

		if (span_starts(path, folders[i]) && name.len &&
		    !memchr(name.data, '/', name.len))
			return name;
	}
	return (struct span){ NULL, 0 };
}

void running_name(const struct running *run, struct span name)
{
	autobuf struct buf action = { 0 };
	struct span bare = system_name(name);
	bool path = name.len && memchr(name.data, '/', name.len);

	if (!name.len || strlen(name.data) != name.len) {
		running_unparsed(run, "a program without a name");
		return;
	}
	if (path && *name.data != '/' && run->adrift) {
		running_unparsed(run, "a relative path where the directory is "
				      "not known");
		return;
	}
	command_action(&action, name.data, run->directory, run->projects);
	if (span_is(buf_span(&action), "exec.unparsed")) {
		running_unparsed(run, "a path that may lead elsewhere");
		return;
	}
	call_want(run->call, buf_span(&action), (struct span){ NULL, 0 });
	if (!bare.len)
		return;
	/* A rule on the name holds for the same program by its path. */
	buf_reset(&action);
	buf_adds(&action, "exec.path");
	action_add(&action, bare);
	call_want(run->call, buf_span(&action), (struct span){ NULL, 0 });
}

static struct span last_part(struct span name)
{
	size_t i;

	for (i = name.len; i; i--)
		if (name.data[i - 1] == '/')
			return span_from(name, i);
	return name;
}

/* Too deep to be taken apart: every word may be a program then. */
static void run_any(const struct running *run, const struct shell_word *words,
		    size_t count)
{
	size_t i;

	running_unparsed(run, "programs that run programs, deeper than %d",
			 RUNNING_DEPTH_MAX);
	for (i = 0; i < count && !run->call->overflow; i++)
		if (words[i].text.len)
			running_name(run, words[i].text);
}

static void run_known(const struct running *run, const struct shell_word *words,
		      size_t count)
{
	struct span name = last_part(words->text);
	const struct wrapper *wrapper = wrapper_find(name);
	struct running inner = *run;

	inner.depth++;
	running_name(run, words->text);
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
	for (; count && !words->known; words++, count--)
		running_unparsed(run,
				 "byte %zu: a program's name that is not "
				 "written out",
				 words->at);
	if (count && ++run->call->programs > CALL_PROGRAMS_MAX)
		run->call->overflow = true;
	if (run->call->overflow)
		return;
	if (count && run->depth >= RUNNING_DEPTH_MAX)
		run_any(run, words, count);
	else if (count)
		run_known(run, words, count);
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

	for (i = 0; i < count; i++) {
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
