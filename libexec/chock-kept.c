/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - workspaces of sessions that are over: list, look, take, remove
 *
 * `chock workspace` becomes it where a person names a session.  What is done
 * to a single workspace chock-workspace and chock-overlay do.
 * See chock-kept(1).
 */

#include "chock-kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "log/stamp.h"
#include "record/json.h"

#define KEPT "chock-kept"
#define CLEAR_MAX 1000               /* sessions, and each is in the question */
#define FOR_PERSON "chock-workspace" /* which becomes it */

static bool all;
static bool templates;
static bool landed;
static bool yes;
static uint64_t after;

#define PERSON_USAGE                 \
	"list\n"                     \
	"diff SESSION\n"             \
	"apply SESSION [--yes]\n"    \
	"adopt SESSION\n"            \
	"export SESSION\n"           \
	"clear SESSION... [--yes]\n" \
	"clear --all [--yes]\n"      \
	"clear --landed [--yes]\n"   \
	"clear --templates"

static struct opt_table options = {
	KEPT,
	PERSON_USAGE "\n"
		     "find SESSION\n"
		     "expire SESSION --after TIME\n"
		     "sweep",
	"list, apply, export and remove what sessions have left",
	(const struct opt[]){
		{ 0, "all", NULL, "remove all that are not in use",
		  .flag = &all },
		{ 0, "templates", NULL,
		  "remove the checkouts that no workspace needs",
		  .flag = &templates },
		{ 0, "landed", NULL, "remove the references of what landed",
		  .flag = &landed },
		{ 0, "yes", NULL, "ask nobody, for the answer is yes",
		  .flag = &yes },
		{ 0, "after", "TIME", "how long it is kept from now on",
		  .seconds = &after, .min = 1, .max = UINT32_MAX },
		{ .name = NULL },
	},
};

/* ---- list --------------------------------------------------------------- */

static void list(char **sessions)
{
	struct kept_list listing = { 0 };
	autobuf struct buf text = { 0 };
	size_t i;

	(void)sessions;
	kept_list_all(&listing);
	for (i = 0; i < listing.count; i++)
		kept_list_row(&text, &listing.items[i]);
	kept_waiting_rows(&text);
	kept_template_rows(&text);
	print(&text);
	kept_list_drop(&listing);
}

/* ---- what others do ----------------------------------------------------- */

static void become(const char *program, const char *const *words)
{
	const char *argv[8] = { program };
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	size_t i;

	for (i = 0; i < 6 && words[i]; i++)
		argv[i + 1] = words[i];
	if (place_program(&path, program, &why) < 0)
		die_why(&why);
	(void)execv(buf_str(&path), (char *const *)argv);
	die_errno(EXIT_SYSTEM, "cannot run '%s'", buf_str(&path));
}

static void check_whole(const struct kept *kept, const char *session)
{
	if (!kept->project.len)
		die(EXIT_MISUSE,
		    "the workspace of '%s' was never whole; clear it", session);
}

static void __attribute__((noreturn)) refuse_running(const char *session)
{
	die(EXIT_SYSTEM, "the session '%s' is in use", session);
}

/* What a session that runs writes to is not looked at. */
static void find_idle(struct kept *kept, const char *session, const char *verb)
{
	kept_find(kept, session, verb);
	if (kept->running)
		refuse_running(session);
	check_whole(kept, session);
}

/* While it waits for an answer its command is over, and who is to give that has
 * to see what is in it. */
static void find_quiet(struct kept *kept, const char *session, const char *verb)
{
	kept_find(kept, session, verb);
	if (kept->running && !kept->asking)
		refuse_running(session);
	check_whole(kept, session);
}

static void hand_on(const char *verb, const char *session,
		    void (*find)(struct kept *kept, const char *session,
				 const char *verb))
{
	autokept_session struct kept kept = { 0 };

	find(&kept, session, verb);
	kept_check_project(&kept);
	become(kept.overlay ? "chock-overlay" : "chock-workspace",
	       (const char *const[]){ verb, "--workspace", kept.workspace,
				      NULL });
}

static void diff(char **sessions)
{
	hand_on("diff", *sessions, find_quiet);
}

static void adopt(char **sessions)
{
	hand_on("adopt", *sessions, find_idle);
}

static void export(char **sessions)
{
	hand_on("export", *sessions, find_quiet);
}

static void apply(char **sessions)
{
	become("chock-run",
	       (const char *const[]){ "--kept", *sessions, yes ? "--yes" : NULL,
				      NULL });
}

/* ---- clear -------------------------------------------------------------- */

static bool said_yes(const struct kept_list *listing)
{
	autobuf struct buf question = { 0 };
	size_t i;

	buf_adds(&question, "chock: remove for good what these have left:\n");
	for (i = 0; i < listing->count; i++)
		kept_list_row(&question, &listing->items[i]);
	return yes || kept_list_confirm(&question);
}

static int remove_one(const struct kept *kept)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (kept_remove(kept, false, &why) < 0) {
		warn("%s", why.text);
		return report_status(&why);
	}
	buf_addf(&text, "cleared %s, ", kept->id);
	rough_size(&text, kept->bytes);
	buf_addc(&text, '\n');
	print(&text);
	return EXIT_ALLOW;
}

/* With --all, what is in use is no mistake of the caller's. */
static void choose(struct kept_list *listing, char **sessions)
{
	struct kept_list found = { 0 };
	size_t i;

	if (all)
		kept_list_all(&found);
	for (i = 0; i < found.count; i++)
		if (!found.items[i].running)
			kept_list_add(listing, &found.items[i]);
	kept_list_drop(&found);
	for (; *sessions; sessions++) {
		autokept_session struct kept kept = { 0 };

		kept_find(&kept, *sessions, "clear");
		if (kept.running)
			refuse_running(*sessions);
		kept_list_add(listing, &kept);
	}
}

static void clear(char **sessions)
{
	struct kept_list listing = { 0 };
	int status = EXIT_ALLOW;
	size_t i;
	int r;

	if (all + templates + landed + !!*sessions != 1)
		die(EXIT_MISUSE,
		    "clear needs a SESSION, which 'chock workspace list' "
		    "names, or --all, --landed or --templates");
	if (landed)
		exit(kept_landed_clear(yes));
	if (templates) {
		kept_template_clear();
		return;
	}
	choose(&listing, sessions);
	if (!listing.count)
		warn("nothing is kept that is not in use");
	if (listing.count && !said_yes(&listing)) {
		warn("nothing is removed");
		exit(EXIT_DENY);
	}
	for (i = 0; i < listing.count; i++) {
		r = remove_one(&listing.items[i]);
		status = r ? r : status;
	}
	kept_list_drop(&listing);
	exit(status);
}

/* ---- for chock-run ------------------------------------------------------ */

static void find(char **sessions)
{
	autokept_session struct kept kept = { 0 };
	autobuf struct buf record = { 0 };

	find_idle(&kept, *sessions, "apply");
	json_open(&record);
	json_str(&record, "session", span_of(kept.id));
	json_str(&record, "project", buf_span(&kept.project));
	json_str(&record, "kind", span_of(kept.overlay ? "overlay" : "git"));
	json_str(&record, "log", span_of(kept.log));
	json_str(&record, "workspace", span_of(kept.workspace));
	json_close_line(&record);
	print(&record);
}

/* By who has the session's lock. */
static void expire(char **sessions)
{
	autokept_session struct kept kept = { 0 };
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	kept_find(&kept, *sessions, "expire");
	buf_addf(&text, "%" PRIu64, stamp_now() / 1000 + after);
	if (file_put(kept.workspace, KEPT_EXPIRES, buf_span(&text), &why) < 0)
		die_why(&why);
}

static void sweep(char **sessions)
{
	(void)sessions;
	kept_sweep();
	kept_template_sweep();
}

static const struct verb {
	const char *name;
	void (*run)(char **sessions);
	int least, most;      /* how many sessions it is of */
	bool all, yes, after; /* the options that it takes */
} verbs[] = {
	{ "list", list, 0, 0, false, false, false },
	{ "diff", diff, 1, 1, false, false, false },
	{ "apply", apply, 1, 1, false, true, false },
	{ "adopt", adopt, 1, 1, false, false, false },
	{ "export", export, 1, 1, false, false, false },
	{ "clear", clear, 0, CLEAR_MAX, true, true, false },
	{ "find", find, 1, 1, false, false, false },
	{ "expire", expire, 1, 1, false, false, true },
	{ "sweep", sweep, 0, 0, false, false, false },
};

static void check_options(const struct verb *verb)
{
	const char *wrong = NULL;

	if (after && !verb->after)
		wrong = "after";
	if (yes && !verb->yes)
		wrong = "yes";
	if (all && !verb->all)
		wrong = "all";
	if (templates && !verb->all)
		wrong = "templates";
	if (landed && !verb->all)
		wrong = "landed";
	if (wrong)
		die(EXIT_MISUSE, "%s takes no --%s", verb->name, wrong);
	if (verb->after && !after)
		die(EXIT_MISUSE, "%s needs --after TIME", verb->name);
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
		argc -= at - 1;
		argv += at - 1;
	}
	return count;
}

/* In its messages it is what the person called. */
static void find_name(const char *called)
{
	const char *slash = strrchr(called, '/');

	if (!strcmp(slash ? slash + 1 : called, FOR_PERSON)) {
		options.program = FOR_PERSON;
		options.usage = PERSON_USAGE;
		options.about = "list, apply, export and remove what sessions "
				"have left; see 'chock help kept'";
	}
}

int main(int argc, char **argv)
{
	const struct verb *verb = NULL;
	size_t i;
	int count, at;

	find_name(argc ? argv[0] : "");
	progress_open(STDERR_FILENO, options.program);
	at = opt_parse(&options, argc, argv);
	for (i = 0; at < argc && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[at], verbs[i].name))
			verb = &verbs[i];
	if (!verb || at != 1)
		opt_misuse(&options);
	char **sessions = alloc_zero((size_t)argc + 1, sizeof(*sessions));

	count = read_sessions(argc - 1, argv + 1, sessions);
	check_options(verb);
	if (verb->most == CLEAR_MAX && count > CLEAR_MAX)
		die(EXIT_MISUSE,
		    "clear takes no more than %d sessions at once; --all is of "
		    "all of them",
		    CLEAR_MAX);
	if (count < verb->least)
		die(EXIT_MISUSE,
		    "%s needs a SESSION; 'chock workspace list' names those "
		    "that are kept",
		    verb->name);
	if (count > verb->most)
		opt_misuse(&options);
	verb->run(sessions);
	free(sessions);
	return EXIT_ALLOW;
}
