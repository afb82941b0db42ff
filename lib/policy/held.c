/* SPDX-License-Identifier: ISC */
#include "policy/held.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/words.h"

#define ONLY_MAX 2

static const struct {
	enum holder holder;
	const char *only[ONLY_MAX]; /* of its first word; none: any */
} rows[POLICY_KEYWORDS] = {
	[POLICY_READ] = { HOLDER_SPAWN, { NULL } },
	[POLICY_WRITE] = { HOLDER_SPAWN, { NULL } },
	[POLICY_HIDE] = { HOLDER_SPAWN, { NULL } },
	[POLICY_TMPFS] = { HOLDER_SPAWN, { NULL } },
	[POLICY_BIND] = { HOLDER_RUN, { NULL } },
	[POLICY_DEVICE] = { HOLDER_SPAWN, { NULL } },
	[POLICY_ENV] = { HOLDER_SPAWN, { NULL } },
	[POLICY_NET] = { HOLDER_SPAWN, { "none", "host" } },
	[POLICY_PUBLISH] = { HOLDER_NONE, { NULL } },
	[POLICY_NAT64] = { HOLDER_NONE, { NULL } },
	[POLICY_SECRET] = { HOLDER_NONE, { NULL } },
	[POLICY_CREDENTIAL] = { HOLDER_NONE, { NULL } },
	[POLICY_AUTH] = { HOLDER_NONE, { NULL } },
	[POLICY_LIMIT] = { HOLDER_SPAWN, { NULL } },
	[POLICY_SYSCALLS] = { HOLDER_SPAWN, { "strict" } },
	[POLICY_SUBAGENTS] = { HOLDER_EVAL, { NULL } },
	[POLICY_BUDGET] = { HOLDER_NONE, { NULL } },
	[POLICY_APPLY] = { HOLDER_RUN, { NULL } },
	[POLICY_REVIEWER] = { HOLDER_NONE, { NULL } },
	[POLICY_SINK] = { HOLDER_NONE, { NULL } },
	[POLICY_EXPIRES] = { HOLDER_ALL, { NULL } },
	[POLICY_DRIVER] = { HOLDER_SPAWN, { NULL } },
	[POLICY_CA_BUNDLE] = { HOLDER_NONE, { NULL } },
	[POLICY_MCP] = { HOLDER_NONE, { NULL } },
};

enum holder held_by(enum policy_keyword keyword)
{
	return rows[keyword].holder;
}

static int check_first(enum policy_keyword keyword, const struct words *words,
		       struct buf *what, struct why *why)
{
	const char *const *only = rows[keyword].only;
	size_t i;

	for (i = 0; i < ONLY_MAX && only[i]; i++)
		if (!strcmp(words->word[1], only[i]))
			return 0;
	if (!i)
		return 0;
	buf_addf(what, "%s %s", words->word[0], words->word[1]);
	return words_wrong(words, 1, why, "this version cannot hold '%s %s'",
			   words->word[0], words->word[1]);
}

int held_check(enum policy_keyword keyword, const struct words *words,
	       struct buf *what, struct why *why)
{
	if (held_by(keyword) == HOLDER_NONE) {
		buf_adds(what, words->word[0]);
		return words_wrong(words, 0, why,
				   "this version cannot hold '%s'",
				   words->word[0]);
	}
	return check_first(keyword, words, what, why);
}

int held_refuse(const struct policy *policy, struct why *why)
{
	if (!policy->unheld_count)
		return 0;
	return why_set(why, EINVAL, "%s", policy->unheld[0].refusal);
}
