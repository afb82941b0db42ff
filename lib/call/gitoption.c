/* SPDX-License-Identifier: ISC */
#include "call/gitoption.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "call/running.h"
#include "call/wrapper.h"

enum means {
	RUNS,       /* its argument is a command */
	RUNS_THIS,  /* the same, where it is in the same word */
	CONFIGURES, /* its argument is a setting */
	MERGES,     /* its argument is a strategy, which can be a program */
	DOUBTS,     /* what it does is not among the words */
	WRITES,     /* its argument is a file */
	DELETES,
	FORCES,
};

/*
 * Of git 2.39.  Values are the letters behind which a word goes on with an
 * argument, so that -mfix is not -f; one that is left out makes more of a word
 * than there is, and never less.
 */
static const struct row {
	const char *commands; /* "": all of them */
	const char *longs;
	const char *letters;
	const char *values;
	enum means means;
} rows[] = {
	{ "rebase", "exec", "x", "CXs", RUNS },
	{ "clone", "upload-pack", "u", "objc", RUNS },
	{ "fetch pull ls-remote fetch-pack", "upload-pack", "", "", RUNS },
	{ "push send-pack", "receive-pack", "", "", RUNS },
	{ "ls-remote push archive fetch-pack send-pack", "exec", "", "", RUNS },
	{ "difftool", "extcmd", "x", "t", RUNS },
	{ "filter-branch",
	  "setup env-filter tree-filter index-filter parent-filter msg-filter "
	  "commit-filter tag-name-filter",
	  "", "", RUNS },
	{ "grep", "open-files-in-pager", "O", "efABCm", RUNS_THIS },
	{ "clone", "config", "c", "obju", CONFIGURES },
	{ "merge pull rebase", "strategy", "s", "mFXCxj", MERGES },
	{ "cherry-pick revert", "strategy", "", "", MERGES },
	{ "clone init init-db", "template separate-git-dir", "", "", DOUBTS },
	{ "archive", "remote", "", "", DOUBTS },
	{ "apply", "unsafe-paths", "", "", DOUBTS },
	{ "cat-file", "filters", "", "", DOUBTS },
	{ "", "ext-diff textconv", "", "", DOUBTS },
	{ "diff diff-files diff-index diff-tree log range-diff reflog show "
	  "stash whatchanged",
	  "output", "", "", WRITES },
	{ "archive format-patch", "output output-directory", "o", "", WRITES },
	{ "branch", "delete", "dD", "u", DELETES },
	{ "tag", "delete", "d", "mFu", DELETES },
	{ "push", "delete prune mirror", "d", "o", DELETES },
	{ "push", "force force-with-lease force-if-includes mirror", "f", "o",
	  FORCES },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/* The strategies that are git's own, and no git-merge-NAME along PATH. */
static const char strategies[] = "octopus ort ours recursive resolve subtree";

struct checking {
	const struct running *run;
	struct span command;
	struct gitoption_marks marks;
	bool applies[ROWS];
};

bool gitoption_possible(const struct shell_word *word)
{
	struct span text = word->text;

	/* What is quoted stays one word, that begins as it is written. */
	return running_option(word) &&
	       !(word->quoted && !word->split && text.len &&
		 !strchr("$`{-*?[", *text.data));
}

/* Whether @text has an option of @row; what is behind it becomes @value, of
 * which data is NULL where the word ends. */
static bool has_option(const struct row *row, struct span text,
		       struct span *value)
{
	size_t i;

	*value = (struct span){ NULL, 0 };
	if (span_starts(text, "--")) {
		struct span name = span_from(text, 2);
		const char *is = name.len ? memchr(name.data, '=', name.len)
					  : NULL;

		if (is) {
			name.len = (size_t)(is - name.data);
			*value = span_from(text, name.len + 3);
		}
		/* --text is an option of its own, and not --textconv. */
		return !span_is(name, "text") && listed_begin(row->longs, name);
	}
	for (i = 1; span_starts(text, "-") && i < text.len; i++) {
		char letter = text.data[i];

		if (letter && strchr(row->letters, letter)) {
			if (i + 1 < text.len)
				*value = span_from(text, i + 1);
			return true;
		}
		if (letter && strchr(row->values, letter))
			return false;
	}
	return false;
}

static void say(const struct checking *checking, struct span option)
{
	struct span command = checking->command;

	running_unparsed(checking->run, "git %.*s %.*s, which can run programs",
			 (int)(command.len < 20 ? command.len : 20),
			 command.data, (int)(option.len < 40 ? option.len : 40),
			 option.data);
}

static void take_strategy(struct checking *checking, struct span option,
			  const struct shell_word *value)
{
	autofree char *program = NULL;

	if (value->known && listed(strategies, value->text))
		return;
	say(checking, option);
	if (!value->known || !value->text.len)
		return;
	program = alloc_text("git-merge-%s", value->text.data);
	running_name(checking->run, span_of(program));
}

void gitoption_setting(const struct running *run, struct span setting)
{
	const char *is = setting.len ? memchr(setting.data, '=', setting.len)
				     : NULL;
	autobuf struct buf text = { 0 };
	struct span value;

	if (!is)
		return;
	value = span_from(setting, (size_t)(is + 1 - setting.data));
	if (span_starts(value, "!")) {
		running_string(run, span_from(value, 1));
	} else if (setting.len > 6 && !strncasecmp(setting.data, "alias.", 6)) {
		buf_adds(&text, "git ");
		buf_add(&text, value);
		running_string(run, buf_span(&text));
	}
}

/* The option @option with @value, which is empty if there is none. */
static void take_option(struct checking *checking, enum means means,
			struct span option, const struct shell_word *value)
{
	if (means == DELETES) {
		checking->marks.deletes = true;
	} else if (means == FORCES) {
		checking->marks.forces = true;
	} else if (means == WRITES) {
		if (value->text.len)
			running_file(checking->run, value, true);
	} else if (means == MERGES) {
		take_strategy(checking, option, value);
	} else if (means == CONFIGURES) {
		say(checking, option);
		gitoption_setting(checking->run, value->text);
	} else {
		say(checking, option);
		if (means != DOUBTS && value->text.len)
			running_string(checking->run, value->text);
	}
}

static void take_word(struct checking *checking, const struct shell_word *words,
		      size_t count)
{
	bool ran = false;
	size_t i;

	for (i = 0; i < ROWS; i++) {
		struct shell_word value = { .known = true };
		struct span behind;

		if (!checking->applies[i] ||
		    !has_option(&rows[i], words->text, &behind))
			continue;
		/* A command that is run twice costs twice at each depth. */
		if (rows[i].means == RUNS && ran)
			continue;
		ran = ran || rows[i].means == RUNS;
		if (behind.data) {
			value = *words;
			value.text = behind;
		} else if (count > 1 && rows[i].means != RUNS_THIS) {
			value = words[1];
		}
		take_option(checking, rows[i].means, words->text, &value);
	}
}

/* A word that is not written out, as any option that the command has. */
static void take_unknown(struct checking *checking,
			 const struct shell_word *word)
{
	size_t i;

	for (i = 0; i < ROWS; i++) {
		if (!checking->applies[i])
			continue;
		if (rows[i].means <= MERGES)
			running_written(checking->run, word, 1);
		else if (rows[i].means == DELETES)
			checking->marks.deletes = true;
		else if (rows[i].means == FORCES)
			checking->marks.forces = true;
	}
}

/* What git push has for names of refs: +A:B overwrites, :B deletes. */
static void take_ref(struct checking *checking, struct span text)
{
	if (span_starts(text, "+"))
		checking->marks.forces = true;
	if (span_starts(text, ":") || span_starts(text, "+:"))
		checking->marks.deletes = true;
}

/* NAME::REST is for the program git-remote-NAME. */
static void take_helper(struct checking *checking, struct span command,
			struct span word)
{
	autobuf struct buf program = { 0 };
	const char *at = memmem(word.data, word.len, "::", 2);
	struct span name = word;

	if (!at || at == word.data)
		return;
	name.len = (size_t)(at - word.data);
	if (span_is(name, "ext")) {
		say(checking, span_of("ext::"));
		running_string(checking->run, span_from(word, 5));
	} else if (listed("clone fetch pull push ls-remote remote submodule "
			  "archive fetch-pack send-pack",
			  command) &&
		   !listed("file http https ssh git", name) &&
		   !memchr(name.data, ':', name.len) &&
		   !memchr(name.data, '/', name.len)) {
		say(checking, word);
		buf_adds(&program, "git-remote-");
		buf_add(&program, name);
		running_name(checking->run, buf_span(&program));
	}
}

struct gitoption_marks gitoption_check(const struct running *run,
				       struct span command, bool own,
				       const struct shell_word *words,
				       size_t count)
{
	struct checking checking = { .run = run, .command = command };
	size_t i;

	for (i = 0; i < ROWS; i++)
		checking.applies[i] = (!own && rows[i].means == RUNS) ||
				      !*rows[i].commands ||
				      listed(rows[i].commands, command);
	for (i = 0; i < count; i++) {
		take_word(&checking, words + i, count - i);
		if (gitoption_possible(&words[i]))
			take_unknown(&checking, &words[i]);
		if (span_is(command, "push"))
			take_ref(&checking, words[i].text);
		take_helper(&checking, command, words[i].text);
	}
	return checking.marks;
}
