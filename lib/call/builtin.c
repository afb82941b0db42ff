/* SPDX-License-Identifier: ISC */
/* What a shell does itself, and what variables change. */
#include <string.h>

#include "call/call.h"
#include "call/running.h"
#include "call/wrapper.h"

/*
 * Variables that change no program that is run, nor what a program runs.  A
 * list of the dangerous ones would be out of date with the next program, so
 * that all others are taken for one.
 */
static const char harmless[] =
	"LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY "
	"LC_NUMERIC LC_TIME TZ TERM COLORTERM COLUMNS LINES CI NO_COLOR "
	"FORCE_COLOR CLICOLOR CLICOLOR_FORCE AWS_REGION AWS_DEFAULT_REGION "
	"PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED "
	"RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR NODE_ENV GOOS GOARCH GOARM "
	"CGO_ENABLED GO111MODULE GOMAXPROCS OMP_NUM_THREADS "
	"SOURCE_DATE_EPOCH RAILS_ENV RACK_ENV";

/* What they do stays within the shell, or only prints. */
static const char own[] =
	"cd chdir true false : echo printf test [ exit return break continue shift "
	"pwd read wait umask ulimit getopts export readonly set type times "
	"kill logout";

/* They change what later words mean, or run text. */
static const char odd[] =
	". source eval alias unalias trap hash enable bind complete compgen "
	"compopt unset pushd popd dirs fc history let mapfile readarray shopt "
	"autoload zmodload sched setopt unsetopt emulate functions zle "
	"bindkey declare typeset local float integer nameref coproc [[ "
	"suspend disown caller whence zcompile rehash unhash print function "
	"jobs compctl zpty zstyle zparseopts zformat vared getln pushln private r "
	"zregexparse compset compadd compquote compdescribe global compound "
	"enum";

static bool is_value(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || (c && strchr("_.@:,+=-", c)) ||
		      (c == '/' && i && text.data[i - 1] != '.')))
			return false;
	}
	return true;
}

void running_variable(const struct running *run, struct span name,
		      const struct shell_word *value)
{
	int len = (int)(name.len < 40 ? name.len : 40);

	if (!call_look(run->call, 1, value->text.len))
		return;
	if (!listed(harmless, name))
		running_unparsed(run,
				 "the variable %.*s, which may change "
				 "what is run",
				 len, name.data);
	else if (!value->known || !is_value(value->text))
		running_unparsed(run, "the value of %.*s", len, name.data);
}

/* Strings that the shell runs now or later. */
static void run_text(const struct running *run, const struct shell_word *words,
		     size_t count)
{
	struct span name = words->text;
	size_t i = 1;

	while (i < count && span_starts(words[i].text, "-"))
		i++;
	/* jobs -x runs its words. */
	if (span_is(name, "jobs"))
		running_words(run, words + i, count - i);
	if (span_is(name, "eval"))
		running_joined(run, words + i, count - i);
	if (span_is(name, "trap") && i < count)
		running_joined(run, words + i, 1);
	for (; span_is(name, "alias") && i < count; i++) {
		struct span text = words[i].text;
		const char *is = memchr(text.data, '=', text.len);

		if (is)
			running_string(
				run,
				span_from(text, (size_t)(is + 1 - text.data)));
	}
}

/* export NAME=VALUE is an assignment. */
static void take_exports(const struct running *run,
			 const struct shell_word *words, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++) {
		struct span name = words[i].text;
		const char *is = name.len ? memchr(name.data, '=', name.len)
					  : NULL;
		struct shell_word value = words[i];

		if (is) {
			name.len = (size_t)(is - name.data);
			value.text = span_from(value.text, name.len + 1);
		}
		running_variable(run, name, &value);
	}
}

static bool is_plain_name(const struct shell_word *word)
{
	size_t i;

	if (!word->known)
		return false;
	for (i = 0; i < word->text.len; i++) {
		char c = word->text.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      (c >= 'A' && c <= 'Z') || c == '_' || c == '-'))
			return false;
	}
	return true;
}

/* A subscript that they are given is calculated, and can run programs. */
static void check_subscripts(const struct running *run,
			     const struct shell_word *words, size_t count)
{
	struct span name = words->text;
	size_t i;

	for (i = 1; i < count && !span_is(name, "echo"); i++) {
		struct span text = words[i].text;

		if (text.len && memchr(text.data, '[', text.len) &&
		    (memchr(text.data, '$', text.len) ||
		     memchr(text.data, '`', text.len)))
			running_unparsed(run,
					 "byte %zu: what %.*s may "
					 "calculate",
					 words[i].at, (int)name.len, name.data);
	}
}

static bool is_one_of(const char *set, char c)
{
	return c && strchr(set, c);
}

static bool is_number(const struct shell_word *word)
{
	size_t i;

	for (i = 0; i < word->text.len; i++)
		if (!is_one_of("0123456789+-.", word->text.data[i]))
			return listed("$? $# $! $$", word->text);
	return true;
}

/* Whether a format of printf has only conversions that take text. */
static bool takes_text(struct span format)
{
	size_t i;

	for (i = 0; i + 1 < format.len; i++) {
		if (format.data[i] != '%')
			continue;
		do {
			i++;
		} while (i + 1 < format.len &&
			 is_one_of("0123456789.-", format.data[i]));
		if (!is_one_of("sbqc%", format.data[i]))
			return false;
	}
	return true;
}

/* What is no number where one is wanted is calculated by zsh, by which
 * variables are set. */
static void check_numbers(const struct running *run,
			  const struct shell_word *words, size_t count)
{
	struct span name = words->text;
	bool tests = listed("test [", name);
	bool prints = span_is(name, "printf");
	size_t i;

	if (prints &&
	    (count < 2 || (words[1].known && takes_text(words[1].text))))
		return;
	for (i = prints ? 2 : 1; i < count; i++) {
		bool wanted =
			!tests ||
			listed("-eq -ne -lt -le -gt -ge -t",
			       words[i - 1].text) ||
			(i + 1 < count &&
			 listed("-eq -ne -lt -le -gt -ge", words[i + 1].text));

		if (wanted && !is_number(&words[i]))
			running_unparsed(run,
					 "byte %zu: what %.*s may "
					 "calculate",
					 words[i].at, (int)name.len, name.data);
	}
}

/* What is written to a variable, of which PATH is one. */
static void check_names(const struct running *run,
			const struct shell_word *words, size_t count)
{
	struct span name = words->text;
	bool tests = span_is(name, "test") || span_is(name, "[");
	size_t i;

	for (i = 1; i < count; i++) {
		struct span text = words[i].text;
		bool odd_word;

		if (tests || span_is(name, "printf"))
			odd_word = span_starts(text, "-v") ||
				   (tests && span_is(text, "-R")) ||
				   (!words[i].known &&
				    (!words[i].quoted || words[i].split));
		else if (span_is(name, "wait"))
			odd_word = (running_option(&words[i]) &&
				    !span_is(text, "$!")) ||
				   (span_starts(text, "-") &&
				    memchr(text.data, 'p', text.len));
		else
			/* A variable that they set can be PATH. */
			odd_word = !is_plain_name(&words[i]) ||
				   !span_starts(text, "-");
		if (odd_word)
			running_unparsed(run,
					 "byte %zu: what %.*s may "
					 "calculate",
					 words[i].at, (int)name.len, name.data);
	}
}

void running_builtin(const struct running *run, const struct shell_word *words,
		     size_t count)
{
	struct span name = words->text;

	if (listed(odd, name)) {
		running_unparsed(run, "%.*s, which changes what is run",
				 (int)name.len, name.data);
		run_text(run, words, count);
		return;
	}
	if (!listed(own, name))
		return;
	check_subscripts(run, words, count);
	if (listed("printf test [ exit return break continue shift logout",
		   name))
		check_numbers(run, words, count);
	if (span_is(name, "export") || span_is(name, "readonly")) {
		take_exports(run, words, count);
	} else if (listed("test [ printf read getopts wait", name)) {
		check_names(run, words, count);
	} else if (span_is(name, "set") && count > 1) {
		size_t i;

		for (i = 1; i < count; i++)
			if (!words[i].known ||
			    !listed("-e -u -x -eu -ex -eux -euo -euxo -o +x +e "
				    "-v pipefail errexit nounset xtrace",
				    words[i].text))
				running_unparsed(run, "an option of set");
	}
}
