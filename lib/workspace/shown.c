/* SPDX-License-Identifier: ISC */
#include "workspace/shown.h"

#include <stdbool.h>

#include "base/rough.h"
#include "workspace/quote.h"

#define ROW_BYTES 70 /* of a line, in a row of 80 columns with its margin */

size_t shown_rows(struct span line)
{
	return 1 + line.len / ROW_BYTES;
}

static void put_file(struct buf *line, char status, const char *path)
{
	buf_reset(line);
	buf_addf(line, "  %c ", status);
	quote_line(line, span_of(path));
	buf_addc(line, '\n');
}

static void put_commit(struct buf *line, const char *subject)
{
	struct span shown = span_of(subject);
	const bool cut = shown.len > SHOWN_SUBJECT_MAX;

	shown.len = cut ? SHOWN_SUBJECT_MAX : shown.len;
	buf_reset(line);
	buf_adds(line, "  ");
	quote_line(line, shown);
	buf_adds(line, cut ? "...\n" : "\n");
}

/*
 * Puts the first files behind @detail, as many as @rows have room for and one
 * at least; with @detail NULL, none.  Returns the rows.
 */
static size_t add_files(struct buf *detail, const struct effect *effect,
			size_t rows)
{
	autobuf struct buf line = { 0 };
	size_t used = 0, i;

	for (i = 0; i < effect->change_count; i++) {
		put_file(&line, effect->changes[i].status,
			 effect->changes[i].path);
		if (i && used + shown_rows(buf_span(&line)) > rows)
			break;
		used += shown_rows(buf_span(&line));
		if (detail)
			buf_add(detail, buf_span(&line));
	}
	if (detail && i < effect->change_count)
		buf_addf(detail, "  and %zu more, which the diff shows\n",
			 effect->change_count - i);
	return i < effect->change_count ? rows : used;
}

/* The same of the last commits, for the first are those that they stand on. */
static size_t add_commits(struct buf *detail, const struct effect *effect,
			  const struct names *lines, size_t rows)
{
	autobuf struct buf line = { 0 };
	size_t used = 0, i = lines->count;

	while (i) {
		put_commit(&line, lines->items[i - 1]);
		if (i < lines->count &&
		    used + shown_rows(buf_span(&line)) > rows)
			break;
		used += shown_rows(buf_span(&line));
		i--;
	}
	rows = i || effect->commits > lines->count ? rows : used;
	if (!detail)
		return rows;
	if (effect->commits - (lines->count - i))
		buf_addf(detail, "  %zu before these, and\n",
			 effect->commits - (lines->count - i));
	for (; i < lines->count; i++) {
		put_commit(&line, lines->items[i]);
		buf_add(detail, buf_span(&line));
	}
	return rows;
}

void shown_work(struct buf *detail, const struct effect *lands,
		const struct effect *work, const struct names *subjects)
{
	const size_t all = SHOWN_ROWS_MAX;
	const size_t files = add_files(NULL, lands, all);
	size_t commits = add_commits(NULL, work, subjects, all);

	if (commits > all / 2)
		commits = files < all / 2 ? all - files : all / 2;
	buf_addf(detail, "%zu file%s:\n", lands->change_count,
		 rough_plural(lands->change_count));
	add_files(detail, lands, all - commits);
	buf_addf(detail, "%zu commit%s:\n", work->commits,
		 rough_plural(work->commits));
	add_commits(detail, work, subjects, commits);
}
