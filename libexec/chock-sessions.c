/* SPDX-License-Identifier: ISC */
/*
 * chock-sessions - list, show, check, seal, copy, remove what sessions logged
 *
 * See chock-sessions(1), chock-log(5).
 */

#include "chock-sessions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/terminal.h"
#include "base/alloc.h"
#include "base/child.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/why.h"
#include "log/stamp.h"

static bool as_json;
static bool follow;
static bool yes;
static bool require_card;
static bool require_seal;
static uint64_t older_than;
static const char *to;
static const char *key;
static const char *signers;

static const struct opt_table options = {
	"chock-sessions",
	"list [--json]\n"
	"show [--follow] [--json] [SESSION]\n"
	"verify [--json] [--require-seal [--require-card]] [--signers FILE]\n"
	"       [SESSION...]\n"
	"seal [--key FILE] [--require-card] SESSION...\n"
	"export --to DIR SESSION...\n"
	"prune --older-than TIME [--yes]\n"
	"remove [--yes] SESSION...",
	"list, show, check, seal, copy and remove what sessions logged",
	(const struct opt[]){
		{ 0, "follow", NULL, "show what comes too, until it ends",
		  .flag = &follow },
		{ 0, "json", NULL, "print records instead of sentences",
		  .flag = &as_json },
		{ 0, "key", "FILE", "see chock-log-seal(1)", .str = &key },
		{ 0, "older-than", "TIME", "such as 90d",
		  .seconds = &older_than, .min = 1, .max = UINT32_MAX },
		{ 0, "require-card", NULL, "see chock-log-seal(1)",
		  .flag = &require_card },
		{ 0, "require-seal", NULL, "say no to what is not sealed",
		  .flag = &require_seal },
		{ 0, "signers", "FILE", "see chock-log-verify(1)",
		  .str = &signers },
		{ 0, "to", "DIR", "where to copy them", .str = &to },
		{ 0, "yes", NULL, "ask nobody, for the answer is yes",
		  .flag = &yes },
		{ .name = NULL },
	},
};

/* ---- list and show ------------------------------------------------------ */

static int list(char **sessions)
{
	autologged struct logged_list all = { 0 };
	autobuf struct buf text = { 0 };
	size_t i;

	(void)sessions;
	logged_find(&all, NULL);
	logged_count(&all);
	for (i = 0; i < all.count; i++)
		(as_json ? logged_record : logged_row)(&text, &all.items[i]);
	print(&text);
	return EXIT_ALLOW;
}

static int show(char **sessions)
{
	autologged struct logged_list all = { 0 };

	logged_find(&all, *sessions);
	if (!all.count)
		die(EXIT_MISUSE, "there is no log of any session");
	show_log(&all.items[all.count - 1], follow, as_json);
}

/* ---- what others do ----------------------------------------------------- */

/* As many logs as chock-log-verify takes. */
#define LOGS_AT_ONCE 256

struct call {
	const char **argv; /* owned; the words are not */
	size_t count;
};

static void add_word(struct call *call, const char *word)
{
	call->argv =
		alloc_array(call->argv, call->count + 1, sizeof(*call->argv));
	call->argv[call->count++] = word;
	call->argv[call->count] = NULL;
}

static void add_option(struct call *call, const char *name, const char *value)
{
	if (!value)
		return;
	add_word(call, name);
	add_word(call, value);
}

static void add_flag(struct call *call, const char *name, bool wanted)
{
	if (wanted)
		add_word(call, name);
}

/* The sessions that are named, or all. */
static void choose(struct logged_list *list, char **sessions)
{
	if (!*sessions)
		logged_find(list, NULL);
	for (; *sessions; sessions++)
		logged_find(list, *sessions);
}

/* Runs @call for the logs of @list, some at once; the worst status counts. */
static int run(struct call *call, const struct logged_list *list)
{
	autobuf struct buf path = { 0 };
	struct child child = { .in_fd = STDIN_FILENO,
			       .out_fd = STDOUT_FILENO,
			       .err_fd = STDERR_FILENO };
	const size_t words = call->count;
	int status = EXIT_ALLOW;
	struct why why = { 0 };
	size_t i;
	int r;

	if (place_program(&path, call->argv[0], &why) < 0)
		die_why(&why);
	child.program = buf_str(&path);
	for (i = 0; i < list->count; i++) {
		add_word(call, list->items[i].log);
		if (call->count - words < LOGS_AT_ONCE && i + 1 < list->count)
			continue;
		child.argv = call->argv;
		r = child_run(&child, &why);
		if (r < 0)
			die_why(&why);
		status = r > status ? r : status;
		call->count = words;
	}
	free(call->argv);
	return status;
}

static int verify(char **sessions)
{
	autologged struct logged_list chosen = { 0 };
	struct call call = { 0 };

	choose(&chosen, sessions);
	add_word(&call, "chock-log-verify");
	add_flag(&call, "--json", as_json);
	add_flag(&call, "--require-seal", require_seal);
	add_flag(&call, "--require-card", require_card);
	add_option(&call, "--signers", signers);
	add_word(&call, "--");
	return run(&call, &chosen);
}

static int seal(char **sessions)
{
	autologged struct logged_list chosen = { 0 };
	struct call call = { 0 };

	choose(&chosen, sessions);
	add_word(&call, "chock-log-seal");
	add_flag(&call, "--require-card", require_card);
	add_option(&call, "--key", key);
	add_word(&call, "--");
	return run(&call, &chosen);
}

/* ---- copies and removal ------------------------------------------------- */

static int export(char **sessions)
{
	autologged struct logged_list chosen = { 0 };

	if (!to)
		die(EXIT_MISUSE, "export needs --to DIR");
	choose(&chosen, sessions);
	export_logs(&chosen, to);
	return EXIT_ALLOW;
}

static bool said_yes(const struct logged_list *list)
{
	autobuf struct buf question = { 0 };
	size_t i;
	int r;

	if (yes)
		return true;
	buf_adds(&question, "chock: remove for good the logs of these:\n");
	for (i = 0; i < list->count; i++)
		logged_row(&question, &list->items[i]);
	r = terminal_confirm(buf_span(&question), span_of("remove? [y/N] "));
	if (r < 0)
		die(EXIT_DENY, "there is no terminal to ask on, and nothing is "
			       "removed; --yes would");
	return r;
}

static int remove_asked(const struct logged_list *list)
{
	if (!list->count) {
		warn("there is nothing to remove");
		return EXIT_ALLOW;
	}
	if (said_yes(list))
		return remove_logs(list);
	warn("nothing is removed");
	return EXIT_DENY;
}

/* What is older, but what runs or has work that waits. */
static int prune(char **sessions)
{
	const uint64_t now = stamp_now() / 1000;
	autologged struct logged_list all = { 0 };
	struct logged_list old = { 0 };
	size_t i;
	int status;

	(void)sessions;
	if (!older_than)
		die(EXIT_MISUSE, "prune needs --older-than TIME");
	logged_find(&all, NULL);
	logged_count(&all);
	for (i = 0; i < all.count; i++) {
		const struct logged *logged = &all.items[i];
		const uint64_t started = logged->started / 1000;

		if (logged->running || logged->kept || started > now ||
		    now - started < older_than)
			continue;
		old.items =
			alloc_array(old.items, old.count, sizeof(*old.items));
		old.items[old.count++] = *logged;
	}
	status = remove_asked(&old);
	free(old.items);
	return status;
}

static int remove_named(char **sessions)
{
	autologged struct logged_list chosen = { 0 };

	choose(&chosen, sessions);
	logged_count(&chosen);
	return remove_asked(&chosen);
}

/* ---- calls -------------------------------------------------------------- */

enum takes {
	TAKES_JSON = 1 << 0,
	TAKES_FOLLOW = 1 << 1,
	TAKES_YES = 1 << 2,
	TAKES_CARD = 1 << 3,
	TAKES_SEAL = 1 << 4,
	TAKES_KEY = 1 << 5,
	TAKES_TO = 1 << 6,
	TAKES_AGE = 1 << 7,
};

static const struct verb {
	const char *name;
	int (*run)(char **sessions);
	int least, most; /* how many sessions it is of */
	unsigned int takes;
} verbs[] = {
	{ "list", list, 0, 0, TAKES_JSON },
	{ "show", show, 0, 1, TAKES_JSON | TAKES_FOLLOW },
	{ "verify", verify, 0, INT_MAX, TAKES_JSON | TAKES_CARD | TAKES_SEAL },
	{ "seal", seal, 1, INT_MAX, TAKES_CARD | TAKES_KEY },
	{ "export", export, 1, INT_MAX, TAKES_TO },
	{ "prune", prune, 0, 0, TAKES_YES | TAKES_AGE },
	{ "remove", remove_named, 1, INT_MAX, TAKES_YES },
};

static void check_options(const struct verb *verb)
{
	const struct {
		const char *name;
		bool given;
		enum takes takes;
	} given[] = {
		{ "follow", follow, TAKES_FOLLOW },
		{ "json", as_json, TAKES_JSON },
		{ "key", key, TAKES_KEY },
		{ "older-than", older_than, TAKES_AGE },
		{ "require-card", require_card, TAKES_CARD },
		{ "require-seal", require_seal, TAKES_SEAL },
		{ "signers", signers, TAKES_SEAL },
		{ "to", to, TAKES_TO },
		{ "yes", yes, TAKES_YES },
	};
	size_t i;

	for (i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (given[i].given && !(verb->takes & given[i].takes))
			die(EXIT_MISUSE, "%s takes no --%s", verb->name,
			    given[i].name);
}

/* Options may stand before the sessions, and behind them. */
static int read_sessions(int argc, char **argv, char **sessions)
{
	int count = 0;
	int at;

	while (argc > 1) {
		at = opt_parse(&options, argc, argv);
		if (at < argc)
			sessions[count++] = argv[at++];
		/* What opt_parse() passes over is the program's name. */
		argv += at - 1;
		argc -= at - 1;
	}
	return count;
}

int main(int argc, char **argv)
{
	char **sessions = alloc_zero((size_t)argc + 1, sizeof(*sessions));
	int count = read_sessions(argc, argv, sessions);
	const struct verb *verb = verbs;
	const struct verb *end = verbs + sizeof(verbs) / sizeof(*verbs);
	int status;

	progress_open(STDERR_FILENO, options.program);
	if (!count)
		opt_misuse(&options);
	while (verb < end && strcmp(verb->name, sessions[0]) != 0)
		verb++;
	if (verb == end || count - 1 < verb->least || count - 1 > verb->most)
		opt_misuse(&options);
	check_options(verb);
	status = verb->run(sessions + 1);
	free(sessions);
	return status;
}
