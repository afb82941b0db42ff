/* SPDX-License-Identifier: ISC */
#include "call/gitcommand.h"

#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "call/call.h"
#include "call/command.h"
#include "call/gitoption.h"
#include "call/running.h"
#include "call/wrapper.h"
#include "policy/action.h"

/*
 * The commands of git 2.39, and of later ones up to 2.47, whose words say all
 * that they run.  None of them can be an alias: git looks for its own first.
 */
static const char plain[] =
	"add am annotate apply archive bisect blame branch bundle cat-file "
	"check-attr check-ignore check-mailmap check-ref-format checkout "
	"cherry cherry-pick clean clone column commit commit-graph commit-tree "
	"config count-objects describe diff diff-files diff-index diff-tree "
	"fetch for-each-ref format-patch fsck fsck-objects gc grep hash-object "
	"help init init-db log ls-files ls-remote ls-tree maintenance merge "
	"merge-base merge-file merge-tree mktag mktree mv name-rev notes "
	"pack-refs patch-id prune pull push range-diff read-tree rebase reflog "
	"remote repack replace reset restore rev-list rev-parse revert rm "
	"shortlog show show-branch show-index show-ref sparse-checkout stage "
	"stash status stripspace submodule switch symbolic-ref tag "
	"update-index update-ref var verify-commit verify-pack verify-tag "
	"version whatchanged worktree write-tree";

/* Its others: they run programs, serve, or are made for scripts.  Some of them
 * are not in every version, where an alias can have the name. */
static const char others[] =
	"add--interactive archimport backfill bisect--helper bugreport "
	"checkout--worker checkout-index citool credential credential-cache "
	"credential-cache--daemon credential-store cvsexportcommit "
	"cvsimport cvsserver daemon diagnose diff-pairs difftool "
	"difftool--helper env--helper fast-export fast-import fetch-pack "
	"filter-branch fmt-merge-msg for-each-repo fsmonitor--daemon "
	"get-tar-commit-id gui hook http-backend http-fetch http-push "
	"imap-send index-pack instaweb interpret-trailers mailinfo "
	"mailsplit merge-index merge-octopus merge-one-file merge-ours "
	"merge-recursive merge-recursive-ours merge-recursive-theirs "
	"merge-resolve merge-subtree mergetool multi-pack-index p4 "
	"pack-objects pack-redundant pickaxe prune-packed quiltimport "
	"receive-pack refs remote-ext remote-fd remote-ftp remote-ftps "
	"remote-http remote-https replay request-pull rerere send-email "
	"send-pack sh-i18n--envsubst shell submodule--helper subtree svn "
	"unpack-file unpack-objects update-server-info upload-archive "
	"upload-archive--writer upload-pack web--browse";

/* Commands that are others as well, or in part. */
static const struct {
	const char *command;
	const char *too;
} same[] = {
	{ "annotate", "blame" },    { "pickaxe", "blame" },
	{ "fsck-objects", "fsck" }, { "init-db", "init" },
	{ "stage", "add" },         { "pull", "fetch" },
	{ "fetch-pack", "fetch" },  { "http-fetch", "fetch" },
	{ "send-pack", "push" },    { "http-push", "push" },
};

static bool is_own(struct span command)
{
	return listed(plain, command) || listed(others, command);
}

static void want(const struct running *run, struct span command,
		 const char *more)
{
	autobuf struct buf action = { 0 };

	buf_adds(&action, "git");
	action_add(&action, command);
	buf_adds(&action, more);
	call_want(run->call, buf_span(&action), (struct span){ NULL, 0 });
}

static void want_command(const struct running *run, struct span command)
{
	size_t i;

	want(run, command, "");
	for (i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (span_is(command, same[i].command))
			want(run, span_of(same[i].too), "");
}

/* ---- commands that have commands ---------------------------------------- */

/* Where in @words the first one is that is no option. */
static size_t skip_options(const struct running *run,
			   const struct shell_word *words, size_t count)
{
	size_t i = 0;

	while (i < count && (span_starts(words[i].text, "-") ||
			     gitoption_possible(&words[i])))
		running_written(run, &words[i++], 1);
	return i;
}

/* git bisect run WORD..., git submodule foreach [--recursive] WORD... */
static void take_runner(const struct running *run, struct span command,
			const struct shell_word *words, size_t count)
{
	size_t at = skip_options(run, words, count);

	words += at;
	count -= at;
	if (!count)
		return;
	if (span_is(command, "bisect") &&
	    listed("run visualize view", words->text)) {
		running_unparsed(run, "git bisect %s", words->text.data);
		if (span_is(words->text, "run"))
			running_words(run, words + 1, count - 1);
	} else if (span_is(command, "submodule") &&
		   span_is(words->text, "foreach")) {
		running_unparsed(run, "git submodule foreach");
		at = 1 + skip_options(run, words + 1, count - 1);
		running_joined(run, words + at, count - at);
	}
}

/* Whether git stash WORD... throws away what was stashed. */
static bool drops(const struct shell_word *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (gitoption_possible(&words[i]) ||
		    listed("drop clear", words[i].text))
			return true;
		if (!span_starts(words[i].text, "-"))
			return false;
	}
	return false;
}

/* Settings of git that name no program. */
static const char harmless[] =
	"user.name user.email init.defaultBranch pull.rebase pull.ff "
	"core.autocrlf core.fileMode core.quotePath core.ignoreCase color.ui "
	"commit.gpgSign push.default push.autoSetupRemote rerere.enabled "
	"advice.detachedHead fetch.prune merge.conflictStyle diff.algorithm";

/* A setting can name a program that any later git runs. */
static void take_config(const struct running *run,
			const struct shell_word *words, size_t count)
{
	size_t i = 0;

	while (i < count && words[i].known &&
	       listed("--global --local --system --worktree --add --bool --int "
		      "set",
		      words[i].text))
		i++;
	if (i < count && words[i].known &&
	    (listed("--get --get-all --get-regexp --list -l get list",
		    words[i].text) ||
	     listed(harmless, words[i].text) ||
	     (i + 1 == count && !span_starts(words[i].text, "-"))))
		return;
	running_unparsed(run, "git config, which can name a program");
	running_any(run, words, count);
}

/* ---- command lines ------------------------------------------------------ */

/* The command @word with @words behind it. */
static void run_command(const struct running *run,
			const struct shell_word *word,
			const struct shell_word *words, size_t count)
{
	struct span command = word->text;
	bool own = is_own(command);
	struct gitoption_marks marks;

	if (!own)
		want(run, span_of("unknown"), "");
	if (command.len)
		want_command(run, command);
	if (!own)
		running_unparsed(run,
				 "byte %zu: a command of git that may be "
				 "an alias",
				 word->at);
	else if (!listed(plain, command))
		running_unparsed(run, "git %s, which can run programs",
				 command.data);
	if (listed("bisect submodule", command))
		take_runner(run, command, words, count);
	if (span_is(command, "config") && count)
		take_config(run, words, count);
	marks = gitoption_check(run, command, own, words, count);
	if (span_is(command, "stash"))
		marks.deletes = drops(words, count);
	if (marks.deletes)
		want(run, command, ".delete");
	if (marks.forces)
		want(run, command, ".force");
}

/* What the options at the start of @words have git run. */
static void take_settings(const struct running *run,
			  const struct wrapped *wrapped,
			  const struct shell_word *words)
{
	size_t i;

	running_written(run, words + 1, wrapped->next - 1);
	if (wrapped->value['c'].text.data || wrapped->value['x'].text.data)
		running_unparsed(run, "git with settings of its own");
	/* There may be more than one of them. */
	for (i = 1; wrapped->value['c'].text.data && i < wrapped->next; i++)
		gitoption_setting(run, words[i].text);
}

static void check_place(const struct running *run, struct span directory)
{
	if (directory.data &&
	    !command_in_project(directory.data, run->projects))
		running_unparsed(
			run, "git in a directory outside of the project%s",
			command_outside(directory.data, run->projects));
}

/* A command of git's changes the project, if that is where it runs. */
static void check_places(const struct running *run,
			 const struct wrapped *wrapped,
			 const struct shell_word *words)
{
	size_t i;

	check_place(run, wrapped->value['g'].text);
	check_place(run, wrapped->value['w'].text);
	/* Each of them starts from the one before. */
	for (i = 1; i + 1 < wrapped->next; i++)
		if (span_is(words[i].text, "-C"))
			check_place(run, words[i + 1].text);
}

/* Behind an option that is not known, any word may be the command. */
static void want_any(const struct running *run, const struct shell_word *words,
		     size_t count)
{
	size_t i;

	running_unparsed(run, "an option of git that is not known");
	for (i = 0; i < count; i++)
		if (is_own(words[i].text))
			want_command(run, words[i].text);
}

void gitcommand_run(const struct running *run, const struct wrapper *git,
		    const struct shell_word *words, size_t count)
{
	autofree struct wrapped *wrapped = alloc_zero(1, sizeof(*wrapped));
	const char *alone = "help";

	if (run->adrift)
		running_unparsed(run, "git where the directory is not known");
	if (run->directory)
		check_place(run, span_of(run->directory));
	for (;;) {
		wrapper_options(wrapped, git, words, count);
		take_settings(run, wrapped, words);
		check_places(run, wrapped, words);
		words += wrapped->next;
		count -= wrapped->next;
		if (wrapped->unsure)
			want_any(run, words, count);
		if (!count || words->known)
			break;
		/* It may be a command, or options, or nothing at all. */
		want(run, span_of("unknown"), "");
		running_unparsed(run,
				 "byte %zu: a command of git that is not "
				 "written out",
				 words->at);
		alone = "unknown";
	}
	/* git --help WORD shows the manual of it, as git help does. */
	if (wrapped->flag['v'])
		want(run, span_of("version"), "");
	else if (!count || wrapped->flag['h'])
		want(run, span_of(wrapped->flag['h'] ? "help" : alone), "");
	else
		run_command(run, words, words + 1, count - 1);
}

void gitcommand_dashed(const struct running *run,
		       const struct shell_word *words, size_t count)
{
	struct shell_word command = *words;
	size_t at = command.text.len;

	while (at && command.text.data[at - 1] != '/')
		at--;
	command.text = span_from(command.text, at);
	if (!span_starts(command.text, "git-"))
		return;
	command.text = span_from(command.text, strlen("git-"));
	if (is_own(command.text))
		run_command(run, &command, words + 1, count - 1);
}
