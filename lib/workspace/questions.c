/* SPDX-License-Identifier: ISC */
#include "workspace/questions.h"

#include <string.h>

#include "record/json.h"
#include "workspace/protect.h"
#include "workspace/quote.h"

#define ROW_BYTES 64 /* of a row of 80 columns, within the margins */
#define TOP_MAX 60   /* bytes of a directory's name, beside a count */

static const char *why_policy(const struct effect_change *change)
{
	return change->policy ? "the policy is read from it" : NULL;
}

static const char *why_protected(const struct effect_change *change)
{
	return protect_word(change->protect);
}

static const struct asked {
	const char *action;
	const char *one;
	const char *more;
	const char *(*why)(const struct effect_change *change);
	bool ranked; /* by why they are protected */
} all[] = {
	{ "workspace.policy", "policy file", "policy files", why_policy,
	  false },
	{ "workspace.protected", "file that runs later on the host",
	  "files that run later on the host", why_protected, true },
};

/* The changes that one record is about. */
struct part {
	const struct questions_of *of;
	const struct asked *asked;
	const struct effect_change *changes[QUESTIONS_FILES_MAX];
	size_t count;
	size_t bytes;
	size_t rows; /* of those that are not only counted */
};

static void print_files(struct buf *record, const struct part *part)
{
	size_t i;

	json_open_array(record, "files");
	for (i = 0; i < part->count; i++) {
		const struct effect_change *change = part->changes[i];

		json_item_object(record);
		json_str(record, "path", span_of(change->path));
		json_str(record, "status", (struct span){ &change->status, 1 });
		json_str(record, "why", span_of(part->asked->why(change)));
		json_close_object(record);
	}
	json_close_array(record);
}

/* The row of a file, and how many it takes on a terminal of 80 columns. */
static size_t put_row(struct buf *row, const struct part *part,
		      const struct effect_change *change)
{
	buf_reset(row);
	buf_addf(row, "  %c ", change->status);
	quote_line(row, span_of(change->path));
	buf_addf(row, "  (%s)\n", part->asked->why(change));
	return 1 + row->len / ROW_BYTES;
}

/* Of what stands at the top the directory is ".". */
static struct span top_of(const char *path)
{
	const char *slash = strchr(path, '/');

	return slash ? (struct span){ path, (size_t)(slash - path) }
		     : span_of(".");
}

/* Those from @i on, which are in the order of their paths. */
static void add_counts(struct buf *detail, const struct part *part, size_t i)
{
	size_t rows, count;

	for (rows = 0; i < part->count && rows < QUESTIONS_COUNTS_MAX; rows++) {
		const struct span top = top_of(part->changes[i]->path);
		struct span shown = top;

		for (count = 0; i < part->count &&
				span_equal(top, top_of(part->changes[i]->path));
		     count++)
			i++;
		shown.len = top.len < TOP_MAX ? top.len : TOP_MAX;
		buf_addf(detail, "  and %zu more in ", count);
		quote_line(detail, shown);
		buf_adds(detail, shown.len < top.len ? "...\n" : "\n");
	}
	if (i < part->count)
		buf_addf(detail, "  and %zu more elsewhere\n", part->count - i);
}

static void print_detail(struct buf *record, const struct part *part)
{
	autobuf struct buf detail = { 0 };
	autobuf struct buf row = { 0 };
	size_t rows = 0;
	size_t i;

	buf_adds(&detail, "as a diff, in another terminal:\n  ");
	elsewhere_diff(&detail, part->of->dir, part->of->kind);
	buf_addc(&detail, '\n');
	for (i = 0; i < part->count; i++) {
		rows += put_row(&row, part, part->changes[i]);
		if (i && rows > QUESTIONS_ROWS_MAX)
			break;
		buf_add(&detail, buf_span(&row));
	}
	add_counts(&detail, part, i);
	json_str(record, "detail", buf_span(&detail));
}

static void print_summary(struct buf *record, const struct part *part)
{
	autobuf struct buf summary = { 0 };

	buf_addf(&summary, "change %zu %s", part->count,
		 part->count == 1 ? part->asked->one : part->asked->more);
	json_str(record, "summary", buf_span(&summary));
}

static void print_part(struct buf *records, struct part *part,
		       const struct effect *e)
{
	size_t i;

	if (!part->count)
		return;
	json_open(records);
	json_str(records, "action", span_of(part->asked->action));
	json_str(records, "source", span_of("workspace"));
	print_summary(records, part);
	print_detail(records, part);
	json_open_array(records, "paths");
	for (i = 0; i < part->count; i++)
		json_item(records, span_of(part->changes[i]->path));
	json_close_array(records);
	json_open_object(records, "effect");
	json_str(records, "session", part->of->session);
	if (e->to.len)
		json_str(records, "to", buf_span(&e->to));
	json_str(records, "tree", buf_span(&e->tree));
	print_files(records, part);
	json_close_object(records);
	json_close_line(records);
	part->count = 0;
	part->bytes = 0;
	part->rows = 0;
}

static bool is_full(const struct part *part, size_t len, size_t rows)
{
	return part->count == QUESTIONS_FILES_MAX ||
	       part->bytes + len > QUESTIONS_BYTES_MAX ||
	       (part->count && part->rows + rows > QUESTIONS_ROWS_MAX);
}

/* What only can be executed may be counted, and takes no row from the others,
 * which come before it. */
static void add_change(struct buf *records, struct part *part,
		       const struct effect_change *change,
		       const struct effect *e)
{
	autobuf struct buf row = { 0 };
	const size_t len = strlen(change->path);
	const bool counted = part->asked->ranked &&
			     change->protect == PROTECT_EXECUTABLE;
	const size_t rows = counted ? 0 : put_row(&row, part, change);

	if (is_full(part, len, rows))
		print_part(records, part, e);
	part->changes[part->count++] = change;
	part->bytes += len;
	part->rows += rows;
}

static void print_all(struct buf *records, const struct asked *asked,
		      const struct effect *e, const struct questions_of *of)
{
	struct part part = { .of = of, .asked = asked };
	unsigned int rank;
	size_t i;

	for (rank = 0; rank < (asked->ranked ? PROTECT_REASONS : 1); rank++)
		for (i = 0; i < e->change_count; i++) {
			const struct effect_change *change = &e->changes[i];

			if (asked->why(change) &&
			    (!asked->ranked || change->protect == rank))
				add_change(records, &part, change, e);
		}
	print_part(records, &part, e);
}

void questions_print(struct buf *records, const struct effect *effect,
		     const struct questions_of *of)
{
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		print_all(records, &all[i], effect, of);
}
