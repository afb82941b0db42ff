/* SPDX-License-Identifier: ISC */
/* What wrappers run, by the form that each has. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "call/running.h"
#include "call/wrapper.h"

#define OPTION_SHOWN 40 /* bytes of an option in a note */

static int shown(struct span option)
{
	return (int)(option.len < OPTION_SHOWN ? option.len : OPTION_SHOWN);
}

/* Runs @words; with an option that was not known, any of them may be its
 * argument. */
static void run_behind(const struct running *run, bool unsure,
		       const struct shell_word *words, size_t count)
{
	struct running inner = *run;

	if (unsure && count > 1) {
		running_any(run, words + 1, count - 1);
		inner.asked = true;
	}
	running_words(&inner, words, count);
	if (unsure && count > 1)
		running_words(&inner, words + 1, count - 1);
}

static void say_unsure(const struct running *run, const struct wrapped *wrapped,
		       const struct shell_word *words)
{
	if (wrapped->unsure)
		running_unparsed(run,
				 "an option of %.*s that is not known: %.*s",
				 shown(words->text), words->text.data,
				 shown(wrapped->wrong), wrapped->wrong.data);
}

/* Takes the NAME=VALUE at the start of what env runs; how many those are. */
static size_t take_variables(const struct running *run,
			     const struct shell_word *words, size_t count)
{
	size_t i = count && span_is(words->text, "-") ? 1 : 0;

	for (; i < count; i++) {
		struct span text = words[i].text;
		const char *is = text.len ? memchr(text.data, '=', text.len)
					  : NULL;
		struct shell_word value = words[i];
		struct span name = text;

		if (!is)
			break;
		name.len = (size_t)(is - text.data);
		value.text = span_from(text, name.len + 1);
		running_variable(run, name, &value);
	}
	return i;
}

/* What env -S makes words of, and takes for its own: "\\_" is a blank to it. */
static void run_split(const struct running *run, struct span text)
{
	autobuf struct buf string = { 0 };
	struct running inner = *run;
	size_t i;

	running_unparsed(run, "env -S, which splits words in its way");
	if (run->depth >= RUNNING_DEPTH_MAX)
		return;
	inner.depth++;
	buf_adds(&string, "env ");
	for (i = 0; i < text.len; i++) {
		bool escape = text.data[i] == '\\' && i + 1 < text.len;

		if (escape && strchr("_fnrtv", text.data[i + 1])) {
			buf_addc(&string, ' ');
			i++;
		} else {
			buf_addc(&string, text.data[i]);
		}
	}
	running_string(&inner, buf_span(&string));
}

static void run_env(const struct running *run, const struct wrapped *wrapped,
		    const struct shell_word *words, size_t count)
{
	struct running moved = *run;
	size_t skip = take_variables(run, words, count);

	if (wrapped->value['C'].text.data)
		moved.adrift = true;
	if (wrapped->value['S'].text.data)
		run_split(&moved, wrapped->value['S'].text);
	words += skip;
	count -= skip;
	/* To sudo, options may follow a variable. */
	run_behind(&moved,
		   wrapped->unsure || (count && span_starts(words->text, "-")),
		   words, count);
}

static bool holds(struct span text, struct span part)
{
	size_t i;

	for (i = 0; part.len && i + part.len <= text.len; i++)
		if (!memcmp(text.data + i, part.data, part.len))
			return true;
	return false;
}

/* xargs: words come from its input, in place of -I's or behind all. */
static void run_xargs(const struct running *run, const struct wrapped *wrapped,
		      const struct shell_word *words, size_t count)
{
	struct span replaced = wrapped->value['I'].text;
	autofree struct shell_word *all = NULL;
	struct shell_word slot = { .text = span_of("0") };
	size_t i;

	if (wrapped->value['v'].text.data)
		running_variable(run, wrapped->value['v'].text, &slot);
	if (!count) {
		running_name(run, span_of("echo"));
		return;
	}
	if (wrapped->value['i'].text.data || wrapped->flag['i'])
		replaced = wrapped->value['i'].text.len
				   ? wrapped->value['i'].text
				   : span_of("{}");
	all = alloc_zero(count + 1, sizeof(*all));
	for (i = 0; i < count; i++) {
		all[i] = words[i];
		if (holds(words[i].text, replaced))
			all[i].known = false;
	}
	all[count] = (struct shell_word){ .text = span_of("{}"),
					  .at = words[count - 1].at };
	run_behind(run, wrapped->unsure, all, count + 1);
}

static void run_lock(const struct running *run, const struct wrapped *wrapped,
		     const struct shell_word *words, size_t count)
{
	if (wrapped->value['c'].text.data)
		running_joined(run, &wrapped->value['c'], 1);
	if (count > 1 &&
	    (span_is(words->text, "-c") || span_is(words->text, "--command")))
		running_joined(run, words + 1, 1);
	else
		run_behind(run, wrapped->unsure, words, count);
}

static void run_script(const struct running *run, const struct wrapped *wrapped,
		       const struct shell_word *words, size_t count)
{
	struct running inner = *run;
	size_t i;

	if (wrapped->value['c'].text.data)
		running_joined(run, &wrapped->value['c'], 1);
	/* Options may follow its operands, which may be a program. */
	running_any(run, words, count);
	inner.asked = true;
	for (i = 0; i < count && i < 2; i++)
		running_words(&inner, words + i, count - i);
}

/* Those whose options are none of ours: what looks like no option may run. */
static void run_unknown(const struct running *run,
			const struct shell_word *words, size_t count)
{
	size_t i = 1;

	while (i < count && span_starts(words[i].text, "-"))
		i++;
	running_any(run, words + 1, i - 1);
	run_behind(run, true, words + i, count - i);
}

void running_wrapped(const struct running *run, const struct wrapper *wrapper,
		     const struct shell_word *words, size_t count)
{
	autofree struct wrapped *wrapped = alloc_zero(1, sizeof(*wrapped));
	size_t skip;

	if (wrapper->beyond)
		running_unparsed(run, "%s", wrapper->beyond);
	if (wrapper->form == WRAPS_NOTHING)
		return;
	if (wrapper->form == WRAPS_UNKNOWN) {
		run_unknown(run, words, count);
		return;
	}
	wrapper_options(wrapped, wrapper, words, count);
	say_unsure(run, wrapped, words);
	skip = wrapped->next + wrapper->operands;
	skip = skip < count ? skip : count;
	running_written(run, words + 1, skip - 1);
	wrapped->unsure = wrapped->unsure || wrapper->form == WRAPS_EITHER;
	if (wrapper->form == WRAPS_ENV)
		run_env(run, wrapped, words + skip, count - skip);
	else if (wrapper->form == WRAPS_INPUT)
		run_xargs(run, wrapped, words + skip, count - skip);
	else if (wrapper->form == WRAPS_LOCK)
		run_lock(run, wrapped, words + skip, count - skip);
	else if (wrapper->form == WRAPS_SCRIPT)
		run_script(run, wrapped, words + skip, count - skip);
	else if (wrapper->form == WRAPS_STRING && !wrapped->flag['x'])
		running_joined(run, words + skip, count - skip);
	else if (wrapper->form != WRAPS_LOOKUP || wrapped->unsure ||
		 (!wrapped->flag['v'] && !wrapped->flag['V']))
		run_behind(run, wrapped->unsure, words + skip, count - skip);
	/* To newer ones the priority is needless with some options. */
	if (span_is(span_of(wrapper->names), "chrt") && skip > wrapped->next &&
	    (*words[skip - 1].text.data < '0' ||
	     *words[skip - 1].text.data > '9'))
		running_words(run, words + skip - 1, count - skip + 1);
}

/* ---- shells ------------------------------------------------------------- */

/* A script is a program of its own, by its path. */
static void run_file(const struct running *run, const struct shell_word *file)
{
	autofree char *path = NULL;

	if (!file->known) {
		running_unparsed(run,
				 "byte %zu: a shell's script that is not "
				 "written out",
				 file->at);
		return;
	}
	if (running_input(file->text))
		running_unparsed(run, "a shell that reads its input");
	if (file->text.len && memchr(file->text.data, '/', file->text.len)) {
		running_name(run, file->text);
		return;
	}
	/* One that is not here is looked for along PATH. */
	path = alloc_text("./%s", file->text.data);
	running_name(run, span_of(path));
	running_name(run, file->text);
}

void running_shell(const struct running *run, const struct wrapper *shell,
		   const struct shell_word *words, size_t count)
{
	autofree struct wrapped *wrapped = alloc_zero(1, sizeof(*wrapped));
	size_t i;

	wrapper_options(wrapped, shell, words, count);
	running_written(run, words + 1, wrapped->next - 1);
	say_unsure(run, wrapped, words);
	if (shell->beyond)
		running_unparsed(run, "%s", shell->beyond);
	i = wrapped->next;
	for (; i < count && !span_is(words[i - 1].text, "--"); i++) {
		if (span_starts(words[i].text, "+"))
			wrapped->unsure = true;
		else if (!span_is(words[i].text, "-"))
			break;
	}
	if (i == count)
		running_unparsed(run, "a shell that reads its input");
	else if (wrapped->flag['c'])
		running_joined(run, &words[i], 1);
	else
		run_file(run, &words[i]);
	if (!wrapped->unsure)
		return;
	running_unparsed(run, "a shell with options that are not known");
	/* Any of the others may be the string. */
	running_any(run, words + 1, count - 1);
}
