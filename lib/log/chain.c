/* SPDX-License-Identifier: ISC */
#include "log/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/bug.h"
#include "base/rough.h"
#include "base/why.h"
#include "log/anchor.h"
#include "log/event.h"
#include "log/torn.h"
#include "record/json.h"

/* ---- the file, up to its last whole line ---- */

static int file_size(const struct chain *chain, uint64_t *size, struct why *why)
{
	struct stat st;

	if (fstat(chain->file.fd, &st) < 0)
		return why_sys(why, errno, "cannot look at the log");
	*size = (uint64_t)st.st_size;
	return 0;
}

/* Goes through what is in the file behind at.end. */
static int read_on(struct chain *chain, struct why *why)
{
	int r;

	if (lseek(chain->file.fd, (off_t)chain->at.end, SEEK_SET) < 0)
		return why_sys(why, errno, "cannot read the log");
	lines_drop(&chain->at.lines);
	do
		r = walk_next(&chain->at, NULL, why);
	while (r > 0);
	if (r < 0)
		return why_within(why, "line %llu",
				  (unsigned long long)chain->at.count + 1);
	return 0;
}

static void level(struct chain *chain)
{
	chain->count = chain->at.count;
	memcpy(chain->head, chain->at.head, sizeof(chain->head));
}

/* Takes the writer's lock, and what others wrote since we had it last. */
static int begin(struct chain *chain, struct why *why)
{
	uint64_t size;
	int r;

	if (!chain->file.shared || chain->pending.len)
		return 0;
	r = logfile_begin(&chain->file, why);
	if (r < 0)
		return r;
	r = file_size(chain, &size, why);
	if (r < 0)
		return r;
	if (size < chain->at.end)
		return why_set(why, EBADMSG, "the log was cut");
	if (size > chain->at.end && (r = read_on(chain, why)) < 0)
		return r;
	if (chain->at.torn)
		return why_set(why, EIO, "another writer left a torn line");
	level(chain);
	return 0;
}

static void end(struct chain *chain)
{
	if (chain->file.shared)
		logfile_end(&chain->file);
}

/* ---- adding ---- */

static int put_anchor(struct chain *chain, struct why *why)
{
	int r = anchor_write(chain->anchor_fd, buf_span(&chain->session),
			     chain->at.count, chain->at.head, why);

	if (r < 0)
		return r;
	chain->anchored = chain->at.count;
	return 0;
}

int chain_add(struct chain *chain, const struct event *event, struct why *why)
{
	struct span line;
	size_t start;
	int r;

	bug_if(event->record.len > CHAIN_RECORD_MAX);
	if (!strcmp(event->kind, "workspace.apply")) {
		r = chain_finish(chain, why);
		if (r < 0)
			return r;
	}
	r = begin(chain, why);
	if (r < 0) {
		chain->failed = true;
		return r;
	}
	start = chain->pending.len;
	event_put(&chain->pending, event, chain->count + 1, chain->head);
	line = span_from(buf_span(&chain->pending), start);
	buf_addc(&chain->pending, '\n');
	if (chain->pending.full) {
		/* Half an event is none, and none may follow it. */
		buf_cut(&chain->pending, start);
		chain->failed = true;
		return why_set(why, ENOBUFS, "too many records at once");
	}
	line.data = chain->pending.data + start;
	sha256_hex(chain->head, line);
	chain->count++;
	return 0;
}

/* ---- writing ---- */

/*
 * Whole or not at all, as far as that is in our hands: what a full disk took
 * of the lines is cut off again.
 */
static int write_pending(struct chain *chain, struct why *why)
{
	struct span bytes = buf_span(&chain->pending);
	uint64_t offset = chain->at.end;
	ssize_t done;
	int errnum;

	while (bytes.len) {
		done = pwrite(chain->file.fd, bytes.data, bytes.len,
			      (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			errnum = done < 0 ? errno : ENOSPC;
			(void)!ftruncate(chain->file.fd, (off_t)chain->at.end);
			return why_sys(why, errnum, "cannot write to the log");
		}
		bytes = span_from(bytes, (size_t)done);
		offset += (uint64_t)done;
	}
	chain->at.end = offset;
	chain->at.start = offset;
	chain->at.count = chain->count;
	memcpy(chain->at.head, chain->head, sizeof(chain->at.head));
	buf_reset(&chain->pending);
	return 0;
}

static int sync_log(struct chain *chain, struct why *why)
{
	if (chain->unsynced && fdatasync(chain->file.fd) < 0)
		return why_sys(why, errno, "cannot put the log on the disk");
	chain->unsynced = false;
	return 0;
}

static int commit(struct chain *chain, bool sync, struct why *why)
{
	int r = 0;

	if (chain->pending.len) {
		chain->unsynced = true;
		r = write_pending(chain, why);
	}
	if (!r && chain->at.count - chain->anchored >= ANCHOR_EVERY) {
		r = sync_log(chain, why);
		if (!r)
			r = put_anchor(chain, why);
	}
	if (!r && sync)
		r = sync_log(chain, why);
	return r;
}

int chain_commit(struct chain *chain, bool sync, struct why *why)
{
	bool begun = chain->pending.len;
	int r = commit(chain, sync, why);

	if (begun)
		end(chain);
	chain->failed |= r < 0;
	return r;
}

int chain_finish(struct chain *chain, struct why *why)
{
	int r;

	if (chain->failed)
		return sync_log(chain, why);
	r = begin(chain, why);
	if (!r)
		r = commit(chain, true, why);
	if (!r)
		r = put_anchor(chain, why);
	if (!r && fdatasync(chain->anchor_fd) < 0)
		r = why_sys(why, errno, "cannot put the anchor on the disk");
	end(chain);
	chain->failed |= r < 0;
	return r;
}

/* ---- opening ---- */

static int check_all(struct chain *chain, const struct anchor *anchor,
		     struct why *why)
{
	struct walk_mark *mark = &chain->at.anchor;
	bool met;
	int r;

	walk_init(&chain->at, chain->file.fd, buf_span(&chain->session));
	if (anchor)
		walk_expect(&chain->at, mark, "anchor", anchor->count,
			    anchor->head);
	if (anchor && !anchor->count && !mark->met)
		return why_set(why, EBADMSG, "the anchor is another log's");
	r = read_on(chain, why);
	if (!r)
		r = walk_check_last(&chain->at, why);
	met = mark->met;
	*mark = (struct walk_mark){ .by = NULL };
	if (r < 0 || !anchor)
		return r;
	if (!span_equal(buf_span(&anchor->session), buf_span(&chain->session)))
		return why_set(why, EBADMSG, "the anchor is another session's");
	if (!met)
		return why_set(why, EBADMSG,
			       "it was cut: it has %llu line%s, and had %llu",
			       (unsigned long long)chain->at.count,
			       rough_plural(chain->at.count),
			       (unsigned long long)anchor->count);
	return 0;
}

static int open_anchor(struct chain *chain, int flags, struct why *why)
{
	int fd = logfile_open_beside(&chain->file, LOGFILE_ANCHOR,
				     O_RDWR | flags, why);

	if (fd < 0)
		return fd;
	chain->anchor_fd = fd;
	return 0;
}

/* Returns 1 with an anchor that the log agrees with, 0 without one. */
static int check_anchored(struct chain *chain, struct why *why)
{
	autoanchor struct anchor anchor = { 0 };
	int found = 0;
	int r = open_anchor(chain, 0, why);

	if (r < 0 && r != -ENOENT)
		return r;
	if (!r)
		found = anchor_read(&anchor, chain->anchor_fd, why);
	if (found < 0)
		return found;
	r = check_all(chain, found ? &anchor : NULL, why);
	return r < 0 ? r : found;
}

static int add_own(struct chain *chain, const char *kind,
		   const struct buf *fields, struct why *why)
{
	struct event event = { .record = buf_span(fields), .kind = kind };

	return chain_add(chain, &event, why);
}

/*
 * The bytes go to their new place first.  The event then overwrites them, so
 * that whoever is killed in between leaves a torn tail again, and no gap.
 */
static int recover(struct chain *chain, struct why *why)
{
	autobuf struct buf fields = { 0 };
	int r = torn_move(&fields, &chain->file, chain->at.end, why);

	if (r < 0)
		return r;
	chain->at.torn = false;
	r = add_own(chain, "log.recovered", &fields, why);
	if (!r)
		r = commit(chain, false, why);
	if (!r && ftruncate(chain->file.fd, (off_t)chain->at.end) < 0)
		r = why_sys(why, errno, "cannot write to the log");
	return r;
}

static int say_unanchored(struct chain *chain, struct why *why)
{
	autobuf struct buf fields = { 0 };

	json_open(&fields);
	json_str(&fields, "found", span_of("none"));
	json_close(&fields);
	return add_own(chain, "log.anchor", &fields, why);
}

static int open_checked(struct chain *chain, struct why *why)
{
	int anchored = check_anchored(chain, why);
	int r = 0;

	if (anchored < 0)
		return anchored;
	level(chain);
	if (!anchored)
		r = open_anchor(chain, O_CREAT, why);
	if (!r && !chain->count)
		r = logfile_sync_place(&chain->file, why);
	if (!r && !anchored && chain->count)
		r = say_unanchored(chain, why);
	if (!r && chain->at.torn)
		r = recover(chain, why);
	return r < 0 ? r : chain_finish(chain, why);
}

int chain_open(struct chain *chain, struct logfile *file, struct span session,
	       struct why *why)
{
	bool shared = file->shared;
	int r = 0;

	*chain = CHAIN_CLOSED;
	chain->file = *file;
	*file = LOGFILE_CLOSED;
	buf_add(&chain->session, session);
	if (shared)
		r = logfile_begin(&chain->file, why);
	if (r < 0)
		return r;
	/* Until all of it is checked nobody has a turn. */
	chain->file.shared = false;
	chain->unsynced = true;
	r = open_checked(chain, why);
	chain->file.shared = shared;
	end(chain);
	return r;
}

void chain_close(struct chain *chain)
{
	auto_close(&chain->anchor_fd);
	logfile_close(&chain->file);
	walk_drop(&chain->at);
	buf_drop(&chain->session);
	buf_drop(&chain->pending);
	*chain = CHAIN_CLOSED;
}
