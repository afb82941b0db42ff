/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - the part that removes the references of work that landed
 *
 * They are what a person could go back to, and nothing removes them by itself.
 */

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-kept.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/quote.h"
#include "workspace/refs.h"

struct landed {
	struct landed *next; /* owned */
	struct buf root;     /* of the project */
	struct names refs;
};

static void take_place(void *context, const char *place)
{
	struct landed **first = context;
	struct landed *item = alloc_zero(1, sizeof(*item));

	kept_landed_refs(&item->refs, &item->root, place);
	item->next = *first;
	*first = item;
}

static void drop_first(struct landed **first)
{
	struct landed *item = *first;

	*first = item->next;
	buf_drop(&item->root);
	names_drop(&item->refs);
	free(item);
}

/* Returns how many there are, with a row for each behind @text. */
static size_t add_rows(struct buf *text, const struct landed *item)
{
	size_t count = 0, i;

	for (; item; item = item->next)
		for (i = 0; i < item->refs.count; i++, count++) {
			quote_line(text, buf_span(&item->root));
			buf_adds(text, "  ");
			quote_line(text, span_of(item->refs.items[i]));
			buf_addc(text, '\n');
		}
	return count;
}

static int remove_refs(struct landed *item)
{
	autoproject struct project project = { 0 };
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (!item->refs.count)
		return EXIT_ALLOW;
	if (project_open(&project, buf_str(&item->root), &why) < 0 ||
	    refs_remove(&project, &item->refs, &why) < 0) {
		warn("%s", why.text);
		return report_status(&why);
	}
	buf_addf(&text, "cleared %zu reference%s in ", item->refs.count,
		 rough_plural(item->refs.count));
	quote_line(&text, buf_span(&item->root));
	buf_addc(&text, '\n');
	print(&text);
	return EXIT_ALLOW;
}

int kept_landed_clear(bool yes)
{
	autobuf struct buf question = { 0 };
	struct landed *first = NULL;
	int status = EXIT_ALLOW;
	bool said = true;
	int r;

	kept_each_place(take_place, &first);
	buf_adds(&question, "chock: remove these references of work that has "
			    "landed:\n");
	if (!add_rows(&question, first))
		warn("no reference is left of work that has landed");
	else
		said = yes || kept_list_confirm(&question);
	if (!said) {
		warn("nothing is removed");
		status = EXIT_DENY;
	}
	while (first) {
		r = said ? remove_refs(first) : EXIT_ALLOW;
		status = r ? r : status;
		drop_first(&first);
	}
	return status;
}
