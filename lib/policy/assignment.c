/* SPDX-License-Identifier: ISC */
#include "policy/assignment.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "policy/path.h"
#include "policy/policy.h"

static size_t name_len(const char *word)
{
	return strspn(word, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_");
}

/* What is before the next colon, or all. */
static struct span part_of(const char *value)
{
	return (struct span){ value, strcspn(value, ":") };
}

static bool names(struct span part, const char *start)
{
	size_t len = strlen(start);

	return span_starts(part, start) &&
	       (part.len == len || part.data[len] == '/');
}

static bool is_path(struct span part)
{
	return names(part, "~") || names(part, "@project@");
}

bool assignment_has_name(const char *word)
{
	size_t len = name_len(word);

	return len && word[len] == '=' && (*word < '0' || *word > '9');
}

const char *assignment_fault(const char *word)
{
	const char *rest = word + name_len(word);

	if (!assignment_has_name(word))
		return "not NAME=VALUE";
	do {
		struct span part = part_of(++rest);
		const char *fault = is_path(part) ? path_fault(part) : NULL;

		if (fault)
			return fault;
		rest += part.len;
	} while (*rest);
	return NULL;
}

static int add_part(struct buf *text, struct span part, const char *home,
		    const char *project, struct why *why)
{
	autofree char *word = NULL;

	if (!is_path(part)) {
		buf_add(text, part);
		return 0;
	}
	word = alloc_copy(part.data, part.len);
	return policy_path(text, word, home, project, why);
}

int assignment_expand(struct buf *text, const char *word, const char *home,
		      const char *project, struct why *why)
{
	size_t len = name_len(word);
	const char *rest = word + len;
	int r;

	buf_add(text, (struct span){ word, len });
	do {
		struct span part = part_of(rest + 1);

		buf_addc(text, *rest);
		r = add_part(text, part, home, project, why);
		rest += 1 + part.len;
	} while (!r && *rest);
	return r;
}
