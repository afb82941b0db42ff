/* SPDX-License-Identifier: ISC */
#include "base/line.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bug.h"
#include "base/why.h"

#define READ_ROOM ((size_t)64 << 10)

void lines_init(struct lines *lines, int fd)
{
	*lines = (struct lines){ .fd = fd };
}

/* The first newline at @from or behind it, in what is held. */
static char *newline_in(const struct lines *lines, size_t from)
{
	if (from >= lines->held.len)
		return NULL;
	return memchr(lines->held.data + from, '\n', lines->held.len - from);
}

/* Reads once, behind what is held; what was returned already goes. */
static int read_more(struct lines *lines, struct why *why)
{
	struct buf *held = &lines->held;
	ssize_t got;

	if (lines->start) {
		memmove(held->data, held->data + lines->start,
			held->len - lines->start);
		held->len -= lines->start;
		lines->start = 0;
	}
	/* Whoever sends a line byte by byte must not have it searched anew. */
	lines->searched = held->len;
	bug_if(!buf_grow(held, READ_ROOM));
	do
		got = read(lines->fd, held->data + held->len, READ_ROOM);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return why_sys(why, errno, "cannot read the input");
	held->len += (size_t)got;
	held->data[held->len] = '\0';
	lines->ended = !got;
	return 0;
}

static int too_long(struct lines *lines, struct why *why)
{
	return why_set(why, EFBIG, "line %llu: longer than %zu bytes",
		       (unsigned long long)lines->number, LINE_MAX_LEN);
}

/* The end of the input: fine between lines, an error within one. */
static int at_end(struct lines *lines, struct why *why)
{
	bool cut = lines->start != lines->held.len || lines->skipping;

	lines->start = lines->held.len;
	lines->skipping = false;
	if (!cut)
		return 0;
	lines->number++;
	return why_set(why, EBADMSG, "line %llu: the input ends within it",
		       (unsigned long long)lines->number);
}

int lines_next(struct lines *lines, struct span *line, struct why *why)
{
	char *end;
	int r;

	for (;;) {
		end = newline_in(lines, lines->searched);
		if (!end && lines->ended)
			return at_end(lines, why);
		if (!end) {
			if (lines->held.len - lines->start > LINE_MAX_LEN) {
				lines->start = lines->held.len;
				lines->skipping = true;
			}
			r = read_more(lines, why);
			if (r < 0)
				return r;
			continue;
		}
		line->data = lines->held.data + lines->start;
		line->len = (size_t)(end - line->data);
		lines->start += line->len + 1;
		lines->searched = lines->start;
		lines->number++;
		if (lines->skipping || line->len > LINE_MAX_LEN) {
			lines->skipping = false;
			return too_long(lines, why);
		}
		return 1;
	}
}

bool lines_pending(const struct lines *lines)
{
	return newline_in(lines, lines->start) != NULL;
}

void lines_drop(struct lines *lines)
{
	buf_drop(&lines->held);
	*lines = (struct lines){ .fd = lines->fd };
}
