/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - the part that lists work that needs no workspace any more
 *
 * It waits at a reference in its project until somebody merges it, or removes
 * the reference.  Which projects there are is in the logs of their sessions.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/line.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-kept.h"
#include "log/logfile.h"
#include "log/stamp.h"
#include "record/record.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/waiting.h"

/* What a log says of its session. */
struct told {
	struct buf project;
	bool landed; /* by another commit than the reference's, perhaps */
	bool done;   /* there was an apply, and all of it landed */
};

static void take_record(struct told *told, const struct record *record)
{
	const struct record_value *kind = record_get(record, "kind");
	const struct record_value *done = record_get(record, "done");

	if (value_is(kind, "session.start") && !told->project.len)
		(void)value_text(&told->project, record_get(record, "project"));
	if (!value_is(kind, "workspace.integrate"))
		return;
	told->done = value_is_true(value_field(done, "landed"));
	if (value_field(done, "ref"))
		told->landed = told->done;
}

/* Reads all of the log, or of its first line with @first. */
static void read_log(struct told *told, const char *path, bool first)
{
	autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					      O_NOCTTY | O_CLOEXEC);
	autolines struct lines lines = { .fd = fd };
	struct why why = { 0 };
	struct span line;

	while (fd >= 0 && lines_next(&lines, &line, &why) > 0) {
		autorecord struct record record = { 0 };

		if (record_read(&record, line, &why) >= 0)
			take_record(told, &record);
		if (first)
			break;
	}
}

static void put_row(struct buf *text, struct span id, const char *ref,
		    const struct buf *project)
{
	const uint64_t now = stamp_now() / 1000;
	autobuf struct buf age = { 0 };
	autobuf struct buf word = { 0 };
	uint64_t ms = 0;

	(void)session_id_started(&ms, id);
	rough_age(&age, now > ms / 1000 ? now - ms / 1000 : 0);
	buf_add(text, id);
	buf_addf(text, " %8s %5s  ", "-", buf_str(&age));
	quote_line(text, buf_span(project));
	buf_adds(text, "  waits at ");
	quote_line(text, span_of(ref));
	buf_adds(text, ": git merge ");
	quote_shell(&word, span_of(ref));
	quote_line(text, buf_span(&word));
	buf_addc(text, '\n');
}

/* A working tree that shares references with another has its own sessions. */
static char *log_of(const char *ref, const char *place)
{
	const struct span id = waiting_session(ref);
	uint64_t ms;

	return session_id_started(&ms, id) < 0
		       ? NULL
		       : alloc_text("%s/%.*s" LOGFILE_SUFFIX, place,
				    (int)id.len, id.data);
}

/* Whether the work at @ref, which no branch leads to, has not landed as other
 * commits, as @log says. */
static bool does_wait(const char *ref, const char *log)
{
	struct told told = { .landed = false };

	if (span_starts(span_of(ref), REFS_PARKED))
		read_log(&told, log, false);
	buf_drop(&told.project);
	return !told.landed;
}

static bool is_log(const char *name)
{
	const size_t len = strlen(name);
	const size_t end = strlen(LOGFILE_SUFFIX);

	return len > end && !strcmp(name + len - end, LOGFILE_SUFFIX);
}

struct asking {
	const char *place;
	struct told told;
};

static int ask_log(void *context, const struct dirent *entry)
{
	struct asking *asking = context;
	autofree char *log = alloc_text("%s/%s", asking->place, entry->d_name);

	if (is_log(entry->d_name))
		read_log(&asking->told, log, true);
	return asking->told.project.len > 0;
}

/* Which project the sessions in @place are of, as one of their logs says. */
static void find_project(struct buf *project, const char *place)
{
	struct asking asking = { .place = place };

	kept_each_name(place, ask_log, &asking);
	buf_add(project, buf_span(&asking.told.project));
	buf_drop(&asking.told.project);
}

/* Puts those references of the sessions in @place behind @refs whose work
 * @waits, or has landed. */
static int sort_refs(struct names *refs, const struct project *project,
		     const char *place, bool waits, struct why *why)
{
	autonames struct names all = { 0 };
	autonames struct names found = { 0 };
	size_t i;
	int r = waiting_all(&all, project, why);

	if (!r)
		r = waiting_find(&found, project, why);
	for (i = 0; !r && i < all.count; i++) {
		const char *ref = all.items[i];
		autofree char *log = log_of(ref, place);

		if (log && !access(log, F_OK) &&
		    (names_has(&found, ref) && does_wait(ref, log)) == waits)
			names_add(refs, span_of(ref));
	}
	return r;
}

static void find_either(struct names *refs, struct buf *root, const char *place,
			bool waits)
{
	autoproject struct project project = { 0 };
	struct why why = { 0 };

	find_project(root, place);
	autofree char *git = alloc_text("%s/.git", buf_str(root));

	if (!root->len || access(git, F_OK) < 0)
		return;
	if (project_open(&project, buf_str(root), &why) < 0 ||
	    sort_refs(refs, &project, place, waits, &why) < 0)
		warn("%s", why.text);
}

static void find_refs(struct names *refs, struct buf *root, const char *place)
{
	find_either(refs, root, place, true);
}

void kept_landed_refs(struct names *refs, struct buf *root, const char *place)
{
	find_either(refs, root, place, false);
}

static void list_place(void *context, const char *place)
{
	autobuf struct buf root = { 0 };
	autonames struct names refs = { 0 };
	size_t i;

	find_refs(&refs, &root, place);
	for (i = 0; i < refs.count; i++)
		put_row(context, waiting_session(refs.items[i]), refs.items[i],
			&root);
}

void kept_waiting_rows(struct buf *text)
{
	kept_each_place(list_place, text);
}

/* ---- one that is asked for ---------------------------------------------- */

/* What git does of a reference where there is no workspace for a verb. */
static const struct {
	const char *verb;
	const char *before, *behind;
} calls[] = {
	{ "diff", "log -p ", " --not --branches" },
	{ "apply", "merge ", "" },
	{ "clear", "update-ref -d ", "" },
	{ "adopt", "worktree add --detach DIRECTORY ", "" },
	{ "export", "archive ", "" },
};

struct searching {
	const char *id;
	struct buf project;
	struct names refs; /* the one that the session's branch had is first */
	struct told told;
};

static void search_place(void *context, const char *place)
{
	struct searching *searching = context;
	autofree char *log =
		alloc_text("%s/%s" LOGFILE_SUFFIX, place, searching->id);
	autobuf struct buf root = { 0 };
	autonames struct names refs = { 0 };
	size_t pass, i;

	if (searching->refs.count || access(log, F_OK) < 0)
		return;
	read_log(&searching->told, log, false);
	find_refs(&refs, &root, place);
	buf_add(&searching->project, buf_span(&root));
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < refs.count; i++)
			if (span_is(waiting_session(refs.items[i]),
				    searching->id) &&
			    span_starts(span_of(refs.items[i]), REFS_PARKED) ==
				    !pass)
				names_add(&searching->refs,
					  span_of(refs.items[i]));
}

static void say_call(struct buf *text, const struct searching *searching,
		     const char *verb)
{
	const size_t more = searching->refs.count - 1;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].verb, verb) != 0)
			continue;
		buf_adds(text, "; its work waits in the project: git -C ");
		quote_shell(text, buf_span(&searching->project));
		buf_addf(text, " %s", calls[i].before);
		quote_shell(text, span_of(searching->refs.items[0]));
		buf_adds(text, calls[i].behind);
		if (more)
			buf_addf(text,
				 "; 'chock workspace list' has %zu more of it",
				 more);
	}
}

static void say_landed(struct buf *text, const struct told *told)
{
	buf_adds(text, ": its work landed in ");
	quote_line(text, buf_span(&told->project));
}

void kept_waiting_refuse(const char *id, const char *verb)
{
	struct searching searching = { .id = id };
	autobuf struct buf text = { 0 };
	uint64_t ms;

	if (session_id_started(&ms, span_of(id)) >= 0)
		kept_each_place(search_place, &searching);
	if (searching.refs.count)
		say_call(&text, &searching, verb);
	else if (searching.told.done)
		say_landed(&text, &searching.told);
	else
		buf_adds(&text, "; 'chock workspace list' names those that "
				"are");
	die(EXIT_MISUSE, "no workspace of a session '%s' is kept%s", id,
	    buf_str(&text));
}
