/* SPDX-License-Identifier: ISC */
#include "policy/host.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"

#define LABEL_LEN_MAX 63
#define HOST_LEN_MAX 253

static const char *label_fault(struct span label)
{
	size_t i;

	if (!label.len)
		return "a host's name with an empty label";
	if (label.len > LABEL_LEN_MAX)
		return "a label of a host's name longer than 63 bytes";
	if (*label.data == '-' || label.data[label.len - 1] == '-')
		return "a label of a host's name that starts or ends with '-'";
	for (i = 0; i < label.len; i++) {
		char c = label.data[i];

		if (c >= 'A' && c <= 'Z')
			return "a host's name that is not in lower case";
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '-')
			return "a host's name of more than letters, digits and "
			       "'-'";
	}
	return NULL;
}

/* No top-level domain is a number; what ends in one is read as an address. */
static bool is_number(struct span label)
{
	const char *digits = "0123456789";
	size_t i = 0;

	if (span_starts(label, "0x")) {
		digits = "0123456789abcdef";
		i = 2;
	}
	for (; i < label.len; i++)
		if (!strchr(digits, label.data[i]))
			return false;
	return true;
}

const char *host_fault(struct span reversed)
{
	struct span rest = reversed;
	bool first = true;

	if (reversed.len > HOST_LEN_MAX)
		return "a host's name longer than 253 bytes";
	if (!reversed.len || reversed.data[reversed.len - 1] == '.')
		return "a host's name with an empty label";
	while (rest.len) {
		const char *dot = memchr(rest.data, '.', rest.len);
		struct span label = rest;
		const char *fault;

		if (dot)
			label.len = (size_t)(dot - rest.data);
		fault = label_fault(label);
		if (fault)
			return fault;
		if (first && is_number(label))
			return "a number where a host's top-level domain "
			       "stands; in an action the name is reversed";
		first = false;
		rest = span_from(rest, label.len + (dot ? 1 : 0));
	}
	return NULL;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int host_add(struct buf *action, struct span host, struct why *why)
{
	size_t start = action->len;
	size_t end, i, j;
	const char *fault;

	if (host.len && host.data[host.len - 1] == '.')
		host.len--;
	if (!host.len || host.data[host.len - 1] == '.')
		return why_set(why, EINVAL,
			       "a host's name with an empty label");
	for (end = host.len; end != SIZE_MAX; end = i - 1) {
		for (i = end; i && host.data[i - 1] != '.'; i--)
			continue;
		buf_addc(action, '.');
		for (j = i; j < end; j++)
			buf_addc(action, lower(host.data[j]));
	}
	if (span_is(host, "ip"))
		return why_set(why, EINVAL,
			       "'ip' stands for addresses and is no host");
	fault = host_fault(span_from(buf_span(action), start + 1));
	return fault ? why_set(why, EINVAL, "%s", fault) : 0;
}
