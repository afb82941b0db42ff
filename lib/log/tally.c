/* SPDX-License-Identifier: ISC */
#include "log/tally.h"

#include "base/why.h"
#include "record/record.h"

static void take_start(struct tally *tally, const struct record *record)
{
	buf_reset(&tally->project);
	(void)value_bytes(&tally->project, record_get(record, "project"));
}

/* What goes on after an end has not ended. */
static void take_end(struct tally *tally, const struct record *record)
{
	tally->exit = 0;
	(void)value_int(&tally->exit, record_get(record, "exit"));
	(void)value_text(&tally->how, record_get(record, "how"));
	if (!tally->how.len)
		buf_adds(&tally->how, "it ended");
}

static void take_decision(struct tally *tally, const struct record *record)
{
	if (!value_is(record_get(record, "decision"), "deny"))
		return;
	tally->denied++;
	tally->calls += record_has(record, "tool");
}

static void take_ask(struct tally *tally, const struct record *record)
{
	const struct record_value *effect = record_get(record, "effect");
	int64_t files = 0;

	tally->asked++;
	if (!value_is(record_get(record, "action"), "workspace.apply"))
		return;
	(void)value_int(&files, value_field(effect, "file_count"));
	tally->proposed = files > 0 ? (uint64_t)files : 0;
}

/* A call that was refused before it ran was counted when it was denied. */
static void take_result(struct tally *tally, const struct record *record)
{
	const struct record_value *result = record_get(record, "result");
	const struct record_value *denials = record_get(record, "denials");

	if (value_field(result, "refused"))
		return;
	tally->calls++;
	tally->refused +=
		value_count(denials ? denials : value_field(result, "denials"));
}

static void take_work(struct tally *tally, const struct record *record)
{
	tally->files += tally->proposed;
	tally->proposed = 0;
	(void)record;
}

static const struct {
	const char *kind;
	void (*take)(struct tally *tally, const struct record *record);
} kinds[] = {
	{ "session.start", take_start },
	{ "session.end", take_end },
	{ "decision", take_decision },
	{ "answer", take_decision },
	{ "ask", take_ask },
	{ "result", take_result },
	{ "workspace.integrate", take_work },
};

void tally_take(struct tally *tally, const struct record *record)
{
	const struct record_value *kind = record_get(record, "kind");
	size_t i;

	tally->events++;
	buf_reset(&tally->how);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (value_is(kind, kinds[i].kind))
			kinds[i].take(tally, record);
}

void tally_line(struct tally *tally, struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	if (!record_read(&record, line, &why))
		tally_take(tally, &record);
}

void tally_drop(struct tally *tally)
{
	buf_drop(&tally->project);
	buf_drop(&tally->how);
	*tally = (struct tally){ 0 };
}
