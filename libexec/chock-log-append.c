/* SPDX-License-Identifier: ISC */
/*
 * chock-log-append - add records to a session's log
 *
 * Reads one JSON object a line, makes each a line of a hash chain, and
 * answers it once it is where it must be before anybody acts on it.
 * See chock-log-append(1), chock-log(5).
 */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/line.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/self.h"
#include "log/chain.h"
#include "log/event.h"
#include "log/logfile.h"
#include "log/session.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"

/* So many bytes of answers may wait for the lines to be on the disk. */
#define GROUP_MAX ((size_t)1 << 20)

static const char *log_path;
static int log_fd = -1;
static const char *session;
static const char *kind;
static bool tee;
static bool no_receipt;

static const struct opt_table options = {
	"chock-log-append",
	"-f LOG [OPTION]...\n"
	"--log-fd N --session ID [OPTION]...",
	"add records to a session's log",
	(const struct opt[]){
		{ 'f', "file", "LOG", "add to LOG, which is made if need be",
		  .str = &log_path },
		{ 0, "log-fd", "N",
		  "add to the log that descriptor N is open on",
		  .fd = &log_fd },
		{ 0, "session", "ID",
		  "the session's id (with -f: LOG's name without .jsonl)",
		  .str = &session },
		{ 0, "kind", "KIND",
		  "the kind of records that do not say theirs", .str = &kind },
		{ 0, "tee", NULL, "answer with the record itself",
		  .flag = &tee },
		{ 0, "no-receipt", NULL,
		  "with --tee: do not add seq and hash to the record",
		  .flag = &no_receipt },
		{ .name = NULL },
	},
};

/* What is read and answered; nothing is answered before it is written. */
struct stream {
	struct lines in;
	struct chain chain;
	struct buf answers;
	bool lasting; /* one of those that wait must be on the disk first */
	bool bad;     /* a record was refused */
};

static void refuse(struct stream *stream, const struct record *record,
		   const struct why *why)
{
	refusal_put(&stream->answers, record, stream->in.number, why);
	buf_addc(&stream->answers, '\n');
	stream->bad = true;
}

static void answer(struct stream *stream, const struct event *event)
{
	struct buf *answers = &stream->answers;
	autobuf struct buf receipt = { 0 };

	json_num(&receipt, "seq", (int64_t)stream->chain.count);
	json_str(&receipt, "hash", span_of(stream->chain.head));
	if (!tee) {
		json_open(answers);
		buf_add(answers, buf_span(&receipt));
		json_close(answers);
	} else if (no_receipt || event->error) {
		buf_add(answers, event->record);
	} else {
		json_splice(answers, event->record, buf_span(&receipt));
	}
	buf_addc(answers, '\n');
}

/* Returns 0, -EBADMSG for a record that is refused, or another -errno. */
static int add(struct stream *stream, struct span line, struct record *record,
	       struct why *why)
{
	struct event event = { 0 };
	int r;

	if (line.len > CHAIN_RECORD_MAX)
		return why_set(why, EBADMSG, "a record has at most %zu bytes",
			       CHAIN_RECORD_MAX);
	r = record_read(record, line, why);
	if (!r)
		r = event_read(&event, record, kind, why);
	if (r < 0)
		return r;
	if (tee && !no_receipt && !event.error && record_has(record, "hash"))
		return why_set(why, EBADMSG,
			       "has a field 'hash', which the "
			       "answer adds");
	if (chain_add(&stream->chain, &event, why) < 0)
		return -EIO;
	stream->lasting |= event.lasting;
	answer(stream, &event);
	return 0;
}

static int flush(struct stream *stream, struct why *why)
{
	int r = chain_commit(&stream->chain, stream->lasting, why);

	if (r < 0)
		return r;
	stream->lasting = false;
	r = file_write(STDOUT_FILENO, buf_span(&stream->answers));
	buf_reset(&stream->answers);
	return r < 0 ? why_sys(why, -r, "cannot answer") : 0;
}

/* Lines that are at hand go to the disk together. */
static bool group_ends(const struct stream *stream)
{
	return !lines_pending(&stream->in) || stream->answers.len >= GROUP_MAX;
}

/* Returns 0 at the end of the input, or -errno. */
static int append_all(struct stream *stream, struct why *why)
{
	struct span line;
	int more;
	int r;

	do {
		autorecord struct record record = { 0 };

		more = lines_next(&stream->in, &line, why);
		if (more < 0 && more != -EFBIG && more != -EBADMSG)
			return more;
		r = more > 0 ? add(stream, line, &record, why) : more;
		if (r == -EFBIG || r == -EBADMSG)
			refuse(stream, &record, why);
		else if (r < 0)
			return r;
		if (group_ends(stream) && (r = flush(stream, why)) < 0)
			return r;
	} while (more);
	return 0;
}

static void open_log(struct chain *chain)
{
	autologfile struct logfile file = LOGFILE_CLOSED;
	struct why why = { 0 };
	struct span id;
	int r;

	r = log_path ? logfile_create(&file, log_path, &why)
		     : logfile_inherit(&file, log_fd, &why);
	if (r < 0)
		die_why(&why);
	id = session ? span_of(session) : buf_span(&file.stem);
	if (chain_open(chain, &file, id, &why) < 0)
		die(report_status(&why), "cannot go on with the log: %s",
		    why.text);
}

static void parse(int argc, char **argv)
{
	if (opt_parse(&options, argc, argv) != argc ||
	    !log_path == (log_fd < 0) || (log_fd >= 0 && !session))
		opt_misuse(&options);
	if (session && !session_id_fits(span_of(session)))
		die(EXIT_MISUSE, "--session: an id has 1 to %d bytes",
		    SESSION_ID_MAX);
	if (kind && !event_kind_valid(kind))
		die(EXIT_MISUSE, "--kind: '%s' is no kind of a record", kind);
	if (no_receipt && !tee)
		die(EXIT_MISUSE, "--no-receipt needs --tee");
}

static void drop(struct stream *stream)
{
	chain_close(&stream->chain);
	lines_drop(&stream->in);
	buf_drop(&stream->answers);
}

int main(int argc, char **argv)
{
	struct stream stream = { .chain = CHAIN_CLOSED };
	struct why why = { 0 };
	struct why end = { 0 };
	int r;

	parse(argc, argv);
	/* A full disk or a reader that went away is an errno, not a death. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	/* The log is checked here: the files beside it may have to be made. */
	open_log(&stream.chain);
	if (confine_self(&why) < 0)
		die_why(&why);
	lines_init(&stream.in, STDIN_FILENO);
	r = append_all(&stream, &why);
	if (r < 0)
		warn("%s", why.text);
	/* What was answered is kept, also where going on was not possible. */
	if (chain_finish(&stream.chain, &end) < 0)
		die(EXIT_SYSTEM, "%s", end.text);
	drop(&stream);
	if (r < 0)
		return EXIT_SYSTEM;
	return stream.bad ? EXIT_MISUSE : EXIT_ALLOW;
}
