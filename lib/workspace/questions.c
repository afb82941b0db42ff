/* SPDX-License-Identifier: ISC */
#include "workspace/questions.h"

#include <string.h>

#include "record/json.h"
#include "workspace/protect.h"
#include "workspace/quote.h"

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
} all[] = {
	{ "workspace.policy", "policy file", "policy files", why_policy },
	{ "workspace.protected", "file that runs later on the host",
	  "files that run later on the host", why_protected },
};

/* The changes that one record is about. */
struct part {
	const struct questions_of *of;
	const struct asked *asked;
	const struct effect_change *changes[QUESTIONS_FILES_MAX];
	size_t count;
	size_t bytes;
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

static void print_detail(struct buf *record, const struct part *part)
{
	autobuf struct buf detail = { 0 };
	size_t i;

	buf_adds(&detail, "as a diff, in another terminal:\n  ");
	elsewhere_diff(&detail, part->of->dir, part->of->kind);
	buf_addc(&detail, '\n');
	for (i = 0; i < part->count; i++) {
		buf_addf(&detail, "  %c ", part->changes[i]->status);
		quote_line(&detail, span_of(part->changes[i]->path));
		buf_addf(&detail, "  (%s)\n",
			 part->asked->why(part->changes[i]));
	}
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
}

static void print_all(struct buf *records, const struct asked *asked,
		      const struct effect *e, const struct questions_of *of)
{
	struct part part = { .of = of, .asked = asked };
	size_t i;

	for (i = 0; i < e->change_count; i++) {
		const size_t len = strlen(e->changes[i].path);

		if (!asked->why(&e->changes[i]))
			continue;
		if (part.count == QUESTIONS_FILES_MAX ||
		    part.bytes + len > QUESTIONS_BYTES_MAX)
			print_part(records, &part, e);
		part.changes[part.count++] = &e->changes[i];
		part.bytes += len;
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
