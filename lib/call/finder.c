/* SPDX-License-Identifier: ISC */
/* find and git, which run others only by some of their arguments. */
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "call/running.h"
#include "call/wrapper.h"

/* ---- find --------------------------------------------------------------- */

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

		if (!words[i].known &&
		    (!words[i].quoted || !span_starts(option, "/")))
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

/* ---- git ---------------------------------------------------------------- */

/* Its own commands, none of which runs what its words say but those below. */
static const char git_own[] =
	"add am annotate apply archive bisect blame branch bundle cat-file "
	"check-attr check-ignore checkout cherry cherry-pick clean clone "
	"commit commit-graph commit-tree config count-objects describe diff "
	"diff-files diff-index diff-tree fetch for-each-ref format-patch fsck "
	"gc grep hash-object help init log ls-files ls-remote ls-tree "
	"maintenance merge merge-base merge-file merge-tree mktag mktree mv "
	"name-rev notes pack-refs prune pull push range-diff read-tree rebase "
	"reflog remote repack replace reset restore rev-list rev-parse revert "
	"rm shortlog show show-branch show-ref sparse-checkout stash status "
	"stripspace submodule switch symbolic-ref tag update-index update-ref "
	"var verify-commit verify-tag version whatchanged worktree write-tree";

/* Options of theirs that name a program. */
static const char git_programs[] =
	"-x --exec --upload-pack --receive-pack --open-files-in-pager "
	"--ext-diff --textconv --extcmd -u --tree-filter --strategy -s "
	"--upload-archive --config -c --template --separate-git-dir";

static struct span option_name(struct span text)
{
	const char *is = text.len ? memchr(text.data, '=', text.len) : NULL;

	if (is)
		text.len = (size_t)(is - text.data);
	return text;
}

static void check_git_words(const struct running *run, struct span command,
			    const struct shell_word *words, size_t count)
{
	/* To the others -c, -s, -u and -x are something else. */
	bool programs = listed("rebase difftool clone fetch pull archive "
			       "ls-remote",
			       command);
	size_t i;

	for (i = 0; i < count; i++) {
		struct span text = words[i].text;
		struct span name = option_name(text);

		if (programs && running_option(&words[i]))
			running_written(run, &words[i], 1);
		if (!listed(git_programs, name) || (name.len == 2 && !programs))
			continue;
		running_unparsed(run, "git %.*s %.*s", (int)command.len,
				 command.data, (int)name.len, name.data);
		if (name.len < text.len)
			running_string(run, span_from(text, name.len + 1));
		else if (i + 1 < count)
			running_string(run, words[i + 1].text);
	}
}

/* git COMMAND WORD...; words[0] is the command. */
static void run_git_command(const struct running *run,
			    const struct shell_word *words, size_t count)
{
	struct span command = words->text;
	bool known = words->known && listed(git_own, command);

	if (!known)
		running_unparsed(run,
				 "byte %zu: a command of git that may be "
				 "an alias",
				 words->at);
	if (span_is(command, "bisect") && count > 2 &&
	    span_is(words[1].text, "run")) {
		running_unparsed(run, "git bisect run");
		running_words(run, words + 2, count - 2);
	}
	if (span_is(command, "submodule") && count > 2 &&
	    span_is(words[1].text, "foreach")) {
		running_unparsed(run, "git submodule foreach");
		running_joined(run, words + 2, count - 2);
	}
	check_git_words(run, command, words + 1, count - 1);
}

void running_git(const struct running *run, const struct wrapper *git,
		 const struct shell_word *words, size_t count)
{
	autofree struct wrapped *wrapped = alloc_zero(1, sizeof(*wrapped));

	wrapper_options(wrapped, git, words, count);
	running_written(run, words + 1, wrapped->next - 1);
	if (wrapped->unsure)
		running_unparsed(run, "an option of git that is not known");
	if (wrapped->value['c'].text.data || wrapped->value['x'].text.data)
		running_unparsed(run, "git with settings of its own");
	if (wrapped->value['c'].text.data) {
		struct span text = wrapped->value['c'].text;
		const char *bang = memchr(text.data, '!', text.len);

		if (bang)
			running_string(
				run, span_from(text,
					       (size_t)(bang + 1 - text.data)));
	}
	if (wrapped->next < count)
		run_git_command(run, words + wrapped->next,
				count - wrapped->next);
}
