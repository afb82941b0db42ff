/* SPDX-License-Identifier: ISC */
#include "lint/suffix.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lint/punycode.h"
#include "policy/host.h"

/* RFC 6761, RFC 6762, RFC 9476 and ICANN's choice of "internal": top-level
 * domains that nobody can have a name below but who runs the network. */
static const char *const own[] = {
	"alt",   "example",   "home",  "internal", "invalid",
	"local", "localhost", "onion", "test",
};

/* Cuts the last label off @host. */
static struct span last_label(struct span *host)
{
	size_t start = host->len;
	struct span label;

	while (start && host->data[start - 1] != '.')
		start--;
	label = span_from(*host, start);
	host->len = start ? start - 1 : 0;
	return label;
}

/* @host, reversed and in ASCII, behind @names; returns whether it is a name. */
static bool add_reversed(struct buf *names, struct span host)
{
	size_t start = names->len;

	while (host.len) {
		if (names->len > start)
			buf_addc(names, '.');
		if (punycode_add(names, last_label(&host)) < 0)
			return false;
	}
	return !host_fault(span_from(buf_span(names), start));
}

static void add_rule(struct suffixes *suffixes, struct span line)
{
	struct suffix_rule rule = { .start = suffixes->names.len };

	rule.exception = span_starts(line, "!");
	rule.below = span_starts(line, "*.");
	line = span_from(line, rule.below ? 2 : rule.exception);
	if (!line.len || !add_reversed(&suffixes->names, line)) {
		buf_cut(&suffixes->names, rule.start);
		return;
	}
	rule.len = suffixes->names.len - rule.start;
	/* One byte between names: no name is read into the next. */
	buf_addc(&suffixes->names, '\n');
	suffixes->rules = alloc_array(suffixes->rules, suffixes->count,
				      sizeof(*suffixes->rules));
	suffixes->rules[suffixes->count++] = rule;
}

static struct span name_of(const struct suffixes *suffixes,
			   const struct suffix_rule *rule)
{
	return (struct span){ suffixes->names.data + rule->start, rule->len };
}

static int compare(struct span a, struct span b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.data, b.data, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_rules(const void *a, const void *b, void *suffixes)
{
	return compare(name_of(suffixes, a), name_of(suffixes, b));
}

/* A rule is what stands before the first blank of a line. */
static struct span rule_of(struct span line)
{
	size_t len = 0;

	while (len < line.len && !strchr(" \t\r", line.data[len]))
		len++;
	return (struct span){ line.data, len };
}

void suffix_open(struct suffixes *suffixes, struct span list)
{
	while (list.len) {
		const char *end = memchr(list.data, '\n', list.len);
		struct span line = list;

		if (end)
			line.len = (size_t)(end - list.data);
		list = span_from(list, line.len + 1);
		line = rule_of(line);
		if (line.len && !span_starts(line, "//"))
			add_rule(suffixes, line);
	}
	if (suffixes->count)
		qsort_r(suffixes->rules, suffixes->count,
			sizeof(*suffixes->rules), compare_rules, suffixes);
}

/* The first rule whose name is not before @name. */
static size_t first_from(const struct suffixes *suffixes, struct span name)
{
	size_t low = 0, high = suffixes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(name_of(suffixes, &suffixes->rules[middle]), name) <
		    0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether there is a rule of this kind with just the name @name. */
static bool has_rule(const struct suffixes *suffixes, struct span name,
		     bool below, bool exception)
{
	size_t i;

	for (i = first_from(suffixes, name); i < suffixes->count; i++) {
		const struct suffix_rule *rule = &suffixes->rules[i];

		if (!span_equal(name_of(suffixes, rule), name))
			break;
		if (rule->below == below && rule->exception == exception)
			return true;
	}
	return false;
}

static bool is_suffix(const struct suffixes *suffixes, struct span name)
{
	struct span parent = name;

	(void)last_label(&parent);
	if (has_rule(suffixes, name, false, true))
		return false;
	return has_rule(suffixes, name, false, false) ||
	       (parent.len && has_rule(suffixes, parent, true, false));
}

static bool is_public_domain(struct span name)
{
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (span_is(name, own[i]))
			return false;
	return !memchr(name.data, '.', name.len);
}

/* A rule for something below @name, or NULL. */
static const struct suffix_rule *rule_below(const struct suffixes *suffixes,
					    struct span name)
{
	autobuf struct buf start = { 0 };
	size_t i;

	buf_add(&start, name);
	buf_addc(&start, '.');
	for (i = first_from(suffixes, buf_span(&start)); i < suffixes->count;
	     i++) {
		const struct suffix_rule *rule = &suffixes->rules[i];

		if (!span_starts(name_of(suffixes, rule), buf_str(&start)))
			break;
		if (!rule->exception)
			return rule;
	}
	return NULL;
}

void suffix_add_host(struct buf *host, struct span reversed)
{
	size_t start = host->len;

	while (reversed.len) {
		if (host->len > start)
			buf_addc(host, '.');
		buf_add(host, last_label(&reversed));
	}
}

enum suffix_kind suffix_kind(const struct suffixes *suffixes,
			     struct span reversed, struct buf *example)
{
	const struct suffix_rule *rule;

	if (!suffixes->count)
		return is_public_domain(reversed) ? SUFFIX_ITSELF : SUFFIX_NONE;
	if (is_suffix(suffixes, reversed))
		return SUFFIX_ITSELF;
	if (has_rule(suffixes, reversed, true, false)) {
		buf_adds(example, "*.");
		suffix_add_host(example, reversed);
		return SUFFIX_BELOW;
	}
	rule = rule_below(suffixes, reversed);
	if (!rule)
		return SUFFIX_NONE;
	suffix_add_host(example, name_of(suffixes, rule));
	return SUFFIX_BELOW;
}

void suffix_drop(struct suffixes *suffixes)
{
	buf_drop(&suffixes->names);
	free(suffixes->rules);
	*suffixes = (struct suffixes){ .count = 0 };
}
