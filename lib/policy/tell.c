/* SPDX-License-Identifier: ISC */
#include "policy/tell.h"

#include "base/buf.h"
#include "policy/network.h"
#include "policy/print.h"
#include "policy/rule.h"

void tell_place(struct buf *line, const struct policy_origin *origin)
{
	buf_add_plain(line, span_of(origin->file));
	buf_addf(line, ":%u", origin->line);
}

void tell_rule(struct buf *line, const struct policy_rule *rule)
{
	autobuf struct buf written = { 0 };

	print_rule(&written, rule);
	buf_add_plain(line, buf_span(&written));
}

static void add_value(struct buf *line, const char *name, struct span value)
{
	if (!value.data)
		return;
	buf_addf(line, " %s=", name);
	buf_add_plain(line, value);
}

void tell_act(struct buf *line, const struct act *act)
{
	if (act->has_port)
		buf_addf(line, " port=%u", act->port);
	add_value(line, "proto", act->proto);
	if (act->has_address) {
		buf_adds(line, " address=");
		address_print(line, act->address);
	}
	add_value(line, "method", act->method);
	add_value(line, "path", act->path);
	if (act->websocket)
		buf_adds(line, " websocket");
	if (act->cleartext)
		buf_adds(line, " cleartext");
}
