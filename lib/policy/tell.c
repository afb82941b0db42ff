/* SPDX-License-Identifier: ISC */
#include "policy/tell.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/buf.h"
#include "policy/network.h"
#include "policy/rule.h"

#define IPV4_BITS 96 /* of ::ffff:0:0/96; see policy/network.h */

void tell_text(struct buf *line, struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		buf_addc(line, text.data[i] >= ' ' && text.data[i] <= '~'
				       ? text.data[i]
				       : '?');
}

void tell_place(struct buf *line, const struct policy_origin *origin)
{
	tell_text(line, span_of(origin->file));
	buf_addf(line, ":%u", origin->line);
}

void tell_field(struct buf *line, struct rule_field field)
{
	if (!field.name.data)
		buf_adds(line, "any");
	tell_text(line, field.name);
	if (field.class)
		buf_adds(line, ".*");
}

static void add_named(struct buf *line, const char *name,
		      struct rule_field field)
{
	if (!field.name.data)
		return;
	buf_addf(line, " %s ", name);
	tell_field(line, field);
}

static void add_ports(struct buf *line, const struct attributes *attributes)
{
	size_t i;

	for (i = 0; i < attributes->port_count; i++) {
		const struct port_range *range = &attributes->ports[i];

		buf_addf(line, "%s%u", i ? "," : " port ", range->first);
		if (range->last != range->first)
			buf_addf(line, "-%u", range->last);
	}
}

static bool is_ipv4(const uint8_t address[ADDRESS_LEN])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, mapped, sizeof(mapped));
}

static void add_address(struct buf *line, const uint8_t address[ADDRESS_LEN])
{
	char text[INET6_ADDRSTRLEN];
	bool ipv4 = is_ipv4(address);

	if (inet_ntop(ipv4 ? AF_INET : AF_INET6, address + (ipv4 ? 12 : 0),
		      text, sizeof(text)))
		buf_adds(line, text);
}

static void add_networks(struct buf *line, const struct attributes *attributes)
{
	size_t i;

	for (i = 0; i < attributes->network_count; i++) {
		const struct network *network = &attributes->networks[i];
		bool ipv4 = is_ipv4(network->address) &&
			    network->bits >= IPV4_BITS;

		buf_adds(line, i ? "," : " to ");
		add_address(line, network->address);
		if (network->bits < ADDRESS_LEN * 8)
			buf_addf(line, "/%u",
				 network->bits - (ipv4 ? IPV4_BITS : 0));
	}
}

static void add_list(struct buf *line, const char *name,
		     const struct span *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i)
			buf_addc(line, ',');
		else
			buf_addf(line, " %s ", name);
		tell_text(line, list[i]);
	}
}

static void add_attributes(struct buf *line,
			   const struct attributes *attributes)
{
	add_ports(line, attributes);
	add_list(line, "proto", attributes->protos, attributes->proto_count);
	add_networks(line, attributes);
	add_list(line, "method", attributes->methods, attributes->method_count);
	if (attributes->path.data) {
		buf_adds(line, " path ");
		tell_text(line, attributes->path);
	}
	if (attributes->websocket)
		buf_adds(line, " websocket");
	if (attributes->cleartext)
		buf_adds(line, " cleartext");
}

void tell_rule(struct buf *line, const struct policy_rule *rule)
{
	buf_addf(line, "%s ", decision_word(rule->decision));
	tell_field(line, rule->action);
	add_attributes(line, &rule->attributes);
	add_named(line, "tool", rule->tool);
	add_named(line, "model", rule->model);
	add_named(line, "agent", rule->agent);
}

static void add_value(struct buf *line, const char *name, struct span value)
{
	if (!value.data)
		return;
	buf_addf(line, " %s=", name);
	tell_text(line, value);
}

void tell_act(struct buf *line, const struct act *act)
{
	if (act->has_port)
		buf_addf(line, " port=%u", act->port);
	add_value(line, "proto", act->proto);
	if (act->has_address) {
		buf_adds(line, " address=");
		add_address(line, act->address);
	}
	add_value(line, "method", act->method);
	add_value(line, "path", act->path);
	if (act->websocket)
		buf_adds(line, " websocket");
	if (act->cleartext)
		buf_adds(line, " cleartext");
}
