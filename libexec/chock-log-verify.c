/* SPDX-License-Identifier: ISC */
/*
 * chock-log-verify - check that nobody touched a log
 *
 * Gives a verdict on each log that it is told; only "whole" is a yes.
 * See chock-log-verify(1), chock-log(5).
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/self.h"
#include "log/logfile.h"
#include "log/verdict.h"
#include "record/json.h"

/* Each takes two or three descriptors, and a process has 1024 at first. */
#define LOGS_MAX 256

static const char *session;
static bool as_json;

static const struct opt_table options = {
	"chock-log-verify",
	"[--session ID] [--json] LOG...",
	"check that nobody touched a log",
	(const struct opt[]){
		{ 0, "session", "ID",
		  "the session's id (default: LOG's name without .jsonl)",
		  .str = &session },
		{ 0, "json", NULL, "print records instead of sentences",
		  .flag = &as_json },
		{ .name = NULL },
	},
};

/* One log, opened before anything of any is read. */
struct job {
	const char *path; /* borrowed */
	struct logfile file;
	int anchor_fd; /* owned, -1 without one */
};

static void open_job(struct job *job, const char *path)
{
	struct why why = { 0 };

	*job = (struct job){ .path = path,
			     .file = LOGFILE_CLOSED,
			     .anchor_fd = -1 };
	if (logfile_find(&job->file, path, &why) < 0)
		die_why(&why);
	job->anchor_fd =
		logfile_open_beside(&job->file, LOGFILE_ANCHOR, O_RDONLY, &why);
	if (job->anchor_fd < 0 && job->anchor_fd != -ENOENT)
		die_why(&why);
}

static void close_job(struct job *job)
{
	logfile_close(&job->file);
	auto_close(&job->anchor_fd);
}

static void add_record(struct buf *out, const struct job *job, struct span id,
		       const struct verdict *verdict)
{
	json_open(out);
	json_str(out, "log", span_of(job->path));
	json_str(out, "session", id);
	json_str(out, "verdict", span_of(verdict_word(verdict)));
	if (verdict->outcome == VERDICT_BROKEN)
		json_num(out, "line", (int64_t)verdict->count + 1);
	json_num(out, "count", (int64_t)verdict->count);
	json_str(out, "head", span_of(verdict->head));
	json_bool(out, "running", verdict->running);
	if (verdict->outcome != VERDICT_WHOLE)
		json_str(out, "why", span_of(verdict->why.text));
	json_close_line(out);
}

static void add_sentence(struct buf *out, const struct job *job,
			 const struct verdict *verdict)
{
	buf_adds(out, verdict_word(verdict));
	if (verdict->outcome == VERDICT_BROKEN)
		buf_addf(out, " at line %llu",
			 (unsigned long long)verdict->count + 1);
	buf_addf(out, ": %llu line%s%s, head %s: ",
		 (unsigned long long)verdict->count, rough_s(verdict->count),
		 verdict->outcome == VERDICT_BROKEN ? " before it" : "",
		 verdict->head);
	/* A name may hold what a terminal would obey. */
	buf_add_plain(out, span_of(job->path));
	if (verdict->outcome != VERDICT_WHOLE)
		buf_addf(out, ": %s", verdict->why.text);
	buf_addc(out, '\n');
}

/* Returns whether the log is whole. */
static bool verify(const struct job *job)
{
	struct span id = session ? span_of(session) : buf_span(&job->file.stem);
	autobuf struct buf out = { 0 };
	struct verdict verdict;
	struct why why = { 0 };

	if (verdict_reach(&verdict, job->file.fd, job->anchor_fd, id, &why) < 0)
		die(EXIT_SYSTEM, "'%s': %s", job->path, why.text);
	if (as_json)
		add_record(&out, job, id, &verdict);
	else
		add_sentence(&out, job, &verdict);
	print(&out);
	return verdict.outcome == VERDICT_WHOLE;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);
	int count = argc - first;
	struct why why = { 0 };
	struct job *jobs;
	bool whole = true;
	int i;

	if (count < 1)
		opt_misuse(&options);
	if (count > LOGS_MAX)
		die(EXIT_MISUSE, "cannot check more than %d logs at once",
		    LOGS_MAX);
	jobs = alloc_zero((size_t)count, sizeof(*jobs));
	for (i = 0; i < count; i++)
		open_job(&jobs[i], argv[first + i]);
	if (confine_self(&why) < 0)
		die_why(&why);
	for (i = 0; i < count; i++)
		whole &= verify(&jobs[i]);
	for (i = 0; i < count; i++)
		close_job(&jobs[i]);
	free(jobs);
	return whole ? EXIT_ALLOW : EXIT_DENY;
}
