/* SPDX-License-Identifier: ISC */
/*
 * The logs from which a session goes on: its own, and its ancestors'.
 *
 * A log is opened twice before the program confines itself, for it is read
 * twice: first it is held to its chain and its anchor, then what holds of it
 * is taken over.  What was written in between is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-policy-eval.h"
#include "digest/sha256.h"
#include "log/logfile.h"
#include "log/verdict.h"
#include "log/walk.h"
#include "record/record.h"

#define LOGS_MAX 64

struct state_log {
	const char *path;           /* borrowed */
	struct logfile file, again; /* owned */
	int anchor_fd;              /* owned, -1 without one */
};

static void open_log(struct state_log *log, const char *path)
{
	struct why why = { 0 };

	*log = (struct state_log){ .path = path,
				   .file = LOGFILE_CLOSED,
				   .again = LOGFILE_CLOSED,
				   .anchor_fd = -1 };
	if (logfile_find(&log->file, path, &why) < 0 ||
	    logfile_find(&log->again, path, &why) < 0)
		die_why(&why);
	log->anchor_fd =
		logfile_open_beside(&log->file, LOGFILE_ANCHOR, O_RDONLY, &why);
	if (log->anchor_fd < 0 && log->anchor_fd != -ENOENT)
		die_why(&why);
}

/* The first digest and the first record read what later cannot be opened. */
static void warm_up(void)
{
	char digest[SHA256_HEX + 1];
	struct why why = { 0 };

	sha256_hex(digest, span_of(""));
	if (record_warm_up(&why) < 0)
		die_why(&why);
}

void state_open(struct judge *judge)
{
	const struct opt_list *states = &judge->options->states;
	size_t i;

	if (!states->count)
		return;
	if (states->count > LOGS_MAX)
		die(EXIT_MISUSE, "cannot go on from more than %d logs",
		    LOGS_MAX);
	judge->logs = alloc_zero(states->count, sizeof(*judge->logs));
	for (i = 0; i < states->count; i++)
		open_log(&judge->logs[i], states->items[i]);
	warm_up();
}

/*
 * A torn last line was never acknowledged; all before it hold, if the anchor
 * says that they are all: what was cut off within a line is torn as well.
 */
static void check_log(const struct state_log *log, struct verdict *verdict)
{
	const struct evidence evidence = {
		.session = buf_span(&log->file.stem),
		.log_fd = log->file.fd,
		.anchor_fd = log->anchor_fd,
	};
	struct why why = { 0 };

	if (verdict_reach(verdict, &evidence, &why) < 0)
		die(EXIT_SYSTEM, "'%s': %s", log->path, why.text);
	if (verdict_holds(verdict) ||
	    (verdict->outcome == VERDICT_TORN && verdict->anchored))
		return;
	if (verdict->outcome == VERDICT_TORN)
		die(EXIT_MISUSE,
		    "cannot go on from '%s': it is torn and unanchored: "
		    "nothing says how long it was",
		    log->path);
	if (verdict->outcome == VERDICT_BROKEN)
		die(EXIT_MISUSE,
		    "cannot go on from '%s': it is broken at line %llu: %s",
		    log->path, (unsigned long long)verdict->count + 1,
		    verdict->why.text);
	die(EXIT_MISUSE, "cannot go on from '%s': it is %s: %s", log->path,
	    verdict_word(verdict), verdict->why.text);
}

static void fold_log(struct stream *stream, const struct state_log *log)
{
	autorecord struct record record = { 0 };
	autowalk struct walk walk = { .count = 0 };
	struct verdict verdict;
	struct why why = { 0 };
	int r = 1;

	check_log(log, &verdict);
	walk_init(&walk, log->again.fd, buf_span(&log->again.stem));
	while (walk.count < verdict.count &&
	       (r = walk_next(&walk, &record, &why)) > 0)
		stream_fold(stream, &record);
	if (r < 0 && r != -EBADMSG)
		die(EXIT_SYSTEM, "'%s': %s", log->path, why.text);
	if (walk.count < verdict.count || strcmp(walk.head, verdict.head) != 0)
		die(EXIT_MISUSE,
		    "cannot go on from '%s': it changed while it was read",
		    log->path);
}

void state_fold(struct judge *judge)
{
	size_t i;

	for (i = 0; judge->logs && i < judge->options->states.count; i++) {
		struct state_log *log = &judge->logs[i];

		fold_log(&judge->stream, log);
		logfile_close(&log->file);
		logfile_close(&log->again);
		auto_close(&log->anchor_fd);
	}
	free(judge->logs);
	judge->logs = NULL;
}
