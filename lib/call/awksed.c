/* SPDX-License-Identifier: ISC */
/* awk and sed, which have a program among their words. */
#include <string.h>

#include "call/running.h"
#include "call/wrapper.h"

static void check_awk(const struct running *run, const struct shell_word *word)
{
	struct span text = word->text;
	size_t i;

	if (!word->known || memmem(text.data, text.len, "system", 6) ||
	    memmem(text.data, text.len, "getline", 7)) {
		running_switch(run, span_of("awk"),
			       span_of("with its program"));
		return;
	}
	for (i = 0; i < text.len; i++)
		if (text.data[i] && strchr("|>@", text.data[i])) {
			running_switch(run, span_of("awk"),
				       span_of("with its program"));
			return;
		}
}

/* What is behind the closing delimiter of an s command. */
static const char *behind_s(const char *at)
{
	char close = *at;
	int parts = 0;

	if (!close || close == '\\' || close == '\n')
		return NULL;
	for (at++; *at && parts < 2; at++) {
		if (*at == '\\' && at[1])
			at++;
		/* In a bracket the delimiter is none to some versions. */
		else if (*at == '[')
			return NULL;
		else if (*at == close)
			parts++;
	}
	return parts == 2 ? at : NULL;
}

/* Whether @at is what runs nothing and writes nothing: addresses that are
 * numbers, then s, p, d, q or =. */
static bool is_plain_sed(const char *at)
{
	for (;;) {
		at += strspn(at, " ;\n");
		at += strspn(at, "0123456789,$ ");
		if (*at == 's') {
			at = behind_s(at + 1);
			if (!at)
				return false;
			at += strspn(at, "gpiI0123456789");
		} else if (*at && strchr("pdq=", *at)) {
			at++;
		} else {
			return !*at;
		}
		at += strspn(at, " ");
		if (*at && *at != ';' && *at != '\n')
			return false;
	}
}

/* Options that may run programs, or name a script that is elsewhere. */
static bool is_odd_awk(struct span option)
{
	return !span_is(option, "--") && !span_starts(option, "-F") &&
	       !span_starts(option, "-v");
}

static bool is_odd_sed(struct span option)
{
	return !listed("-n -i -E -r -s -z -u --posix --sandbox --quiet "
		       "--silent --regexp-extended --debug -ni -nE -nr -Ei "
		       "-ri -i.bak -- --in-place",
		       option);
}

/* The program is the first word, or what -e has. */
void running_script(const struct running *run, struct span name,
		    const struct shell_word *words, size_t count)
{
	bool sed = listed("sed gsed", name);
	bool found = false;
	size_t i;

	for (i = 1; i < count; i++) {
		bool option = span_starts(words[i].text, "-");

		if (sed && (span_is(words[i].text, "-e") ||
			    span_is(words[i].text, "-ne")))
			found = false;
		else if (!sed && !found && listed("-F -v", words[i].text))
			i++;
		else if (option && (sed ? is_odd_sed(words[i].text)
					: !found && is_odd_awk(words[i].text)))
			running_switch(run, words->text, words[i].text);
		else if (!option && !found) {
			found = true;
			if (!sed)
				check_awk(run, &words[i]);
			else if (!words[i].known ||
				 !is_plain_sed(words[i].text.data))
				running_switch(run, words->text,
					       span_of("with its script"));
		}
	}
}
