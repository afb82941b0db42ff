/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_RANDOM_POLICY_H
#define CHOCK_UNIT_RANDOM_POLICY_H

/*
 * random-policy - policies and questions that are drawn, for properties
 *
 * Names are few, so that rules meet each other and the questions: classes
 * within classes, every field and attribute, agents below agents.  What is
 * drawn is always a policy that can be read; the same seed draws the same.
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/decide.h"

#define DRAWN_LINES 24
#define DRAWN_LINE_MAX 256
#define DRAWN_CHAIN 4

struct draw {
	uint64_t state;
};

/* The lines of one file; each is there once. */
struct drawn {
	char lines[DRAWN_LINES][DRAWN_LINE_MAX];
	size_t count;
	unsigned int kinds; /* a bit for each that its rules may name */
};

static const char *const drawn_kinds[] = { "main", "a", "b", "c", "team.x" };

/* Parents that do not end in themselves: each stands before its kinds. */
static const char *const drawn_parents[] = { NULL, "main", "a", "main", "b" };

#define DRAWN_KINDS (sizeof(drawn_kinds) / sizeof(*drawn_kinds))
#define DRAWN_ALL_KINDS ((1U << DRAWN_KINDS) - 1)

static const char *const drawn_actions[] = {
	"call.read_file",
	"call.x",
	"exec.path.curl",
	"exec.path.sh",
	"exec.workspace.bin/run",
	"exec.unparsed",
	"fs.read./etc/passwd",
	"fs.write./srv/a/b",
	"git.push",
	"git.branch.delete",
	"git.branch.delete.force",
	"git.branch.list",
	"net.listen",
	"net.connect.ip",
	"net.connect.com.example",
	"net.connect.com.example.www",
	"net.connect.com.example.www.static",
	"net.connect.org.example",
	"net.http.com.example.api",
	"net.address.host",
	"mcp.time.tool.now",
	"mcp.time.tool.set",
	"mcp.time.network",
	"secret.use.TOKEN",
	"device.usb.1d50.6018",
	"provider.cloud.large",
	"workspace.integrate",
	"workspace.apply",
	"sandbox.jit",
};

static const char *const drawn_tools[] = { "run_command", "fetch_url",
					   "mcp.time.now", "mcp.time.set" };
static const char *const drawn_models[] = { "m.one", "m.one.fast", "n" };

/* Values of attributes, for rules and, in the same order, names for acts. */
static const char *const drawn_attributes[] = {
	"port 80",        "port 443,8000-8100", "proto tcp",
	"proto udp,icmp", "to 10.0.0.0/8",      "to 192.0.2.1,2001:db8::/32",
	"method GET",     "method GET,POST",    "path /etc/*",
	"path /srv/**",   "path \"/a b/**\"",   "path /etc/passwd",
	"websocket",      "cleartext",
};

static inline uint64_t draw_next(struct draw *draw)
{
	/* Marsaglia's xorshift, which wants a state that is not 0. */
	draw->state ^= draw->state << 13;
	draw->state ^= draw->state >> 7;
	draw->state ^= draw->state << 17;
	return draw->state;
}

static inline unsigned int draw_below(struct draw *draw, size_t below)
{
	return (unsigned int)((draw_next(draw) >> 16) % below);
}

#define DRAW_FROM(draw, array) \
	((array)[draw_below(draw, sizeof(array) / sizeof(*(array)))])

/* ---- lines -------------------------------------------------------------- */

/* @name, or a class above it, or "any". */
static inline void draw_action(struct draw *draw, struct buf *line)
{
	const char *name = DRAW_FROM(draw, drawn_actions);
	unsigned int cuts = draw_below(draw, 4);
	size_t len = strlen(name);
	unsigned int i;

	for (i = 0; i < cuts && len; i++)
		while (len && name[--len] != '.')
			continue;
	buf_addc(line, ' ');
	if (!len)
		buf_adds(line, "any");
	buf_add(line, (struct span){ name, len });
	if (len && name[len])
		buf_adds(line, ".*");
}

/* A field that may be a class. */
static inline void draw_field(struct draw *draw, struct buf *line,
			      const char *field, const char *name)
{
	const char *dot = strrchr(name, '.');

	buf_addf(line, " %s ", field);
	if (dot && !draw_below(draw, 3))
		buf_addf(line, "%.*s.*", (int)(dot - name), name);
	else
		buf_adds(line, name);
}

/* The attributes of one kind stand together: at most one of each. */
static inline void draw_attributes(struct draw *draw, struct buf *line)
{
	const char *last = "";
	size_t i;

	for (i = 0; i < sizeof(drawn_attributes) / sizeof(*drawn_attributes);
	     i++) {
		const char *attribute = drawn_attributes[i];

		if (draw_below(draw, 10) ||
		    !strncmp(attribute, last, strcspn(attribute, " ") + 1))
			continue;
		buf_addf(line, " %s", attribute);
		last = attribute;
	}
}

static inline void draw_rule(struct draw *draw, struct buf *line,
			     unsigned int kinds)
{
	size_t kind = draw_below(draw, DRAWN_KINDS);

	buf_adds(line, DRAW_FROM(draw, decision_words));
	draw_action(draw, line);
	if (kinds & 1U << kind && !draw_below(draw, 3))
		draw_field(draw, line, "agent", drawn_kinds[kind]);
	if (!draw_below(draw, 5))
		draw_field(draw, line, "model", DRAW_FROM(draw, drawn_models));
	if (!draw_below(draw, 5))
		draw_field(draw, line, "tool", DRAW_FROM(draw, drawn_tools));
	draw_attributes(draw, line);
}

/* Puts @line into @drawn unless it is there; returns whether it went in. */
static inline bool drawn_add(struct drawn *drawn, const struct buf *line)
{
	size_t i;

	if (drawn->count == DRAWN_LINES || line->len >= DRAWN_LINE_MAX)
		return false;
	for (i = 0; i < drawn->count; i++)
		if (!strcmp(drawn->lines[i], buf_str(line)))
			return false;
	memcpy(drawn->lines[drawn->count++], buf_str(line), line->len + 1);
	return true;
}

static inline void draw_rules(struct draw *draw, struct drawn *drawn,
			      size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		autobuf struct buf line = { 0 };

		draw_rule(draw, &line, drawn->kinds);
		(void)drawn_add(drawn, &line);
	}
}

/* Agents of some of the kinds, each with the parents that it needs. */
static inline void draw_agents(struct draw *draw, struct drawn *drawn)
{
	size_t i;

	drawn->kinds = 1;
	for (i = 0; i < DRAWN_KINDS; i++) {
		autobuf struct buf line = { 0 };
		const char *parent = drawn_parents[i];
		bool parent_there = !parent || !strcmp(parent, "main") ||
				    drawn->kinds & (parent[0] == 'a' ? 2 : 4);

		if (i && (!parent_there || !draw_below(draw, 4)))
			continue;
		buf_addf(&line, "agent %s", drawn_kinds[i]);
		if (parent && draw_below(draw, 3))
			buf_addf(&line, " parent %s", parent);
		if (drawn_add(drawn, &line))
			drawn->kinds |= 1U << i;
	}
}

/* Every statement about the sandbox; "?" is any text. */
static const char *const drawn_statements[] = {
	"read \"/usr/?\" noexec",
	"read ~ optional",
	"write \"@project@/?\"",
	"hide \"?/**\"",
	"tmpfs \"/tmp/?\"",
	"bind \"?\" copy write ask",
	"device device.usb.1d50.6018",
	"env \"NAME=?\"",
	"net none",
	"net host",
	"publish 127.0.0.1:8080",
	"nat64 64:ff9b::/96",
	"secret \"?\" to exec.path.gh tool x.* agent a",
	"credential \"?\" \"env:?\"",
	"auth net.http.com.example.* basic \"?\" \"?\" cleartext yes",
	"limit files 4096",
	"limit time 90s",
	"syscalls strict",
	"syscalls deny ptrace sysv_ipc",
	"subagents width 6 depth 0",
	"budget USD 5",
	"apply merge",
	"reviewer \"?\" \"?\" \"?\"",
	"sink syslog \"/run/?\"",
	"expires 2028-02-29",
	"driver namespaces",
	"ca-bundle \"/etc/?\"",
	"mcp \"?\" \"?\" --flag=\\n",
};

static inline void draw_word(struct draw *draw, struct buf *line)
{
	static const char *const pieces[] = { "a", "B9",   " ",    "\t",
					      "#", "\\\"", "\\\\", "\xc3\xa9",
					      "'", "$" };
	unsigned int count = 1 + draw_below(draw, 4);

	while (count--)
		buf_adds(line, DRAW_FROM(draw, pieces));
}

/* draw_statement - number @number of them, with words that are drawn */
static inline void draw_statement(struct draw *draw, struct buf *line,
				  size_t number)
{
	const char *form = drawn_statements[number];

	for (; *form; form++)
		if (*form == '?')
			draw_word(draw, line);
		else
			buf_addc(line, *form);
}

/* draw_file - a file of agents, or without any, and rules */
static inline void draw_file(struct draw *draw, struct drawn *drawn)
{
	*drawn = (struct drawn){ .kinds = DRAWN_ALL_KINDS };
	if (!draw_below(draw, 4))
		draw_agents(draw, drawn);
	draw_rules(draw, drawn, draw_below(draw, 8));
}

/* drawn_text - the lines of @drawn in an order that is drawn */
static inline void drawn_text(struct draw *draw, const struct drawn *drawn,
			      struct buf *text)
{
	size_t order[DRAWN_LINES];
	size_t i;

	for (i = 0; i < drawn->count; i++) {
		size_t other = draw_below(draw, i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (i = 0; i < drawn->count; i++)
		buf_addf(text, "%s\n", drawn->lines[order[i]]);
}

/* ---- questions ---------------------------------------------------------- */

static inline void draw_act(struct draw *draw, struct act *act)
{
	static const char *const addresses[] = { "10.1.2.3", "192.0.2.1",
						 "2001:db8::7", "::1" };
	static const char *const values[][2] = {
		{ "port", "80" },          { "port", "8080" },
		{ "proto", "tcp" },        { "proto", "udp" },
		{ "method", "GET" },       { "method", "PUT" },
		{ "path", "/etc/passwd" }, { "path", "/srv/a/b" },
		{ "path", "/a b/c" },      { "websocket", "yes" },
		{ "cleartext", "yes" },
	};
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!draw_below(draw, 3))
			(void)act_set(act, values[i][0], span_of(values[i][1]),
				      &(struct why){ 0 });
	if (draw_below(draw, 2))
		(void)act_set(act, "address",
			      span_of(DRAW_FROM(draw, addresses)),
			      &(struct why){ 0 });
}

/* draw_question - of @question, and of @asker who asks it */
static inline void draw_question(struct draw *draw, struct question *question,
				 struct asker *asker)
{
	size_t i;

	*asker = (struct asker){ .chain_count =
					 1 + draw_below(draw, DRAWN_CHAIN) };
	*question = (struct question){ .asker = asker };
	question->action = span_of(DRAW_FROM(draw, drawn_actions));
	for (i = 0; i < asker->chain_count; i++)
		asker->chain[i] = span_of(DRAW_FROM(draw, drawn_kinds));
	if (draw_below(draw, 2))
		asker->tool = span_of(DRAW_FROM(draw, drawn_tools));
	if (draw_below(draw, 2))
		asker->model = span_of(DRAW_FROM(draw, drawn_models));
	draw_act(draw, &question->act);
}

#endif /* CHOCK_UNIT_RANDOM_POLICY_H */
