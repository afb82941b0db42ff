/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_FILTER_LISTS_H
#define CHOCK_CONFINE_FILTER_LISTS_H

/*
 * filter-lists - which filters are made, and of which rows
 *
 * Only confine/gen-filters.c includes this.
 */

#include "confine/calls-host.h"
#include "confine/calls-self.h"
#include "confine/calls.h"

#define LIST_COUNT(array) (sizeof(array) / sizeof(*(array)))

struct list {
	const char *name;
	const struct call_row *rows;
	size_t count;
	uint32_t otherwise;
	bool jit;
	bool strict;
	bool told;  /* somebody listens for what kills */
	bool clerk; /* and does what others ask for, too */
};

#define LIST(list, answer) \
	.rows = (list), .count = LIST_COUNT(list), .otherwise = (answer)
#define SANDBOX LIST(sandbox_calls, FAIL(ENOSYS))
#define TOLD SANDBOX, .told = true
#define CLERK TOLD, .clerk = true
#define BOTH .jit = true, .strict = true
#define ON_TOP(list) LIST(list, ALLOW) /* of one of those */

static const struct list lists[] = {
	{ .name = "filter_sandbox", SANDBOX },
	{ .name = "filter_sandbox_told", TOLD },
	{ .name = "filter_sandbox_jit", SANDBOX, .jit = true },
	{ .name = "filter_sandbox_jit_told", TOLD, .jit = true },
	{ .name = "filter_strict", SANDBOX, .strict = true },
	{ .name = "filter_strict_told", TOLD, .strict = true },
	{ .name = "filter_strict_jit", SANDBOX, BOTH },
	{ .name = "filter_strict_jit_told", TOLD, BOTH },
	{ .name = "filter_clerk", CLERK },
	{ .name = "filter_clerk_jit", CLERK, .jit = true },
	{ .name = "filter_clerk_strict", CLERK, .strict = true },
	{ .name = "filter_clerk_strict_jit", CLERK, BOTH },
	{ .name = "filter_no_metadata", ON_TOP(no_metadata_calls) },
	{ .name = "filter_in_host", ON_TOP(host_calls) },
	{ .name = "filter_no_inet", ON_TOP(no_inet_calls) },
	{ .name = "filter_no_unix", ON_TOP(no_unix_calls) },
	{ .name = "filter_self", LIST(self_calls, KILL) },
};

#endif /* CHOCK_CONFINE_FILTER_LISTS_H */
