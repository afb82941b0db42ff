/* SPDX-License-Identifier: ISC */
#include "policy/action.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "policy/host.h"

#define SPACES (sizeof(spaces) / sizeof(*spaces))

static const struct action_space spaces[] = {
	{ "call.*", "advice", false },
	{ "exec.path.*", "advice", false },
	{ "exec.workspace.*", "advice", false },
	{ "exec.system.*", "advice", false },
	{ "exec.unparsed", "advice", false },
	{ "exec.devshell.*", "advice", true },
	{ "exec.nix.store.*", "advice", false },
	{ "fs.read.*", "advice", false },
	{ "fs.write.*", "advice", false },
	{ "net.connect.**", "advice", true },
	{ "net.address.private", "advice", true },
	{ "net.address.host", "advice", true },
	{ "net.http.**", "advice", true },
	{ "net.fetch.**", "advice", false },
	{ "net.listen", "advice", true },
	{ "git.**", "advice", false },
	{ "mcp.*.tool.*", "advice", false },
	{ "mcp.*.network", "advice", true },
	{ "plugin.*.tool.*", "advice", true },
	{ "secret.use.*", "advice", true },
	{ "secret.password.**", "advice", true },
	{ "device.**", "kernel", false },
	{ "nix.build", "advice", true },
	{ "lsp.*", "advice", true },
	{ "provider.**", "advice", true },
	{ "web.search", "advice", false },
	{ "workspace.apply", "advice", false },
	{ "workspace.policy", "advice", false },
	{ "workspace.protected", "advice", false },
	{ "workspace.integrate", "advice", false },
	{ "workspace.bind.*", "advice", false },
	{ "cache.keep", "advice", false },
	{ "policy.widen", "advice", false },
	{ "sandbox.jit", "kernel", false },
};

/* The namespaces in which a host's name stands, reversed. */
static const char *const of_hosts[] = {
	"net.connect.",
	"net.http.",
	"net.fetch.",
	"secret.password.",
};

/* The namespaces in which a path stands. */
static const char *const of_paths[] = {
	"exec.workspace.",
	"exec.system.",
	"fs.read.",
	"fs.write.",
};

static bool is_plain(unsigned char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || (c && strchr("_/+@:-", c));
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that "%XX" at the start of @text stands for, or -1. */
static int escaped(struct span text)
{
	int high, low;

	if (text.len < 3 || *text.data != '%')
		return -1;
	high = hex_digit(text.data[1]);
	low = hex_digit(text.data[2]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static const char *component_fault(struct span part)
{
	size_t i;

	if (!part.len)
		return "an empty component";
	for (i = 0; i < part.len; i++) {
		int byte;

		if (is_plain((unsigned char)part.data[i]))
			continue;
		if (part.data[i] != '%')
			return "a byte that is written %XX in a name";
		byte = escaped(span_from(part, i));
		if (byte < 0)
			return "'%' without two upper-case hexadecimal digits";
		if (is_plain((unsigned char)byte))
			return "%XX for a byte that needs it not";
		i += 2;
	}
	return NULL;
}

static struct span host_of(struct span name)
{
	size_t i;

	for (i = 0; i < sizeof(of_hosts) / sizeof(*of_hosts); i++)
		if (span_starts(name, of_hosts[i]))
			return span_from(name, strlen(of_hosts[i]));
	return (struct span){ NULL, 0 };
}

const char *action_fault(struct span name)
{
	struct span rest = name;
	const char *fault;

	if (!name.len)
		return "an empty name";
	if (name.len > ACTION_MAX)
		return "a name longer than 16 KiB";
	if (name.data[name.len - 1] == '.')
		return "an empty component";
	while (rest.len) {
		fault = component_fault(span_cut(&rest, '.'));
		if (fault)
			return fault;
	}
	rest = host_of(name);
	return rest.len ? host_fault(rest) : NULL;
}

/*
 * Whether @name is of @form; with @above, whether names below it can be.
 */
static bool fits(const char *form, struct span name, bool above)
{
	struct span want = span_of(form);

	while (name.len && want.len) {
		struct span part = span_cut(&want, '.');
		struct span have = span_cut(&name, '.');

		if (span_is(part, "**"))
			return true;
		if (!span_is(part, "*") && !span_equal(part, have))
			return false;
	}
	return !name.len && (above ? want.len > 0 : !want.len);
}

/* The first component of a form is no star: most end here. */
static bool can_fit(const char *form, struct span name)
{
	return !name.len || *name.data == *form;
}

const struct action_space *action_space(struct span name)
{
	size_t i;

	for (i = 0; i < SPACES; i++)
		if (can_fit(spaces[i].form, name) &&
		    fits(spaces[i].form, name, false))
			return &spaces[i];
	return NULL;
}

const struct action_space *action_space_above(struct span prefix)
{
	const struct action_space *found = NULL;
	size_t i;

	for (i = 0; i < SPACES; i++)
		if (can_fit(spaces[i].form, prefix) &&
		    fits(spaces[i].form, prefix, true) &&
		    (!found || found->reserved))
			found = &spaces[i];
	return found;
}

/* @form with the components of @name where it has stars, as long as @name. */
static void fill(struct buf *filled, const char *form, struct span name,
		 bool above)
{
	struct span want = span_of(form);
	bool all = false;

	while (want.len && (name.len || !above)) {
		struct span part = span_cut(&want, '.');
		struct span have = span_cut(&name, '.');

		if (filled->len)
			buf_addc(filled, '.');
		all = span_is(part, "**");
		buf_add(filled, *part.data == '*' && have.len ? have : part);
	}
	if (all && name.len) {
		buf_addc(filled, '.');
		buf_add(filled, name);
	}
}

void action_nearest(struct buf *near, struct span name, bool above)
{
	size_t best = name.len / 3 > 2 ? name.len / 3 : 2;
	size_t i;

	for (i = 0; i < SPACES; i++) {
		autobuf struct buf filled = { 0 };
		size_t far;

		fill(&filled, spaces[i].form, name, above);
		far = nearest_distance(name, buf_span(&filled));
		if (far >= best || far >= NEAREST_LEN_MAX ||
		    strchr(buf_str(&filled), '*') ||
		    (above && !action_space_above(buf_span(&filled))))
			continue;
		best = far;
		buf_reset(near);
		buf_add(near, buf_span(&filled));
	}
}

bool action_defaults_to_allow(struct span name)
{
	return span_starts(name, "provider.") ||
	       span_is(name, "workspace.integrate");
}

void action_add(struct buf *name, struct span part)
{
	size_t i;

	buf_addc(name, '.');
	for (i = 0; i < part.len; i++) {
		unsigned char c = (unsigned char)part.data[i];

		if (is_plain(c))
			buf_addc(name, (char)c);
		else
			buf_addf(name, "%%%02X", (unsigned int)c);
	}
}

bool action_path(struct buf *path, struct span name)
{
	struct span part = { NULL, 0 };
	size_t i;

	for (i = 0; i < sizeof(of_paths) / sizeof(*of_paths); i++)
		if (span_starts(name, of_paths[i]))
			part = span_from(name, strlen(of_paths[i]));
	if (!part.len || memchr(part.data, '.', part.len))
		return false;
	for (i = 0; i < part.len; i++) {
		int byte = escaped(span_from(part, i));

		buf_addc(path, byte < 0 ? part.data[i] : (char)byte);
		i += byte < 0 ? 0 : 2;
	}
	return true;
}
