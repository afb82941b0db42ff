/* SPDX-License-Identifier: ISC */
#include "ask/linediff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct lines {
	struct span *line; /* owned */
	size_t count;
};

/* The two texts, and how long the common run is from each pair of lines on. */
struct pair {
	struct lines old;
	struct lines new;
	size_t head;    /* lines that are the same at the start */
	size_t tail;    /* and at the end */
	uint32_t *runs; /* owned; NULL where there are too many */
	linediff_line *tell;
	void *context; /* borrowed */
};

static void split(struct lines *lines, struct span text)
{
	while (text.len) {
		const char *end = memchr(text.data, '\n', text.len);
		size_t len = end ? (size_t)(end - text.data) : text.len;

		lines->line = alloc_array(lines->line, lines->count,
					  sizeof(*lines->line));
		lines->line[lines->count++] = (struct span){ text.data, len };
		text = span_from(text, len + 1);
	}
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void find_ends(struct pair *pair)
{
	size_t most = least(pair->old.count, pair->new.count);

	while (pair->head < most && span_equal(pair->old.line[pair->head],
					       pair->new.line[pair->head]))
		pair->head++;
	while (pair->tail < most - pair->head &&
	       span_equal(pair->old.line[pair->old.count - pair->tail - 1],
			  pair->new.line[pair->new.count - pair->tail - 1]))
		pair->tail++;
}

static size_t cell(const struct pair *pair, size_t old, size_t new)
{
	size_t width = pair->new.count - pair->tail - pair->head + 1;

	return (old - pair->head) * width + (new - pair->head);
}

static void find_runs(struct pair *pair)
{
	size_t olds = pair->old.count - pair->tail - pair->head;
	size_t news = pair->new.count - pair->tail - pair->head;
	size_t old, new;

	if (olds > LINEDIFF_CELLS_MAX / (news + 1))
		return;
	pair->runs = alloc_zero((olds + 1) * (news + 1), sizeof(*pair->runs));
	for (old = pair->head + olds; old-- > pair->head;)
		for (new = pair->head + news; new -- > pair->head;) {
			uint32_t *run = &pair->runs[cell(pair, old, new)];
			uint32_t down = pair->runs[cell(pair, old + 1, new)];
			uint32_t right = pair->runs[cell(pair, old, new + 1)];

			*run = down > right ? down : right;
			if (span_equal(pair->old.line[old],
				       pair->new.line[new]))
				*run = pair->runs[cell(pair, old + 1,
						       new + 1)] +
				       1;
		}
}

static void tell_old(struct pair *pair, size_t old)
{
	pair->tell(pair->context, LINE_WENT, old + 1, pair->old.line[old]);
}

static void tell_new(struct pair *pair, enum linediff what, size_t new)
{
	pair->tell(pair->context, what, new + 1, pair->new.line[new]);
}

static void tell_middle(struct pair *pair)
{
	size_t old_end = pair->old.count - pair->tail;
	size_t new_end = pair->new.count - pair->tail;
	size_t old = pair->head;
	size_t new = old;

	while (pair->runs && old < old_end && new < new_end) {
		if (span_equal(pair->old.line[old], pair->new.line[new])) {
			tell_new(pair, LINE_STAYED, new ++);
			old++;
		} else if (pair->runs[cell(pair, old + 1, new)] >=
			   pair->runs[cell(pair, old, new + 1)]) {
			tell_old(pair, old++);
		} else {
			tell_new(pair, LINE_CAME, new ++);
		}
	}
	while (old < old_end)
		tell_old(pair, old++);
	while (new < new_end)
		tell_new(pair, LINE_CAME, new ++);
}

void linediff(struct span old, struct span new, linediff_line *line,
	      void *context)
{
	struct pair pair = { .tell = line, .context = context };
	size_t i;

	split(&pair.old, old);
	split(&pair.new, new);
	find_ends(&pair);
	find_runs(&pair);
	for (i = 0; i < pair.head; i++)
		tell_new(&pair, LINE_STAYED, i);
	tell_middle(&pair);
	for (i = pair.new.count - pair.tail; i < pair.new.count; i++)
		tell_new(&pair, LINE_STAYED, i);
	free(pair.old.line);
	free(pair.new.line);
	free(pair.runs);
}
