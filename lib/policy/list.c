/* SPDX-License-Identifier: ISC */
#include "policy/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "policy/agent.h"
#include "policy/pool.h"
#include "policy/print.h"
#include "policy/rule.h"
#include "policy/shape.h"
#include "record/utf8.h"

#define COMMENT_COLUMN 48

/* A line of the list. */
struct line {
	const char *section;
	const char *text; /* the pool's */
	struct span key;  /* what one file can say once; without data: often */
	struct policy_origin origin;
	enum policy_layer layer;
	bool again; /* a line before it has the same key */
};

struct list {
	struct line *lines; /* owned */
	size_t count;
	void *memory; /* owned */
};

static struct line *add_line(struct list *list, struct buf *text,
			     struct policy_origin origin,
			     enum policy_layer layer)
{
	struct line *line;

	list->lines =
		alloc_array(list->lines, list->count, sizeof(*list->lines));
	line = &list->lines[list->count++];
	*line = (struct line){
		.text = pool_keep(&list->memory, buf_span(text)),
		.origin = origin,
		.layer = layer,
	};
	line->key = span_of(line->text);
	return line;
}

/* ---- what there is ------------------------------------------------------ */

static void add_agents(struct list *list, const struct policy *policy)
{
	size_t i;

	for (i = 0; i < policy->agent_count; i++) {
		const struct policy_agent *agent = &policy->agents[i];
		autobuf struct buf text = { 0 };
		size_t kind_len;
		struct line *line;

		/* One file declares a kind once, whatever its parent is. */
		print_agent(&text,
			    &(struct policy_agent){ .kind = agent->kind });
		kind_len = text.len;
		buf_reset(&text);
		print_agent(&text, agent);
		line = add_line(list, &text, agent->origin, agent->layer);
		line->key.len = kind_len;
		line->section = "agents";
	}
}

static size_t segments(struct rule_field field)
{
	size_t count = field.name.len > 0;
	size_t i;

	for (i = 0; i < field.name.len; i++)
		count += field.name.data[i] == '.';
	return count;
}

/* Exact names, then classes from the narrowest to the widest, then any; those
 * that are about the same, together. */
static int by_action(const struct rule_field *a, const struct rule_field *b)
{
	size_t len = a->name.len < b->name.len ? a->name.len : b->name.len;
	int order = !a->name.data - !b->name.data;

	if (!order)
		order = a->class - b->class;
	if (!order && a->class)
		order = (segments(*a) < segments(*b)) -
			(segments(*a) > segments(*b));
	if (!order && len)
		order = memcmp(a->name.data, b->name.data, len);
	return order ? order
		     : (a->name.len > b->name.len) -
			       (a->name.len < b->name.len);
}

static int by_winning(const void *left, const void *right)
{
	const struct policy_rule *a = *(const struct policy_rule *const *)left;
	const struct policy_rule *b = *(const struct policy_rule *const *)right;
	autobuf struct buf one = { 0 };
	autobuf struct buf other = { 0 };
	int order = (a->tier > b->tier) - (a->tier < b->tier);

	if (!order)
		order = by_action(&a->action, &b->action);
	if (order)
		return order;
	if (rule_better(a, b))
		return -1;
	if (rule_better(b, a))
		return 1;
	print_rule(&one, a);
	print_rule(&other, b);
	return strcmp(buf_str(&one), buf_str(&other));
}

static void add_rules(struct list *list, const struct policy *policy)
{
	autofree const struct policy_rule **rules =
		alloc_zero(policy->rule_count, sizeof(*rules));
	size_t i;

	for (i = 0; i < policy->rule_count; i++)
		rules[i] = &policy->rules[i];
	qsort(rules, policy->rule_count, sizeof(*rules), by_winning);
	for (i = 0; i < policy->rule_count; i++) {
		autobuf struct buf text = { 0 };
		struct line *line;

		print_rule(&text, rules[i]);
		line = add_line(list, &text, rules[i]->origin, rules[i]->layer);
		line->section = rule_layer_word(rules[i]->layer);
	}
}

static void add_statements(struct list *list, const struct policy *policy)
{
	unsigned int keyword;
	size_t i;

	for (keyword = 0; keyword < POLICY_KEYWORDS; keyword++)
		for (i = 0; i < policy->statement_count; i++) {
			const struct policy_statement *statement =
				&policy->statements[i];
			autobuf struct buf text = { 0 };
			struct line *line;

			if (statement->keyword != keyword)
				continue;
			print_statement(&text, statement);
			line = add_line(list, &text, statement->origin,
					statement->layer);
			line->section = "the sandbox";
			if (shape_is_single(statement->keyword))
				line->key = span_of(policy_keyword_word(
					statement->keyword));
			else
				line->key = (struct span){ NULL, 0 };
		}
}

/* ---- what one file cannot say ------------------------------------------- */

static int by_key(const void *left, const void *right)
{
	const struct line *a = *(const struct line *const *)left;
	const struct line *b = *(const struct line *const *)right;
	size_t len = a->key.len < b->key.len ? a->key.len : b->key.len;
	int order = len ? memcmp(a->key.data, b->key.data, len) : 0;

	if (!order)
		order = (a->key.len > b->key.len) - (a->key.len < b->key.len);
	return order ? order : (a > b) - (a < b);
}

/* A ceiling's lines are comments anyhow, and hide nobody else's. */
static void mark_again(struct list *list)
{
	autofree struct line **lines = alloc_zero(list->count, sizeof(*lines));
	size_t count = 0, i;

	for (i = 0; i < list->count; i++)
		if (list->lines[i].key.data &&
		    list->lines[i].layer != POLICY_CEILING)
			lines[count++] = &list->lines[i];
	qsort(lines, count, sizeof(*lines), by_key);
	for (i = 1; i < count; i++)
		lines[i]->again = span_equal(lines[i]->key, lines[i - 1]->key);
}

/* ---- printing ----------------------------------------------------------- */

/* A file may be called anything, and a comment is text on one line. */
static void add_name(struct buf *text, const char *name)
{
	struct span rest = span_of(name);
	uint32_t character;

	while (rest.len) {
		size_t len = utf8_next(&character, rest);

		if (!len || utf8_unseen(character))
			buf_addc(text, '?');
		else
			buf_add(text, (struct span){ rest.data, len });
		rest = span_from(rest, len ? len : 1);
	}
}

static void print_line(struct buf *text, const struct line *line)
{
	size_t start = text->len;

	if (line->layer == POLICY_CEILING || line->again)
		buf_adds(text, "# ");
	buf_adds(text, line->text);
	do
		buf_addc(text, ' ');
	while (text->len - start < COMMENT_COLUMN);
	buf_addf(text, "# %s ", rule_layer_word(line->layer));
	add_name(text, line->origin.file);
	buf_addf(text, ":%u\n", line->origin.line);
}

void list_policy(struct buf *text, const struct policy *policy)
{
	struct list list = { .count = 0 };
	const char *section = "";
	size_t i;

	add_agents(&list, policy);
	add_rules(&list, policy);
	add_statements(&list, policy);
	mark_again(&list);
	for (i = 0; i < list.count; i++) {
		if (strcmp(section, list.lines[i].section) != 0)
			buf_addf(text, "%s# %s\n", i ? "\n" : "",
				 list.lines[i].section);
		section = list.lines[i].section;
		print_line(text, &list.lines[i]);
	}
	free(list.lines);
	pool_drop(&list.memory);
}
