/* SPDX-License-Identifier: ISC */
/*
 * chock-log-verify - check that nobody touched a log
 *
 * Gives a verdict on each log that it is told; only "whole" and "sealed" are a
 * yes.  Signatures are checked by ssh-keygen, before anything of a log is read.
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
#include "base/file.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/self.h"
#include "log/logfile.h"
#include "log/seal.h"
#include "log/signature.h"
#include "log/verdict.h"
#include "record/json.h"

/* Each takes two or three descriptors, and a process has 1024 at first. */
#define LOGS_MAX 256

static const char *session;
static bool as_json;
static bool require_seal;
static bool require_card;
static const char *signers;

static const struct opt_table options = {
	"chock-log-verify",
	"[--session ID] [--json] [--require-seal [--require-card]]\n"
	"[--signers FILE] LOG...",
	"check that nobody touched a log",
	(const struct opt[]){
		{ 0, "session", "ID",
		  "the session's id (default: LOG's name without .jsonl)",
		  .str = &session },
		{ 0, "json", NULL, "print records instead of sentences",
		  .flag = &as_json },
		{ 0, "require-card", NULL,
		  "say no to a seal whose key is on no FIDO token",
		  .flag = &require_card },
		{ 0, "require-seal", NULL, "say no to what is not sealed",
		  .flag = &require_seal },
		{ 0, "signers", "FILE",
		  "say no to seals by others than FILE lists",
		  .str = &signers },
		{ .name = NULL },
	},
};

/* One log, opened before anything of any is read. */
struct job {
	const char *path; /* borrowed */
	struct logfile file;
	int anchor_fd; /* owned, -1 without one */
	struct buf seal;
	struct signature signature;
	struct why forged; /* errnum is 0 if it is signed, or is not there */
};

/* Reads all of a file beside the log; false if there is none. */
static bool read_beside(struct buf *bytes, const struct job *job,
			const char *suffix, int *fd)
{
	struct why why = { 0 };

	*fd = logfile_open_beside(&job->file, suffix, O_RDONLY, &why);
	if (*fd == -ENOENT)
		return false;
	if (*fd < 0 || (bytes && file_read(bytes, *fd, SEAL_MAX, &why) < 0 &&
			why.errnum != EFBIG))
		die_why(&why);
	return true;
}

/* What is too long to be a seal is not signed as one. */
static void check_seal(struct job *job)
{
	autoclose int seal_fd = -1;
	autoclose int signature_fd = -1;
	int r;

	if (!read_beside(&job->seal, job, LOGFILE_SEAL, &seal_fd))
		return;
	if (!read_beside(NULL, job, LOGFILE_SIGNATURE, &signature_fd)) {
		(void)why_set(&job->forged, ENOENT, "its seal is not signed");
		return;
	}
	r = signature_check(&job->signature, signature_fd, buf_span(&job->seal),
			    signers, &job->forged);
	if (r < 0 && r != -EBADMSG)
		die_why(&job->forged);
	if (!r && require_card && !job->signature.token)
		(void)why_set(&job->forged, EBADMSG,
			      "its seal is by a key that is on no FIDO token");
}

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
	check_seal(job);
}

static void close_job(struct job *job)
{
	logfile_close(&job->file);
	auto_close(&job->anchor_fd);
	buf_drop(&job->seal);
	signature_drop(&job->signature);
}

/* Only of a seal that holds: who else signed what says nothing of the log. */
static void add_seal(struct buf *out, const struct job *job,
		     const struct verdict *verdict)
{
	json_open_object(out, "seal");
	json_str(out, "key", buf_span(&job->signature.key));
	if (job->signature.signer.len)
		json_str(out, "signer", buf_span(&job->signature.signer));
	json_str(out, "time", span_of(verdict->sealed_at));
	json_num(out, "count", (int64_t)verdict->sealed);
	json_close_object(out);
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
	if (verdict_holds(verdict) && verdict->sealed_at[0])
		add_seal(out, job, verdict);
	if (!verdict_holds(verdict))
		json_str(out, "why", span_of(verdict->why.text));
	json_close_line(out);
}

static void add_seal_words(struct buf *out, const struct job *job,
			   const struct verdict *verdict)
{
	buf_adds(out, ": sealed ");
	if (verdict->outcome == VERDICT_WHOLE)
		buf_addf(out, "to line %llu ",
			 (unsigned long long)verdict->sealed);
	buf_addf(out, "%s by ", verdict->sealed_at);
	if (job->signature.signer.len) {
		buf_add_plain(out, buf_span(&job->signature.signer));
		buf_adds(out, ", ");
	}
	buf_add_plain(out, buf_span(&job->signature.key));
}

static void add_sentence(struct buf *out, const struct job *job,
			 const struct verdict *verdict)
{
	buf_adds(out, verdict_word(verdict));
	if (verdict->outcome == VERDICT_BROKEN)
		buf_addf(out, " at line %llu",
			 (unsigned long long)verdict->count + 1);
	buf_addf(out, ": %llu line%s%s, head %s: ",
		 (unsigned long long)verdict->count,
		 rough_plural(verdict->count),
		 verdict->outcome == VERDICT_BROKEN ? " before it" : "",
		 verdict->head);
	/* A name may hold what a terminal would obey. */
	buf_add_plain(out, span_of(job->path));
	if (!verdict_holds(verdict))
		buf_addf(out, ": %s", verdict->why.text);
	else if (verdict->sealed_at[0])
		add_seal_words(out, job, verdict);
	buf_addc(out, '\n');
}

/* A log that is whole, and that somebody wanted sealed. */
static void want_seal(struct verdict *verdict)
{
	if (!require_seal || verdict->outcome != VERDICT_WHOLE)
		return;
	verdict->outcome = VERDICT_UNSEALED;
	if (verdict->sealed_at[0])
		(void)why_set(&verdict->why, ENOENT,
			      "its seal is of %llu line%s only",
			      (unsigned long long)verdict->sealed,
			      rough_plural(verdict->sealed));
	else
		(void)why_set(&verdict->why, ENOENT, "it has no seal");
}

/* Returns whether the log is whole. */
static bool verify(const struct job *job)
{
	struct span id = session ? span_of(session) : buf_span(&job->file.stem);
	const struct evidence evidence = {
		.session = id,
		.log_fd = job->file.fd,
		.anchor_fd = job->anchor_fd,
		.seal = buf_span(&job->seal),
		.forged = job->forged.errnum ? &job->forged : NULL,
	};
	autobuf struct buf out = { 0 };
	struct verdict verdict;
	struct why why = { 0 };

	if (verdict_reach(&verdict, &evidence, &why) < 0)
		die(EXIT_SYSTEM, "'%s': %s", job->path, why.text);
	want_seal(&verdict);
	if (as_json)
		add_record(&out, job, id, &verdict);
	else
		add_sentence(&out, job, &verdict);
	print(&out);
	return verdict_holds(&verdict);
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
	if (require_card && !require_seal)
		die(EXIT_MISUSE, "--require-card needs --require-seal");
	if (count > LOGS_MAX)
		die(EXIT_MISUSE, "cannot check more than %d logs at once",
		    LOGS_MAX);
	if (signers && access(signers, R_OK) < 0)
		die_errno(EXIT_MISUSE, "cannot open '%s'", signers);
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
