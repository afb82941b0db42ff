/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that reads limits, from policies and options
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"

static struct limits read_limit(const struct spawn *spawn,
				const struct policy_statement *statement,
				const char *by)
{
	struct limits limits = spawn->sandbox.limits;
	struct why why = { 0 };

	if (limits_read(&limits, span_of(statement->words[0]),
			span_of(statement->words[1]), &why) < 0)
		die(EXIT_MISUSE, "%s: %s", by, why.text);
	return limits;
}

/* What was said first stands in for the default; after that the narrower. */
void spawn_hold_limit(struct spawn *spawn,
		      const struct policy_statement *statement, const char *by)
{
	struct limits asked = read_limit(spawn, statement, by);
	struct limits *held = &spawn->sandbox.limits;
	unsigned int i;

	for (i = 0; i < LIMIT_COUNT; i++) {
		if (strcmp(statement->words[0], limit_name(i)) != 0)
			continue;
		if (!spawn->limit_said[i] || asked.value[i] < held->value[i])
			held->value[i] = asked.value[i];
		spawn->limit_said[i] = true;
		spawn_note_limit(spawn, limit_name(i), by);
	}
}

/* The narrower of what was asked for and what a ceiling allows. */
void spawn_narrow_limit(struct spawn *spawn,
			const struct policy_statement *statement,
			const char *by)
{
	struct limits most = read_limit(spawn, statement, by);
	struct limits *held = &spawn->sandbox.limits;
	unsigned int i;

	for (i = 0; i < LIMIT_COUNT; i++) {
		if (most.value[i] >= held->value[i])
			continue;
		held->value[i] = most.value[i];
		if (spawn->limit_given[i])
			warn("%s: the ceiling says 'limit %s %s', so what %s "
			     "says does not hold",
			     by, limit_name(i), statement->words[1],
			     i == LIMIT_TIME ? "--timeout or --limit"
					     : "--limit");
	}
}

static void set_limit(struct spawn *spawn, const char *limit)
{
	size_t len = strcspn(limit, "=");
	struct why why = { 0 };
	unsigned int i;

	if (!limit[len])
		die(EXIT_MISUSE, "--limit: '%s' is not KEY=VALUE", limit);
	if (limits_read(&spawn->sandbox.limits, (struct span){ limit, len },
			span_of(limit + len + 1), &why) < 0)
		die(EXIT_MISUSE, "--limit: %s", why.text);
	for (i = 0; i < LIMIT_COUNT; i++) {
		if (!span_is((struct span){ limit, len }, limit_name(i)))
			continue;
		spawn->limit_given[i] = true;
		spawn_note_limit(spawn, limit_name(i), "--limit");
	}
}

void spawn_print_limit(const struct spawn *spawn, struct buf *text)
{
	const char *key = spawn->options.print_limit;
	struct limits limits = spawn->sandbox.limits;
	struct why why = { 0 };
	unsigned int i;

	if (limits_read(&limits, span_of(key), span_of("1"), &why) == -ENOENT)
		die(EXIT_MISUSE, "--print-limit: %s", why.text);
	for (i = 0; strcmp(key, limit_name(i)) != 0; i++)
		continue;
	if (spawn->sandbox.limits.value[i] == LIMIT_NONE)
		buf_adds(text, "none\n");
	else
		buf_addf(text, "%llu\n",
			 (unsigned long long)spawn->sandbox.limits.value[i]);
}

/* A descriptor that is no cgroup is refused where it is used. */
static void set_cgroup(struct spawn *spawn, const char *cgroup)
{
	struct sandbox *sandbox = &spawn->sandbox;
	uint64_t fd;

	if (!strcmp(cgroup, "auto") || !strcmp(cgroup, "none")) {
		sandbox->cgroup = *cgroup == 'a' ? CGROUP_AUTO : CGROUP_NONE;
		return;
	}
	if (num_read(&fd, span_of(cgroup), INT_MAX) < 0)
		die(EXIT_MISUSE,
		    "--cgroup: '%s' is neither auto nor none nor a descriptor",
		    cgroup);
	if (fd <= STDERR_FILENO)
		die(EXIT_MISUSE,
		    "--cgroup: descriptor %s is the command's own: name one "
		    "from 3 on",
		    cgroup);
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		die_errno(EXIT_MISUSE, "--cgroup: cannot use descriptor %s",
			  cgroup);
	sandbox->cgroup = CGROUP_SUPPLIED;
	sandbox->cgroup_fd = (int)fd;
}

static void set_timeout(struct spawn *spawn, uint64_t seconds)
{
	uint64_t *limit = &spawn->sandbox.limits.value[LIMIT_TIME];

	spawn->limit_given[LIMIT_TIME] = true;
	if (seconds < *limit)
		*limit = seconds;
}

void spawn_limits(struct spawn *spawn)
{
	const struct spawn_options *given = &spawn->options;
	size_t i;

	for (i = 0; i < given->limits.count; i++)
		set_limit(spawn, given->limits.items[i]);
	if (given->cgroup)
		set_cgroup(spawn, given->cgroup);
	if (given->timeout)
		set_timeout(spawn, given->timeout);
}
