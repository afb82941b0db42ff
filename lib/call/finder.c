/* SPDX-License-Identifier: ISC */
/* find, which runs others only by some of its arguments. */
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "call/running.h"
#include "call/wrapper.h"

/* How many words a find's action has, up to its ; or +. */
static size_t action_len(const struct shell_word *words, size_t count)
{
	size_t len = 0;

	while (len < count && !span_is(words[len].text, ";") &&
	       !(span_is(words[len].text, "+") && len &&
		 span_is(words[len - 1].text, "{}")))
		len++;
	return len;
}

static size_t run_action(const struct running *run, struct span option,
			 const struct shell_word *words, size_t count)
{
	size_t len = action_len(words, count);
	autofree struct shell_word *all = alloc_zero(len + 1, sizeof(*all));
	struct running there = *run;
	size_t i;

	running_unparsed(run, "find %.*s", (int)option.len, option.data);
	for (i = 0; i < len; i++) {
		all[i] = words[i];
		/* Names of files come in its place. */
		if (memmem(words[i].text.data, words[i].text.len, "{}", 2))
			all[i].known = false;
	}
	there.adrift = there.adrift || listed("-execdir -okdir", option);
	running_words(&there, all, len);
	return len;
}

void running_find(const struct running *run, const struct shell_word *words,
		  size_t count)
{
	size_t i;

	for (i = 1; i < count; i++) {
		struct span option = words[i].text;

		if (!words[i].known && (!words[i].quoted || words[i].split ||
					!span_starts(option, "/")))
			running_unparsed(run,
					 "byte %zu: a word of find that "
					 "is not written out",
					 words[i].at);
		if (listed("-exec -execdir -ok -okdir", option)) {
			i += run_action(run, option, words + i + 1,
					count - i - 1);
		} else if (listed("-delete -fls -fprint -fprint0 -fprintf "
				  "-files0-from",
				  option)) {
			running_unparsed(run, "find %.*s", (int)option.len,
					 option.data);
			if (span_starts(option, "-f") && i + 1 < count)
				running_file(run, &words[i + 1],
					     !span_starts(option, "-files"));
		}
	}
}
