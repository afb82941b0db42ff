/* SPDX-License-Identifier: ISC */
#include "policy/print.h"

#include <string.h>

#include "base/buf.h"
#include "base/word.h"
#include "policy/agent.h"
#include "policy/network.h"

static void add_word(struct buf *line, struct span word)
{
	if (line->len)
		buf_addc(line, ' ');
	word_policy(line, word);
}

static void add_text(struct buf *line, const char *word)
{
	add_word(line, span_of(word));
}

static void add_field(struct buf *line, const char *name,
		      struct rule_field field)
{
	autobuf struct buf word = { 0 };

	if (!field.name.data)
		return;
	buf_add(&word, field.name);
	if (field.class)
		buf_adds(&word, ".*");
	if (name)
		add_text(line, name);
	add_word(line, buf_span(&word));
}

/* ---- attributes --------------------------------------------------------- */

static void add_ports(struct buf *line, const struct attributes *a)
{
	size_t i;

	for (i = 0; i < a->port_count; i++) {
		buf_addf(line, "%s%u", i ? "," : " port ", a->ports[i].first);
		if (a->ports[i].last != a->ports[i].first)
			buf_addf(line, "-%u", a->ports[i].last);
	}
}

static void add_networks(struct buf *line, const struct attributes *a)
{
	size_t i;

	for (i = 0; i < a->network_count; i++) {
		buf_adds(line, i ? "," : " to ");
		network_print(line, &a->networks[i]);
	}
}

static void add_list(struct buf *line, const char *name,
		     const struct span *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!i)
			add_text(line, name);
		buf_addc(line, i ? ',' : ' ');
		buf_add(line, list[i]);
	}
}

static void add_attributes(struct buf *line, const struct attributes *a)
{
	add_ports(line, a);
	add_list(line, "proto", a->protos, a->proto_count);
	add_networks(line, a);
	add_list(line, "method", a->methods, a->method_count);
	if (a->path.data) {
		add_text(line, "path");
		add_word(line, a->path);
	}
	if (a->websocket)
		add_text(line, "websocket");
	if (a->cleartext)
		add_text(line, "cleartext");
}

/* ---- lines -------------------------------------------------------------- */

void print_rule(struct buf *line, const struct policy_rule *rule)
{
	add_text(line, decision_word(rule->decision));
	if (rule->action.name.data)
		add_field(line, NULL, rule->action);
	else
		add_text(line, "any");
	add_field(line, "agent", rule->agent);
	add_field(line, "model", rule->model);
	add_field(line, "tool", rule->tool);
	add_attributes(line, &rule->attributes);
}

void print_agent(struct buf *line, const struct policy_agent *agent)
{
	add_text(line, "agent");
	add_text(line, agent->kind);
	if (!agent->parent)
		return;
	add_text(line, "parent");
	add_text(line, agent->parent);
}

void print_statement(struct buf *line, const struct policy_statement *statement)
{
	size_t i;

	add_text(line, policy_keyword_word(statement->keyword));
	for (i = 0; i < statement->count; i++)
		add_text(line, statement->words[i]);
}
