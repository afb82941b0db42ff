/* SPDX-License-Identifier: ISC */
#include "ask/question.h"

#include <stdbool.h>
#include <string.h>

#include "ask/show.h"
#include "base/bug.h"
#include "base/rough.h"
#include "base/span.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* These stand last, in this order. */
static const char *const known[] = { "id",      "agent",  "source", "summary",
				     "actions", "action", "rule" };

/* These say nothing about the effect: the answer that is being looked for,
 * and what differs each time that the same is asked. */
static const char *const apart[] = { "decision", "seq", "hash", "layer",
				     "backed_by" };
static const char *const numbering[] = { "id", "seq", "hash" };

struct page {
	struct buf *text; /* borrowed */
	struct show how;
	const char *above; /* the object that is being shown, or NULL */
	size_t fields;
	size_t left_out;
	bool in_words; /* there is a detail, so the effect says nothing more */
	bool one_need; /* and the needs say nothing that stands elsewhere */
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/*
 * The names in an array of strings, one behind the other; false if it is not
 * one, or if a name could be taken for several.
 */
static bool join(struct buf *text, const struct record_value *names,
		 const char *between)
{
	size_t count = value_count(names);
	size_t i;

	for (i = 0; i < count; i++) {
		size_t start;

		if (i)
			buf_adds(text, between);
		start = text->len;
		if (value_text(text, value_at(names, i)) < 0 ||
		    text->len == start || strpbrk(text->data + start, between))
			return false;
	}
	return count > 0;
}

/* Behind @text, the string @name of @need; false if it is no plain one. */
static bool put_string(struct buf *text, const struct record_value *need,
		       const char *name)
{
	const char *string = value_string(value_field(need, name));

	if (!string || !*string || strchr(string, '\n'))
		return false;
	buf_adds(text, string);
	return true;
}

/* Behind @text, what is noted of @need, in brackets. */
static bool put_notes(struct buf *text, const struct record_value *need)
{
	const struct record_value *notes = value_field(need, "notes");
	size_t i;

	for (i = 0; i < value_count(notes); i++) {
		const char *note = value_string(value_at(notes, i));

		if (!note || strchr(note, '\n'))
			return false;
		buf_adds(text, i ? "; " : " (");
		buf_adds(text, note);
	}
	if (i)
		buf_addc(text, ')');
	return !notes || i;
}

static void count_field(void *context, const char *name,
			const struct record_value *value)
{
	size_t *count = context;

	(void)name;
	(void)value;
	++*count;
}

/* "ACTION: DECISION RULE (NOTES)"; false if @need says more, or another. */
static bool put_need(struct buf *text, const struct record_value *need)
{
	size_t fields = 0;

	value_each(need, count_field, &fields);
	if (fields != (value_field(need, "notes") ? 4 : 3) ||
	    !put_string(text, need, "action"))
		return false;
	buf_adds(text, ": ");
	if (!put_string(text, need, "decision"))
		return false;
	buf_addc(text, ' ');
	return put_string(text, need, "rule") && put_notes(text, need);
}

/* What a call needs, in words, on a row each; or false. */
static bool put_needs(struct buf *text, const struct record_value *needs)
{
	size_t count = value_count(needs);
	size_t i;

	for (i = 0; i < count; i++) {
		if (i)
			buf_addc(text, '\n');
		if (!put_need(text, value_at(needs, i)))
			return false;
	}
	return count > 0;
}

static bool put_words(struct buf *text, const char *name,
		      const struct record_value *value, const char *between)
{
	bool put = between ? join(text, value, between)
			   : !strcmp(name, "needs") && put_needs(text, value);

	if (!put)
		buf_reset(text);
	return put;
}

static void show_value(struct page *page, const char *name,
		       const struct record_value *value, const char *between)
{
	autobuf struct buf full_name = { 0 };
	autobuf struct buf text = { 0 };

	if (page->above)
		buf_addf(&full_name, "%s.", page->above);
	buf_adds(&full_name, name);
	page->how.json = false;
	if (!put_words(&text, name, value, between) &&
	    value_bytes(&text, value) < 0) {
		buf_reset(&text);
		value_print(&text, value);
		page->how.json = true;
	}
	show_field(page->text, buf_span(&full_name), buf_span(&text),
		   &page->how);
}

static void show_inner(void *context, const char *name,
		       const struct record_value *value)
{
	struct page *page = context;

	if (page->fields++ < QUESTION_FIELDS_MAX)
		show_value(page, name, value, NULL);
	else
		page->left_out++;
}

static void show_other(void *context, const char *name,
		       const struct record_value *value)
{
	struct page *page = context;

	if (is_one_of(name, known, COUNT(known)) ||
	    is_one_of(name, apart, COUNT(apart)) ||
	    (page->in_words && !strcmp(name, "effect")) ||
	    (page->one_need && !strcmp(name, "needs")))
		return;
	if (!strcmp(name, "args") && value_is_object(value)) {
		page->above = name;
		value_each(value, show_inner, page);
		page->above = NULL;
	} else {
		show_inner(page, name, value);
	}
}

/* Whether its actions and its rule say all that is in the needs of @record. */
static bool needs_one(const struct record *record)
{
	const struct record_value *needs = record_get(record, "needs");
	const struct record_value *need = value_at(needs, 0);
	const struct record_value *actions = record_get(record, "actions");
	const char *action = value_string(value_field(need, "action"));
	const char *rule = value_string(value_field(need, "rule"));
	autobuf struct buf text = { 0 };

	return value_count(needs) == 1 && put_needs(&text, needs) &&
	       !value_field(need, "notes") && value_count(actions) == 1 &&
	       value_is(value_at(actions, 0), action) &&
	       value_is(record_get(record, "rule"), rule);
}

/* Whether the field @name of @record is only what another one says as well. */
static bool is_said(const struct record *record, const char *name)
{
	const struct record_value *actions = record_get(record, "actions");
	const char *action = value_string(record_get(record, "action"));

	return !strcmp(name, "actions") && action &&
	       value_count(actions) == 1 &&
	       value_is(value_at(actions, 0), action);
}

void question_show(struct buf *text, const struct record *record,
		   size_t columns, const char *whole)
{
	struct page page = {
		.text = text,
		.how = { .columns = columns, .rows = true, .whole = whole },
		.in_words = record_has(record, "detail"),
		.one_need = needs_one(record),
	};
	const struct record_value *value;
	size_t i;

	value_each(record_root(record), show_other, &page);
	if (page.left_out)
		buf_addf(text, "  [cut: %zu more field%s; %s has all]\n",
			 page.left_out, rough_plural(page.left_out), whole);
	page.how.rows = false;
	for (i = 0; i < COUNT(known); i++) {
		value = record_get(record, known[i]);
		if (value && !is_said(record, known[i]))
			show_value(&page, known[i], value,
				   strcmp(known[i], "agent") != 0 ? ", "
								  : " > ");
	}
}

static void add_to_key(void *context, const char *name,
		       const struct record_value *value)
{
	struct buf *text = context;

	if (is_one_of(name, numbering, COUNT(numbering)))
		return;
	/* A name is a string of JSON without its quotes; none holds a NUL, so
	 * that no two records come to the same bytes. */
	buf_adds(text, name);
	buf_addc(text, '\0');
	value_print(text, value);
	buf_addc(text, '\0');
}

void question_key(char key[SHA256_HEX + 1], const struct record *record)
{
	autobuf struct buf text = { 0 };

	value_each(record_root(record), add_to_key, &text);
	bug_if(text.full);
	sha256_hex(key, buf_span(&text));
}
