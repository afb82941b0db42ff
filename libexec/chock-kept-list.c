/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - the part that lists kept workspaces, a row each
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/terminal.h"
#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/rough.h"
#include "chock-kept.h"
#include "log/stamp.h"
#include "workspace/own.h"
#include "workspace/quote.h"

/* That the project has the work, or is not there any more. */
static void add_place(struct buf *text, const struct kept *kept)
{
	autofree char *project =
		alloc_copy(kept->project.data, kept->project.len);
	autofree char *adopted =
		alloc_text("%s/" OWN_ADOPTED "/%s", project, kept->id);

	if (!access(adopted, F_OK))
		buf_adds(text, "; was adopted");
	else if (access(project, F_OK) < 0 && errno == ENOENT)
		buf_adds(text, "; the project is not there any more");
}

void kept_list_row(struct buf *text, const struct kept *kept)
{
	const uint64_t started = kept->started / 1000;
	const uint64_t now = stamp_now() / 1000;
	autobuf struct buf size = { 0 };
	autobuf struct buf age = { 0 };

	rough_size(&size, kept->bytes);
	rough_age(&age, now > started ? now - started : 0);
	buf_addf(text, "%s %8s %5s  ", kept->id, buf_str(&size), buf_str(&age));
	if (kept->project.len)
		quote_line(text, buf_span(&kept->project));
	else
		buf_adds(text, "(never whole)");
	buf_adds(text, "  ");
	quote_line(text, buf_span(&kept->ended));
	if (kept->project.len)
		add_place(text, kept);
	if (kept->expires) {
		buf_adds(text, "; kept for another ");
		rough_age(text, kept->expires > now ? kept->expires - now : 0);
	}
	buf_addc(text, '\n');
}

void kept_list_add(struct kept_list *listing, const struct kept *kept)
{
	struct kept *copy;

	listing->items = alloc_array(listing->items, listing->count,
				     sizeof(*listing->items));
	copy = &listing->items[listing->count++];
	kept_copy(copy, kept);
	kept_measure(copy);
}

static void told(void *context, const struct kept *kept)
{
	kept_list_add(context, kept);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct kept *)a)->id,
		      ((const struct kept *)b)->id);
}

void kept_list_drop(struct kept_list *listing)
{
	while (listing->count)
		kept_drop(&listing->items[--listing->count]);
	free(listing->items);
	*listing = (struct kept_list){ 0 };
}

void kept_list_all(struct kept_list *listing)
{
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "measuring what is kept");
	kept_each(told, listing);
	if (listing->count)
		qsort(listing->items, listing->count, sizeof(*listing->items),
		      by_id);
}

bool kept_list_confirm(const struct buf *question)
{
	int r = terminal_confirm(buf_span(question), span_of("remove? [y/N] "));

	if (r < 0)
		die(EXIT_DENY, "there is no terminal to ask on, and nothing is "
			       "removed; --yes would");
	return r;
}
