/* SPDX-License-Identifier: ISC */
#include "policy/attributes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/why.h"
#include "policy/glob.h"
#include "policy/network.h"
#include "policy/path.h"
#include "policy/pool.h"
#include "policy/words.h"

#define SHOWN_MAX 100 /* bytes of a value, in front of what is wrong with it */

static const char *const protos[] = { "tcp", "udp", "icmp" };

/* Cuts what is before the next comma off @list. */
static struct span item(struct span *list)
{
	const char *comma = list->len ? memchr(list->data, ',', list->len)
				      : NULL;
	struct span first = *list;

	if (comma)
		first.len = (size_t)(comma - list->data);
	/* A comma at the end leaves one empty item to be refused. */
	if (comma)
		*list = span_from(*list, first.len + 1);
	else
		*list = (struct span){ NULL, 0 };
	return first;
}

static size_t items(struct span list)
{
	size_t count = 1;
	size_t i;

	for (i = 0; i < list.len; i++)
		count += list.data[i] == ',';
	return count;
}

static bool read_port(uint16_t *port, struct span text)
{
	uint64_t value;

	if (num_read(&value, text, UINT16_MAX) < 0)
		return false;
	*port = (uint16_t)value;
	return true;
}

static bool read_range(struct port_range *range, struct span text)
{
	const char *dash = text.len ? memchr(text.data, '-', text.len) : NULL;
	size_t len = dash ? (size_t)(dash - text.data) : text.len;

	if (!read_port(&range->first, (struct span){ text.data, len }))
		return false;
	range->last = range->first;
	return !dash || (read_port(&range->last, span_from(text, len + 1)) &&
			 range->first <= range->last);
}

static const char *take_ports(struct attributes *a, struct span list,
			      const struct words *words)
{
	size_t count = items(list);
	struct port_range *ports =
		pool_zero(words->memory, count * sizeof(*ports));
	size_t i;

	for (i = 0; i < count; i++)
		if (!read_range(&ports[i], item(&list)))
			return "no port, range of ports or list of them";
	a->ports = ports;
	a->port_count = count;
	return NULL;
}

static const char *take_networks(struct attributes *a, struct span list,
				 const struct words *words)
{
	size_t count = items(list);
	struct network *networks =
		pool_zero(words->memory, count * sizeof(*networks));
	size_t i;

	for (i = 0; i < count; i++) {
		const char *fault = network_read(&networks[i], item(&list));

		if (fault)
			return fault;
	}
	a->networks = networks;
	a->network_count = count;
	return NULL;
}

static struct span *take_list(struct span list, size_t count, void **memory)
{
	struct span *spans = pool_zero(memory, count * sizeof(*spans));
	size_t i;

	for (i = 0; i < count; i++)
		spans[i] = item(&list);
	return spans;
}

static bool is_proto(struct span text)
{
	size_t i;

	for (i = 0; i < sizeof(protos) / sizeof(*protos); i++)
		if (span_is(text, protos[i]))
			return true;
	return false;
}

static const char *take_protos(struct attributes *a, struct span list,
			       const struct words *words)
{
	size_t i;

	a->proto_count = items(list);
	a->protos = take_list(list, a->proto_count, words->memory);
	for (i = 0; i < a->proto_count; i++)
		if (!is_proto(a->protos[i]))
			return "none of tcp, udp and icmp";
	return NULL;
}

static bool is_method(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.data[i] < 'A' || text.data[i] > 'Z')
			return false;
	return text.len > 0;
}

static const char *take_methods(struct attributes *a, struct span list,
				const struct words *words)
{
	size_t i;

	a->method_count = items(list);
	a->methods = take_list(list, a->method_count, words->memory);
	for (i = 0; i < a->method_count; i++)
		if (!is_method(a->methods[i]))
			return "no HTTP method; they are in capital letters";
	return NULL;
}

/*
 * A directory that a pattern starts with is no part of the pattern: a project
 * whose name has a star in it is one project.
 */
static const char *take_root(struct attributes *a, const char *root,
			     const char *start, const char *none)
{
	a->rest = span_from(a->path, strlen(start));
	if (a->rest.len && *a->rest.data != '/')
		return "a pattern in which no '/' follows its '~' or "
		       "'@project@'";
	if (!root || *root != '/')
		return none;
	a->root = span_of(root);
	while (a->root.len && root[a->root.len - 1] == '/')
		a->root.len--;
	return NULL;
}

static const char *take_path(struct attributes *a, struct span pattern,
			     const struct words *words)
{
	const char *fault = path_fault(pattern);

	a->path = pattern;
	a->rest = pattern;
	a->in_project = span_starts(pattern, PATH_PROJECT);
	if (fault)
		return fault;
	if (pattern.len > GLOB_PATTERN_MAX)
		return "a pattern of more than 1024 bytes";
	if (glob_stars(pattern) > GLOB_STARS_MAX)
		return "a pattern with more than 32 stars";
	if (a->in_project)
		return take_root(a, words->project, PATH_PROJECT,
				 "a pattern that needs a project, and there is "
				 "none here");
	if (*pattern.data == '~')
		return take_root(a, words->home, "~",
				 "a pattern that needs a home directory, and "
				 "there is none here");
	return NULL;
}

static const struct {
	const char *name;
	const char *(*take)(struct attributes *a, struct span value,
			    const struct words *words);
	size_t at; /* the member that is set once it was taken */
} kinds[] = {
	{ "port", take_ports, offsetof(struct attributes, ports) },
	{ "proto", take_protos, offsetof(struct attributes, protos) },
	{ "to", take_networks, offsetof(struct attributes, networks) },
	{ "method", take_methods, offsetof(struct attributes, methods) },
	{ "path", take_path, offsetof(struct attributes, path) },
};

static int twice(const struct words *words, size_t index, struct why *why)
{
	return words_wrong(words, index, why, "'%s' a second time",
			   words->word[index]);
}

static int take_flag(bool *flag, struct attributes *attributes,
		     const struct words *words, size_t index, struct why *why)
{
	if (*flag)
		return twice(words, index, why);
	*flag = true;
	attributes->count++;
	return 1;
}

static bool already(const struct attributes *attributes, size_t at)
{
	const void *pointer;

	memcpy(&pointer, (const char *)attributes + at, sizeof(pointer));
	return pointer != NULL;
}

static int take_kind(struct attributes *attributes, size_t kind,
		     const struct words *words, size_t index, struct why *why)
{
	const char *value = words->word[index + 1];
	const char *fault;

	if (already(attributes, kinds[kind].at))
		return twice(words, index, why);
	if (!value)
		return words_wrong(words, index + 1, why, "'%s' needs a value",
				   words->word[index]);
	fault = kinds[kind].take(attributes, span_of(value), words);
	if (fault)
		return words_wrong(
			words, index + 1, why, "'%.*s%s' is %s", SHOWN_MAX,
			value, strlen(value) > SHOWN_MAX ? "..." : "", fault);
	attributes->count++;
	return 2;
}

int attributes_take(struct attributes *attributes, const struct words *words,
		    size_t index, struct why *why)
{
	const char *word = words->word[index];
	size_t i;

	if (!strcmp(word, "websocket"))
		return take_flag(&attributes->websocket, attributes, words,
				 index, why);
	if (!strcmp(word, "cleartext"))
		return take_flag(&attributes->cleartext, attributes, words,
				 index, why);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(word, kinds[i].name))
			return take_kind(attributes, i, words, index, why);
	return 0;
}

static bool port_fits(const struct attributes *a, const struct act *act)
{
	size_t i;

	for (i = 0; act->has_port && i < a->port_count; i++)
		if (act->port >= a->ports[i].first &&
		    act->port <= a->ports[i].last)
			return true;
	return !a->port_count;
}

static bool address_fits(const struct attributes *a, const struct act *act)
{
	size_t i;

	for (i = 0; act->has_address && i < a->network_count; i++)
		if (network_has(&a->networks[i], act->address))
			return true;
	return !a->network_count;
}

static bool listed(const struct span *list, size_t count, struct span value)
{
	size_t i;

	for (i = 0; value.data && i < count; i++)
		if (span_equal(list[i], value))
			return true;
	return !count;
}

/* exec.workspace.* names a program by its path in the project. */
static bool path_fits(const struct attributes *a, struct glob_path *glob)
{
	struct span path = glob->path;

	if (a->in_project && path.len && *path.data != '/')
		return glob_fits(span_from(a->rest, 1), glob, 0);
	return path.len >= a->root.len &&
	       (!a->root.len ||
		!memcmp(path.data, a->root.data, a->root.len)) &&
	       glob_fits(a->rest, glob, a->root.len);
}

const char *attributes_differ(const struct attributes *a, const struct act *act,
			      struct glob_path *path, bool allows)
{
	if (!port_fits(a, act))
		return "port";
	if (!listed(a->protos, a->proto_count, act->proto))
		return "proto";
	if (!address_fits(a, act))
		return "address";
	if (!listed(a->methods, a->method_count, act->method))
		return "method";
	if (a->path.data && (!act->path.data || !path_fits(a, path)))
		return "path";
	if (a->websocket ? !act->websocket : allows && act->websocket)
		return "websocket";
	if (a->cleartext ? !act->cleartext : allows && act->cleartext)
		return "cleartext";
	return NULL;
}

/* @value, as much of it as fits into a line, is @what. */
static int wrong(struct span value, const char *what, struct why *why)
{
	bool cut = value.len > SHOWN_MAX;

	return why_set(why, EINVAL, "'%.*s%s' is %s",
		       cut ? SHOWN_MAX : (int)value.len, value.data,
		       cut ? "..." : "", what);
}

static int set_flag(bool *flag, const char *name, struct span value,
		    struct why *why)
{
	if (!span_is(value, "yes") && !span_is(value, "no"))
		return why_set(why, EINVAL, "'%s' is yes or no", name);
	*flag = span_is(value, "yes");
	return 0;
}

static int set_path(struct act *act, struct span value, struct why *why)
{
	const char *fault = value.len ? path_fault(value) : "empty";

	if (value.len > PATH_LEN_MAX)
		fault = "longer than 4096 bytes";
	act->path = value;
	return fault ? why_set(why, EINVAL, "the path is %s", fault) : 0;
}

int act_set(struct act *act, const char *name, struct span value,
	    struct why *why)
{
	if (!strcmp(name, "websocket"))
		return set_flag(&act->websocket, name, value, why);
	if (!strcmp(name, "cleartext"))
		return set_flag(&act->cleartext, name, value, why);
	if (!strcmp(name, "path"))
		return set_path(act, value, why);
	if (!strcmp(name, "port")) {
		act->has_port = read_port(&act->port, value);
		return act->has_port ? 0 : wrong(value, "no port", why);
	}
	if (!strcmp(name, "address")) {
		act->has_address = address_read(act->address, value);
		return act->has_address ? 0 : wrong(value, "no address", why);
	}
	if (!strcmp(name, "proto")) {
		act->proto = value;
		return is_proto(value)
			       ? 0
			       : wrong(value, "none of tcp, udp and icmp", why);
	}
	if (!strcmp(name, "method")) {
		act->method = value;
		return is_method(value) ? 0 : wrong(value, "no method", why);
	}
	return -ENOENT;
}
