/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that turns options into what is to be built
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/exitcode.h"
#include "base/place.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"
#include "confine/landlock.h"
#include "confine/layer.h"
#include "cow/journal.h"
#include "policy/assignment.h"
#include "sandbox/driver.h"

#define PATH_INSIDE \
	"/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

struct grant *spawn_grant(struct spawn *spawn, enum grant_kind kind,
			  const char *source, const char *by)
{
	struct sandbox *sandbox = &spawn->sandbox;
	struct grant *grant;

	sandbox->grants = alloc_array(sandbox->grants, sandbox->grant_count,
				      sizeof(*grant));
	grant = &sandbox->grants[sandbox->grant_count++];
	*grant = (struct grant){ .kind = kind, .source = source, .by = by };
	return grant;
}

void spawn_env(struct spawn *spawn, const char *assignment, const char *by)
{
	size_t len = strcspn(assignment, "=");
	size_t i = 0;

	if (!len || assignment[len] != '=')
		die(EXIT_MISUSE, "%s: '%s' is not NAME=VALUE", by, assignment);
	while (i < spawn->env_count &&
	       strncmp(spawn->env[i], assignment, len + 1) != 0)
		i++;
	if (i == spawn->env_count) {
		spawn->env =
			alloc_resize(spawn->env, (++spawn->env_count + 1) *
							 sizeof(*spawn->env));
		spawn->env[i] = NULL;
		spawn->env[spawn->env_count] = NULL;
	}
	free((char *)spawn->env[i]);
	spawn->env[i] = alloc_copy(assignment, strlen(assignment));
}

/* Language, time zone and terminal are as outside; nothing else is. */
static void set_env(struct spawn *spawn)
{
	static const char *const fixed[] = {
		"PATH=" PATH_INSIDE,
		"HOME=" SANDBOX_HOME,
		"XDG_CACHE_HOME=" SANDBOX_HOME "/.cache",
		"TMPDIR=" SANDBOX_TMP,
		"CHOCK=1",
	};
	static const char *const passed[] = {
		"LANG=", "LANGUAGE=", "LC_",           "TZ=",
		"TERM=", "NO_COLOR=", "CHOCK_SESSION="
	};
	char **var;
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		spawn_env(spawn, fixed[i], "chock-spawn");
	for (var = environ; *var; var++)
		for (i = 0; i < sizeof(passed) / sizeof(*passed); i++)
			if (!strncmp(*var, passed[i], strlen(passed[i])) &&
			    strchr(*var, '='))
				spawn_env(spawn, *var, "chock-spawn");
}

/* What may stand behind the two fields of --bind; whether it does. */
static bool bind_rest(struct grant *grant, const char *rest)
{
	static const char is[] = ":is=";

	if (!strncmp(rest, ":ro", 3)) {
		grant->kind = GRANT_READ;
		rest += 3;
	}
	grant->judged = !strncmp(rest, is, strlen(is));
	if (!grant->judged)
		return !*rest;
	if (identity_read(&grant->is, span_of(rest + strlen(is))) < 0)
		die(EXIT_MISUSE, "--bind: '%s' identifies no file", rest + 1);
	return true;
}

/* One field of --bind, with its backslashes taken out; @from is moved on. */
static char *bind_field(const char **from)
{
	char *field = alloc_zero(strlen(*from) + 1, 1);
	char *end = field;
	const char *c = *from;

	for (; *c && *c != ':'; c++) {
		if (*c == '\\' && (c[1] == ':' || c[1] == '\\'))
			c++;
		*end++ = *c;
	}
	*from = c;
	return field;
}

static const char *lend(struct spawn *spawn, const char *text)
{
	spawn->lent = alloc_array(spawn->lent, spawn->lent_count,
				  sizeof(*spawn->lent));
	spawn->lent[spawn->lent_count++] = text;
	return text;
}

static void add_bind(struct spawn *spawn, const char *bind)
{
	const char *rest = bind;
	const char *source = lend(spawn, bind_field(&rest));
	const char *target =
		*rest == ':' ? (rest++, lend(spawn, bind_field(&rest))) : "";
	struct grant more = { .kind = GRANT_WRITE };
	struct grant *grant;

	if (!*source || *target != '/' || !bind_rest(&more, rest))
		die(EXIT_MISUSE,
		    "--bind: '%s' is not SOURCE:PATH or SOURCE:PATH:ro, with an "
		    "absolute PATH",
		    bind);
	source = lend(spawn, spawn_absolute(spawn, source));
	grant = spawn_grant(spawn, more.kind, source, "--bind");
	grant->target = target;
	grant->own = true;
	grant->judged = more.judged;
	grant->is = more.is;
}

/*
 * Where nothing can be shown at another path, the copy is the project from
 * here on, and what is called by a path of the project is in it.
 */
static void add_copy(struct spawn *spawn, const char *copy)
{
	struct grant *grant;

	if (!spawn->project)
		die(EXIT_MISUSE, "--copy: there is no project: %s",
		    spawn->sandbox.workdir_lost);
	grant = spawn_grant(spawn,
			    spawn->options.layers && !spawn->options.cow
				    ? GRANT_COW
				    : GRANT_WRITE,
			    spawn_absolute(spawn, copy), "--copy");
	grant->own = true;
	if (spawn->driver->can & DRIVER_MOVE)
		grant->target = spawn->project;
}

void spawn_driver(struct spawn *spawn, const char *name)
{
	struct spawn_options *given = &spawn->options;
	struct why why = { 0 };

	spawn->driver =
		driver_find(name ? name : DRIVER_DEFAULT, &spawn->passed, &why);
	if (!spawn->driver)
		die(EXIT_MISUSE, "--driver: %s", why.text);
	if (spawn->passed.errnum)
		spawn->sandbox.fallback = spawn->passed.text;
	if (!given->copy || !spawn->project || spawn->driver->can & DRIVER_MOVE)
		return;
	spawn->moved_from = spawn->project;
	spawn->project = spawn_absolute(spawn, given->copy);
}

/* As spawn_absolute() has it; of nothing it is said who names that. */
static const char *named(const struct spawn *spawn, const char *path,
			 const char *option)
{
	if (!*path)
		die(EXIT_MISUSE, "%s: an empty path names nothing", option);
	return spawn_absolute(spawn, path);
}

static void add_grants(struct spawn *spawn)
{
	const struct spawn_options *given = &spawn->options;
	const char *path;
	size_t i;

	for (i = 0; i < given->reads.count; i++)
		spawn_grant(spawn, GRANT_READ,
			    named(spawn, given->reads.items[i], "--read"),
			    "--read");
	for (i = 0; i < given->writes.count; i++)
		spawn_grant(spawn, GRANT_WRITE,
			    named(spawn, given->writes.items[i], "--write"),
			    "--write");
	for (i = 0; i < given->tmpfses.count; i++) {
		path = named(spawn, given->tmpfses.items[i], "--tmpfs");
		spawn_grant(spawn, GRANT_TMPFS, path, "--tmpfs")->target = path;
	}
	for (i = 0; i < given->binds.count; i++)
		add_bind(spawn, given->binds.items[i]);
	if (given->hidden_in_copy && !given->copy)
		die(EXIT_MISUSE, "--hidden-in-copy goes with --copy only");
	if (given->copy)
		add_copy(spawn, given->copy);
	if (given->cow)
		spawn_grant(spawn, GRANT_COW, spawn_absolute(spawn, given->cow),
			    "--cow");
	for (i = 0; i < given->hides.count; i++)
		spawn_hide(spawn, given->hides.items[i], "--hide", true);
}

void spawn_note_limit(struct spawn *spawn, const char *key, const char *by)
{
	if (!strcmp(key, limit_name(LIMIT_SCRATCH)))
		spawn->sandbox.scratch_by = by;
}

static void set_net(struct spawn *spawn, const char *net)
{
	if (!strcmp(net, "filtered"))
		die(EXIT_MISUSE,
		    "--net: this build cannot hold 'filtered', only none and "
		    "host");
	if (strcmp(net, "none") != 0 && strcmp(net, "host") != 0)
		die(EXIT_MISUSE, "--net: '%s' is neither none nor host", net);
	spawn->sandbox.net = !strcmp(net, "host") ? NET_HOST : NET_NONE;
}

static void set_degraded(struct spawn *spawn, const char *name)
{
	const struct driver *driver = spawn->driver;
	struct why why = { 0 };
	enum layer layer;

	if (layer_read(&layer, span_of(name), &why) < 0)
		die(EXIT_MISUSE, "--allow-degraded: %s", why.text);
	if (!(driver->waivable & LAYER_BIT(layer)))
		die(EXIT_MISUSE,
		    "--allow-degraded: the driver '%s' never goes without "
		    "'%s'",
		    driver->name, name);
	spawn->sandbox.waived |= LAYER_BIT(layer);
}

static void find_own_dirs(struct spawn *spawn)
{
	static int (*const places[SPAWN_OWN_DIRS])(
		struct buf *, struct why *) = { place_config, place_state,
						place_data, place_runtime };
	struct own_dir *dir = spawn->own_dirs;
	struct why why = { 0 };
	size_t i;

	for (i = 0; i < SPAWN_OWN_DIRS; i++) {
		autobuf struct buf path = { 0 };

		if (places[i](&path, &why) < 0)
			continue;
		dir->path = alloc_copy(path.data, path.len);
		dir->make = places[i] == place_runtime;
		dir++;
	}
	spawn->sandbox.own_name = COW_DIR;
	spawn->sandbox.own_dirs = spawn->own_dirs;
	spawn->sandbox.own_dir_count = (size_t)(dir - spawn->own_dirs);
}

/* Where the kernel's Landlock holds back no socket, or none is to. */
static void find_sockets(struct spawn *spawn)
{
	uint32_t waived = spawn->sandbox.waived & LAYER_BIT(LAYER_LANDLOCK);
	struct why why = { 0 };

	if (landlock_abi() >= SOCKETS_ABI && !waived)
		return;
	if (sockets_find(&spawn->sockets, &why) < 0)
		die(EXIT_SETUP, "%s", why.text);
	spawn->sandbox.sockets = &spawn->sockets;
}

/* What comes last counts: policies, then options, then every ceiling. */
void spawn_configure(struct spawn *spawn)
{
	const struct spawn_options *given = &spawn->options;
	struct why why = { 0 };
	size_t i;

	limits_init(&spawn->sandbox.limits);
	spawn_find_project(spawn);
	set_env(spawn);
	spawn_policy(spawn);
	add_grants(spawn);
	for (i = 0; i < given->envs.count; i++) {
		if (!assignment_has_name(given->envs.items[i]))
			die(EXIT_MISUSE, "--env: '%s' is not NAME=VALUE",
			    given->envs.items[i]);
		spawn_env(spawn, given->envs.items[i], "--env");
	}
	spawn_limits(spawn);
	if (given->net)
		set_net(spawn, given->net);
	spawn_set_syscalls(spawn);
	spawn_ceilings(spawn);
	spawn_unheld(spawn);
	limits_clamp(&spawn->sandbox.limits);
	for (i = 0; i < given->degraded.count; i++)
		set_degraded(spawn, given->degraded.items[i]);
	find_own_dirs(spawn);
	spawn_cow_waiting(spawn);
	find_sockets(spawn);
	spawn_find_workdir(spawn);
	spawn->sandbox.home = SANDBOX_HOME;
	if (driver_check(spawn->driver, &spawn->sandbox, &why) < 0)
		die(EXIT_MISUSE, "%s", why.text);
	if (given->cow && !given->check)
		spawn_cow_open(spawn, spawn_absolute(spawn, given->cow));
	else if (given->layers && !given->check)
		spawn_copy_open(spawn, spawn_absolute(spawn, given->copy));
}
