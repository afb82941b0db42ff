/* SPDX-License-Identifier: ISC */
/*
 * chock-bind list - what the bind statements of the policies come to here
 *
 * One record for each thing and each mode that a statement has for it, in the
 * order in which it has them.  A thing that several statements name is that of
 * the first layer.  A ceiling grants nothing, and so nothing here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-bind.h"
#include "cow/descend.h"
#include "cow/node.h"
#include "policy/action.h"
#include "policy/decision.h"
#include "policy/glob.h"
#include "record/json.h"
#include "workspace/hidden.h"
#include "workspace/names.h"
#include "workspace/overlay.h"
#include "workspace/own.h"
#include "workspace/quote.h"
#include "workspace/written.h"

static const struct {
	const char *word, *meaning;
	bool mounted;
	const char *after; /* what a yes means for the project */
} modes[] = {
	{ "read_only", "shown as it is, read-only", true,
	  "nothing in the project changes" },
	{ "write", "shown as it is, and written in the project at once", true,
	  "nobody is asked again about what the session writes to it" },
	{ "copy", "copied, and brought back once that is permitted", false,
	  "what differs afterwards is a question of its own" },
	{ "temp_copy", "copied, and thrown away afterwards", false,
	  "nothing in the project changes" },
};

#define MODES (sizeof(modes) / sizeof(*modes))

struct listing {
	struct bind_place *place;
	struct bind_runs runs;
	const struct policy_statement *at;
	const char *wanted; /* its path or pattern, without a slash behind */
	struct names found; /* of all statements so far */
	struct buf records;
	size_t looked, matched;
};

static size_t mode_of(const char *word)
{
	size_t i;

	for (i = 0; i < MODES && strcmp(word, modes[i].word) != 0; i++)
		;
	return i;
}

/* The most restrictive that the statement says. */
static enum policy_decision at_most(const struct policy_statement *at)
{
	enum policy_decision most = DECISION_ALLOW;
	size_t i;

	for (i = 1; i < at->count; i++) {
		enum policy_decision said =
			decision_read(span_of(at->words[i]));

		if (said != DECISIONS && said > most)
			most = said;
	}
	return most;
}

static void refuse(const struct policy_statement *at, const char *path,
		   const char *reason)
{
	die(EXIT_MISUSE, "%s:%u:%u: cannot bind '%s': %s", at->origin.file,
	    at->origin.line, at->origin.column, path, reason);
}

/* ---- what is held against ----------------------------------------------- */

/*
 * What is written without a question in between is a file alone: in a
 * directory anything could be made that runs later on the host.
 */
static void check_write(struct listing *l, const char *path,
			const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		refuse(l->at, path,
		       "it is a directory, and what runs later on the host "
		       "could be made in it; 'copy' brings it back after a "
		       "question");
	if (st->st_mode & WRITTEN_EXECUTES)
		refuse(l->at, path,
		       "it can be executed, and would run later on the host "
		       "as the session left it; 'copy' brings it back after a "
		       "question");
	if (bind_runs_later(&l->runs, l->place, path))
		refuse(l->at, path,
		       "workspace.protected names it, or the policy is read "
		       "from it; 'copy' brings it back after a question");
	if (st->st_nlink > 1)
		refuse(l->at, path,
		       "it has more than one name (hard links), and would be "
		       "written elsewhere as well");
}

static void check_mounted(const struct listing *l, const char *path,
			  mode_t mode)
{
	const struct binds_hidden hidden = { .skips = bind_is_hidden,
					     .context = &l->place->space };

	if (l->place->space.in_place)
		refuse(l->at, path,
		       "this driver shows nothing at another path; 'copy' and "
		       "'temp_copy' can be held");
	if (S_ISDIR(mode) && l->place->space.hiding &&
	    binds_hides(l->place->root_fd, path, &hidden))
		refuse(l->at, path,
		       "something in it is hidden, and would be shown; 'copy' "
		       "and 'temp_copy' leave it out");
}

/* ---- records ------------------------------------------------------------ */

/* All of the effect in words, for a person who is shown no JSON beside it. */
static void put_detail(struct buf *detail, const struct listing *l,
		       const char *path, size_t mode,
		       const struct binds_size *size)
{
	const enum policy_decision most = at_most(l->at);

	buf_adds(detail, "session ");
	quote_line(detail, buf_span(&l->place->space.id));
	buf_adds(detail, " would have ");
	quote_line(detail, span_of(path));
	buf_addf(detail, ", %zu name%s, %llu bytes, %s\n", size->names,
		 rough_plural(size->names), (unsigned long long)size->bytes,
		 modes[mode].meaning);
	if (most != DECISION_ALLOW)
		buf_addf(detail, "the bind statement says %s at most\n",
			 decision_word(most));
	buf_adds(detail, modes[mode].after);
}

static void put_record(struct listing *l, const char *path, size_t mode,
		       const struct binds_size *size, const struct identity *is)
{
	const enum policy_decision most = at_most(l->at);
	autobuf struct buf action = { 0 };
	autobuf struct buf summary = { 0 };
	autobuf struct buf detail = { 0 };
	autobuf struct buf identity = { 0 };

	put_detail(&detail, l, path, mode, size);
	identity_write(is, &identity);
	buf_adds(&action, "workspace.bind");
	action_add(&action, span_of(path));
	buf_adds(&summary, "bind ");
	quote_line(&summary, span_of(path));
	buf_addf(&summary, " (%s): %s; %zu name%s, %llu bytes",
		 modes[mode].word, modes[mode].meaning, size->names,
		 rough_plural(size->names), (unsigned long long)size->bytes);
	json_open(&l->records);
	json_str(&l->records, "action", buf_span(&action));
	json_str(&l->records, "source", span_of("workspace"));
	json_str(&l->records, "summary", buf_span(&summary));
	json_str(&l->records, "detail", buf_span(&detail));
	json_open_object(&l->records, "effect");
	json_str(&l->records, "session", buf_span(&l->place->space.id));
	json_str(&l->records, "path", span_of(path));
	json_str(&l->records, "mode", span_of(modes[mode].word));
	json_str(&l->records, "identity", buf_span(&identity));
	if (most != DECISION_ALLOW)
		json_str(&l->records, "at_most", span_of(decision_word(most)));
	json_num(&l->records, "names", (int64_t)size->names);
	json_num(&l->records, "bytes", (int64_t)size->bytes);
	json_close_object(&l->records);
	json_close_line(&l->records);
}

static void offer(struct listing *l, const char *path,
		  const struct binds_judged *judged)
{
	struct binds_size size = { 0 };
	struct why why = { 0 };
	size_t i;

	for (i = 0; i < l->found.count; i++)
		if (!strcmp(l->found.items[i], path))
			return;
	names_add(&l->found, span_of(path));
	if (own_touches(&l->place->space.own, path))
		refuse(l->at, path, "chock's own files are in it");
	if (binds_measure(&size, l->place->root_fd, path, &why) < 0)
		refuse(l->at, path, why.text);
	for (i = 1; i < l->at->count; i++) {
		const size_t mode = mode_of(l->at->words[i]);

		if (mode == MODES)
			continue;
		if (modes[mode].mounted)
			check_mounted(l, path, judged->st.st_mode);
		else if (bind_in_copy(l->place, path))
			refuse(l->at, path,
			       "the copy has it already, from git or "
			       "--allow-dirty");
		if (!strcmp(modes[mode].word, "write"))
			check_write(l, path, &judged->st);
		put_record(l, path, mode, &size, &judged->is);
	}
}

/* ---- names and patterns ------------------------------------------------- */

static void take_name(struct listing *l, const char *path)
{
	struct binds_judged judged;
	struct why why = { 0 };
	int r;

	if (bind_is_hidden(&l->place->space, path) &&
	    !own_is(&l->place->space.own, path)) {
		warn("'%s' is hidden, and not bound", path);
		return;
	}
	r = binds_judge(&judged, l->place->root_fd, path, &why);
	if (r == -ENOENT || r == -ENOTDIR)
		warn("there is no '%s' to bind", path);
	else if (r < 0)
		refuse(l->at, path,
		       r == -ELOOP || r == -EXDEV
			       ? "a symbolic link is on the way to it"
			       : why.text);
	else
		offer(l, path, &judged);
}

/* Says so of a directory that this user cannot go into, for nothing in one can
 * be bound. */
static bool is_closed(const struct descend *at, const struct stat *st)
{
	if (!S_ISDIR(st->st_mode) ||
	    !faccessat(at->dir_fd, at->name, R_OK | X_OK, AT_EACCESS) ||
	    errno != EACCES)
		return false;
	warn("'%.*s' cannot be read, and nothing in it is bound",
	     REPORT_NAME_MAX, at->path);
	return true;
}

static void refuse_more(const struct listing *l, const char *what, size_t most)
{
	autobuf struct buf reason = { 0 };

	buf_addf(&reason, "more than %zu %s", most, what);
	refuse(l->at, l->wanted, buf_str(&reason));
}

/* Looks at one name of the project; what is offered is offered whole. */
static int look_at(void *context, const struct descend *at,
		   const struct stat *st)
{
	struct listing *l = context;
	struct binds_judged judged;
	struct why lost = { 0 };

	if (++l->looked > BIND_LOOKED_MAX)
		refuse_more(l, "names are to be looked through",
			    BIND_LOOKED_MAX);
	if (!strcasecmp(at->name, ".git") ||
	    bind_is_hidden(&l->place->space, at->path))
		return 1;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return 0;
	if (!glob_match(span_of(l->wanted), span_of(at->path)))
		return is_closed(at, st);
	if (bind_in_copy(l->place, at->path))
		return 0;
	if (binds_judge(&judged, l->place->root_fd, at->path, &lost) < 0)
		return 1;
	if (++l->matched > BIND_MATCHES_MAX)
		refuse_more(l, "names match, and each is asked about",
			    BIND_MATCHES_MAX);
	offer(l, at->path, &judged);
	return 1;
}

static void take_statement(struct listing *l)
{
	autofree char *path =
		alloc_copy(l->at->words[0], strlen(l->at->words[0]));
	size_t len = strlen(path);
	int r;

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	l->wanted = path;
	l->looked = 0;
	l->matched = 0;
	if (!strpbrk(path, "*?")) {
		take_name(l, path);
		return;
	}
	r = descend_below(l->place->root_fd, look_at, l);
	if (r < 0)
		refuse(l->at, path, strerror(-r));
	if (!l->matched)
		warn("nothing to bind matches '%s'", path);
}

static void each(const struct policy *policy, void (*take)(struct listing *l),
		 struct listing *l)
{
	size_t layer, i;

	for (layer = 0; layer < POLICY_CEILING; layer++)
		for (i = 0; i < policy->statement_count; i++) {
			l->at = &policy->statements[i];
			if (l->at->keyword == POLICY_BIND &&
			    l->at->layer == layer)
				take(l);
		}
}

void bind_list(const char *workspace, const struct applying *said)
{
	struct bind_place place;
	autorules struct rules rules = { .root = NULL };
	struct listing l = { .place = &place, .runs = { .rules = &rules } };

	bind_open(&place, workspace);
	rules_open(&rules, said, buf_str(&place.space.project));
	each(&rules.policy, take_statement, &l);
	print(&l.records);
	buf_drop(&l.records);
	names_drop(&l.found);
	reach_drop(&l.runs.reach);
	bind_close(&place);
}

/* All that is written there is kept apart, and comes back after a question:
 * that is 'copy', and there is no other. */
static void refuse_plain(struct listing *l)
{
	size_t i;

	for (i = 1; i < l->at->count; i++)
		if (!strcmp(l->at->words[i], "copy"))
			return;
	refuse(l->at, l->at->words[0],
	       "the project is in no git, and all of it is shown as by 'copy'");
}

void bind_list_plain(const char *workspace, const struct applying *said)
{
	autooverlay struct overlay overlay = { 0 };
	autorules struct rules rules = { .root = NULL };
	struct listing l = { .runs = { .rules = &rules } };
	struct why why = { 0 };

	if (overlay_open(&overlay, workspace, &why) < 0)
		die_why(&why);
	rules_open(&rules, said, buf_str(&overlay.project));
	each(&rules.policy, refuse_plain, &l);
}
