/* SPDX-License-Identifier: ISC */
#include "lint/carries.h"

#include <string.h>

#include "policy/rule.h"

enum carries {
	CARRIES_PORT = 1,
	CARRIES_PROTO = 2,
	CARRIES_ADDRESS = 4,
	CARRIES_METHOD = 8,
	CARRIES_PATH = 16,
	CARRIES_WEBSOCKET = 32,
	CARRIES_CLEARTEXT = 64,
	CARRIES_ALL = 127,
};

#define PEER (CARRIES_PORT | CARRIES_PROTO | CARRIES_ADDRESS)
#define REQUEST                                                           \
	(CARRIES_PORT | CARRIES_ADDRESS | CARRIES_METHOD | CARRIES_PATH | \
	 CARRIES_WEBSOCKET | CARRIES_CLEARTEXT)

/*
 * Namespaces that are not here carry nothing.  What only the caller knows, its
 * own tools and those of its servers, carries what the caller says.
 */
static const struct {
	const char *prefix;
	unsigned int carries;
} rows[] = {
	{ "call", CARRIES_ALL },
	{ "mcp", CARRIES_ALL },
	{ "plugin", CARRIES_ALL },
	{ "exec.workspace", CARRIES_PATH },
	{ "exec.system", CARRIES_PATH },
	{ "fs", CARRIES_PATH },
	{ "net.connect", PEER | CARRIES_CLEARTEXT },
	{ "net.address", PEER },
	{ "net.listen", PEER },
	{ "net.http", REQUEST },
	{ "net.fetch", REQUEST },
	{ "secret.password", REQUEST },
	{ "secret.use", REQUEST },
	{ "workspace", CARRIES_PATH },
	{ "cache.keep", CARRIES_PATH },
};

/* Whether @name is @above or below it. */
static bool is_within(struct span name, struct span above)
{
	return name.len >= above.len &&
	       !memcmp(name.data, above.data, above.len) &&
	       (name.len == above.len || name.data[above.len] == '.');
}

/* The attributes of questions that @action names, as a set. */
static unsigned int carries(struct rule_field action)
{
	unsigned int found = 0;
	size_t i;

	if (!action.name.data)
		return CARRIES_ALL;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct span prefix = span_of(rows[i].prefix);

		if (is_within(action.name, prefix) ||
		    (action.class && is_within(prefix, action.name)))
			found |= rows[i].carries;
	}
	return found;
}

const char *carries_missing(const struct policy_rule *rule)
{
	const struct attributes *wants = &rule->attributes;
	const struct {
		const char *name;
		bool wanted;
		unsigned int bit;
	} fields[] = {
		{ "port", wants->port_count > 0, CARRIES_PORT },
		{ "proto", wants->proto_count > 0, CARRIES_PROTO },
		{ "to", wants->network_count > 0, CARRIES_ADDRESS },
		{ "method", wants->method_count > 0, CARRIES_METHOD },
		{ "path", wants->path.data != NULL, CARRIES_PATH },
		{ "websocket", wants->websocket, CARRIES_WEBSOCKET },
		{ "cleartext", wants->cleartext, CARRIES_CLEARTEXT },
	};
	unsigned int carried = carries(rule->action);
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].wanted && !(carried & fields[i].bit))
			return fields[i].name;
	return NULL;
}
