/* SPDX-License-Identifier: ISC */
#include "log/walk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "log/stamp.h"

void walk_init(struct walk *walk, int fd, struct span session)
{
	*walk = (struct walk){ .count = 0 };
	lines_init(&walk->lines, fd);
	sha256_hex(walk->head, session);
	memcpy(walk->before, walk->head, sizeof(walk->before));
}

void walk_expect(const struct walk *walk, struct walk_mark *mark,
		 const char *by, uint64_t count, const char *head)
{
	*mark = (struct walk_mark){ .by = by, .count = count };
	memcpy(mark->head, head, sizeof(mark->head));
	mark->met = !count && !strcmp(walk->head, head);
}

/* Whether @line goes on with @text; moves behind it if so. */
static bool skip(struct span *line, const char *text)
{
	if (!span_starts(*line, text))
		return false;
	*line = span_from(*line, strlen(text));
	return true;
}

static bool skip_stamp(struct span *line)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
	size_t i;

	if (line->len < STAMP_LEN)
		return false;
	for (i = 0; i < STAMP_LEN; i++) {
		char c = line->data[i];

		if (form[i] == 'd' ? c < '0' || c > '9' : c != form[i])
			return false;
	}
	*line = span_from(*line, STAMP_LEN);
	return true;
}

/*
 * Our own fields are first and spelt in one way only, so they are compared
 * and not parsed.
 */
static int check_line(const struct walk *walk, struct span line,
		      struct why *why)
{
	char seq[40];

	(void)snprintf(seq, sizeof(seq), "{\"seq\":%llu,",
		       (unsigned long long)walk->count + 1);
	if (!skip(&line, seq))
		return why_set(why, EBADMSG, "does not start with %s", seq);
	if (!skip(&line, "\"time\":\"") || !skip_stamp(&line) ||
	    !skip(&line, "\",\"prev\":\""))
		return why_set(why, EBADMSG, "not a line of a log");
	if (!skip(&line, walk->head))
		return why_set(why, EBADMSG,
			       walk->count ? "prev is not the hash of the line "
					     "before it"
					   : "prev is not the hash of the "
					     "session's id");
	if (!skip(&line, "\","))
		return why_set(why, EBADMSG, "not a line of a log");
	return 0;
}

/* Whether line @number, which has the hash @head, is what @mark says of it. */
static int check_mark(struct walk_mark *mark, uint64_t number, const char *head,
		      struct why *why)
{
	if (!mark->by || number != mark->count)
		return 0;
	mark->met = !strcmp(head, mark->head);
	if (mark->met)
		return 0;
	return why_set(why, EBADMSG, "not the line that the %s names",
		       mark->by);
}

/* A line that is not JSON is torn if it is the last one, else the break. */
static int judge_garbage(struct walk *walk, struct why *why)
{
	struct why behind = { 0 };
	struct span line;
	int r = lines_next(&walk->lines, &line, &behind);

	walk->torn = !r;
	if (!r)
		return 0;
	if (r < 0 && r != -EBADMSG && r != -EFBIG) {
		*why = behind;
		return r;
	}
	return why_set(why, EBADMSG, "not JSON");
}

static int take_line(struct walk *walk, struct span line, struct why *why)
{
	char head[SHA256_HEX + 1];
	int r;

	sha256_hex(head, line);
	r = check_mark(&walk->anchor, walk->count + 1, head, why);
	if (!r)
		r = check_mark(&walk->seal, walk->count + 1, head, why);
	if (r < 0)
		return r;
	walk->count++;
	walk->start = walk->end;
	walk->end += line.len + 1;
	memcpy(walk->before, walk->head, sizeof(walk->before));
	memcpy(walk->head, head, sizeof(walk->head));
	return 1;
}

static bool is_json(struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	return record_read(&record, line, &why) == 0;
}

int walk_next(struct walk *walk, struct record *record, struct why *why)
{
	struct span line;
	int r = lines_next(&walk->lines, &line, why);

	if (r == -EBADMSG)
		walk->torn = true;
	if (!r || r == -EBADMSG)
		return 0;
	if (r == -EFBIG)
		return why_set(why, EBADMSG, "longer than %zu bytes",
			       LINE_MAX_LEN);
	if (r < 0)
		return r;
	if (record) {
		record_drop(record);
		if (record_read(record, line, why) < 0)
			return judge_garbage(walk, why);
	}
	r = check_line(walk, line, why);
	if (r < 0 && !record && !is_json(line))
		return judge_garbage(walk, why);
	return r < 0 ? r : take_line(walk, line, why);
}

static int read_last(struct buf *line, const struct walk *walk, struct why *why)
{
	size_t len = (size_t)(walk->end - walk->start) - 1;
	ssize_t got;

	(void)buf_grow(line, len);
	got = pread(walk->lines.fd, line->data, len, (off_t)walk->start);
	if (got < 0)
		return why_sys(why, errno, "cannot read the log");
	if ((size_t)got != len)
		return why_set(why, EIO, "the log shrinks while it is read");
	line->len = len;
	return 0;
}

int walk_check_last(struct walk *walk, struct why *why)
{
	autobuf struct buf line = { 0 };
	int r;

	if (walk->end == walk->start)
		return 0;
	r = read_last(&line, walk, why);
	if (r < 0 || is_json(buf_span(&line)))
		return r;
	/* Bytes that are covered twice over were not torn but put there. */
	if (walk->torn ||
	    (walk->anchor.met && walk->anchor.count == walk->count))
		return why_set(why, EBADMSG, "line %llu: not JSON",
			       (unsigned long long)walk->count);
	walk->torn = true;
	walk->count--;
	walk->end = walk->start;
	memcpy(walk->head, walk->before, sizeof(walk->head));
	return 0;
}

void walk_drop(struct walk *walk)
{
	lines_drop(&walk->lines);
}
