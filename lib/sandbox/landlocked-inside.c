/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "sandbox/driver.h"
#include "sandbox/landlocked.h"
#include "sandbox/strays.h"
#include "spec/outcome.h"
#include "spec/parts.h"
#include "spec/sandbox.h"
#include "spec/standard.h"
#include "tree/plan.h"
#include "tree/spot.h"

/*
 * What the keeper does: it looks at what is granted, by the same plan as the
 * driver for namespaces, refuses what rules of Landlock cannot say, and makes
 * the rules.  These add up from the root down: a rule can never take away
 * what one above it gives.
 */

#define GONE SIGUSR1 /* outside is, or wants all to end */
#define NEST_ACCESS (LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_EXEC)

static const struct place {
	const char *path;
	unsigned int access;
} places[] = {
	{ "/dev/null", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	{ "/dev/zero", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	{ "/dev/full", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	{ "/dev/random", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	{ "/dev/urandom", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	{ "/dev/tty", LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE },
	/* Of other processes only what ptrace(2) access does not guard. */
	{ "/proc", LANDLOCK_READ },
	{ "/sys/devices/system/cpu", LANDLOCK_READ },
};

/*
 * From now on kill(2) with -1 reaches all that the caller starts and nothing
 * else.  That is tried on @outside, a process of ours.
 */
static int scope_signals(pid_t outside, struct why *why)
{
	if (landlock_scope_signals(why) < 0)
		return -why->errnum;
	/*
	 * Everything below relies on this, and if it did not hold, what is
	 * meant for the command would end all processes of the user.
	 */
	if (!kill(outside, 0) || errno != EPERM)
		return why_set(why, ENOTRECOVERABLE,
			       "the kernel lets a signal out of the domain "
			       "that is to hold it");
	return 0;
}

static unsigned int access_of(const struct plan_item *item)
{
	unsigned int access = LANDLOCK_READ;

	if (item->kind == GRANT_DEVICE)
		return access | LANDLOCK_WRITE | LANDLOCK_DEVICE;
	if (item->kind == GRANT_WRITE)
		access |= LANDLOCK_WRITE;
	if (!item->noexec)
		access |= LANDLOCK_EXEC;
	return access;
}

static int check_item(const struct plan *plan, size_t index, struct why *why)
{
	const struct plan_item *item = &plan->items[index];
	const char *source = buf_str(&item->source.path);
	const struct plan_item *above;
	size_t i;

	if (item->source.fd < 0 || strcmp(source, item->target) != 0)
		return why_set(why, EOPNOTSUPP,
			       "%s: cannot show '%s' at '%s': the driver "
			       "'landlock' leaves everything at its own path",
			       item->by, source, item->target);
	for (i = 0; i < index; i++) {
		above = &plan->items[i];
		if (path_below(item->target, above->target) &&
		    access_of(above) & ~access_of(item))
			return why_set(why, EOPNOTSUPP,
				       "%s: cannot grant less of '%s' than %s "
				       "grants of '%s', above it, with the "
				       "driver 'landlock'",
				       item->by, item->target, above->by,
				       above->target);
	}
	return 0;
}

/* What is not there needs no cover. */
static int check_cover(const struct plan *plan, const char *path,
		       struct why *why)
{
	autospot struct spot spot = SPOT_NOWHERE;
	const struct plan_item *item = plan->items;
	const struct plan_item *end = item + plan->item_count;
	struct why missing = { 0 };
	int r = spot_find(&spot, path, NULL, &missing);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0) {
		*why = missing;
		return r;
	}
	for (; item < end; item++)
		if (path_below(buf_str(&spot.path), item->target) ||
		    path_below(item->target, buf_str(&spot.path)))
			return why_set(why, EOPNOTSUPP,
				       "%s: cannot grant '%s' and cover '%s', "
				       "which is hidden, chock's own or the "
				       "kernel's: the driver 'landlock' covers "
				       "nothing",
				       item->by, item->target,
				       buf_str(&spot.path));
	return 0;
}

static int check_plan(const struct plan *plan, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; i < plan->item_count && !r; i++)
		r = check_item(plan, i, why);
	for (i = 0; i < plan->cover_count && !r; i++)
		r = check_cover(plan, plan->covers[i].path, why);
	return r == -EOPNOTSUPP ? driver_can_else(r, why) : r;
}

/* What may be written the clerk may change, by the same descriptor. */
static int allow_writing(struct landlock *landlock, struct landlocked *own,
			 int fd, unsigned int access, struct why *why)
{
	int r = roots_add(&own->roots, fd);

	return r < 0 ? why_sys(why, -r, "cannot keep it open")
		     : landlock_allow(landlock, fd, access, why);
}

static int allow_nest(struct landlock *landlock, struct landlocked *own,
		      const char *name, struct why *why)
{
	autofree char *path = alloc_text("%s/%s", own->nest.path, name);
	autoclose int fd = -1;

	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	return allow_writing(landlock, own, fd, NEST_ACCESS, why);
}

static int allow_all(struct landlock *landlock, const struct plan *plan,
		     struct landlocked *own, struct why *why)
{
	const struct plan_item *item = plan->items;
	const struct plan_item *end = item + plan->item_count;
	size_t i;
	int r = 0;

	for (; item < end && !r; item++) {
		r = item->kind == GRANT_WRITE
			    ? allow_writing(landlock, own, item->source.fd,
					    access_of(item), why)
			    : landlock_allow(landlock, item->source.fd,
					     access_of(item), why);
		if (r < 0)
			return why_within(why, "%s: cannot grant '%s'",
					  item->by, item->target);
	}
	for (i = 0; i < sizeof(places) / sizeof(*places) && !r; i++)
		r = landlock_allow_path(landlock, places[i].path,
					places[i].access, why);
	if (!r)
		r = allow_nest(landlock, own, NEST_HOME, why);
	if (!r)
		r = allow_nest(landlock, own, NEST_TMP, why);
	return r < 0 ? r : standard_allow(landlock, why);
}

static bool is_visible(const struct plan *plan, const struct spot *spot)
{
	size_t i;

	for (i = 0; i < plan->item_count; i++)
		if (path_below(buf_str(&spot->path), plan->items[i].target))
			return true;
	return false;
}

/* Landlock lets everybody enter every directory; what is told must be true. */
static int enter_workdir(const struct init *init, const struct plan *plan,
			 struct why *why)
{
	const struct sandbox *sandbox = init->sandbox;
	autospot struct spot spot = SPOT_NOWHERE;
	struct why lost = { 0 };
	int r = sandbox->workdir
			? spot_find(&spot, sandbox->workdir, NULL, &lost)
			: -ENOENT;

	if (!r && !is_visible(plan, &spot))
		r = why_set(&lost, EACCES, "'%s' is not granted",
			    sandbox->workdir);
	if (!r && fchdir(spot.fd) < 0)
		r = why_sys(&lost, errno, "cannot use it");
	if (!r)
		return 0;
	if (sandbox->workdir && sandbox->workdir_named) {
		*why = lost;
		return why_within(why, "cannot enter '%s'", sandbox->workdir);
	}
	init->outcome->at_home = sandbox->workdir || sandbox->workdir_lost;
	if (chdir(sandbox->home) < 0)
		return why_sys(why, errno, "cannot enter '%s'", sandbox->home);
	return 0;
}

static int make_rules(struct init *init, struct landlock *landlock,
		      struct why *why)
{
	const struct sandbox *sandbox = init->sandbox;
	struct layer_row *rows = init->outcome->layers;
	autoplan struct plan plan = { 0 };
	int r = plan_make(&plan, sandbox, why);

	if (!r)
		r = check_plan(&plan, why);
	if (!r && init->pty.control_fd >= 0)
		r = pty_open(&init->pty, AT_FDCWD, "/dev/ptmx", why);
	if (!r)
		r = landlock_open(landlock, sandbox->net == NET_NONE, why);
	if (!r)
		r = allow_all(landlock, &plan, init->own, why);
	if (r < 0)
		return layer_failed(rows, LAYER_LANDLOCK, why);
	return enter_workdir(init, &plan, why);
}

static int build(struct init *init, struct landlock *landlock, struct why *why)
{
	struct landlocked *own = init->own;
	struct layer_row *rows = init->outcome->layers;
	int r = parts_note(rows, init->sandbox, own->abi, why);

	if (!r)
		r = make_rules(init, landlock, why);
	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return why_sys(why, errno, "cannot become the keeper");
	if (scope_signals(init->outside, why) < 0)
		return layer_failed(rows, LAYER_LANDLOCK_SCOPE, why);
	own->scoped = true;
	init->roots = &own->roots;
	return 0;
}

static void end(const struct init *init)
{
	const struct landlocked *own = init->own;
	struct why why = { 0 };

	if (own->scoped) {
		(void)kill(-1, SIGKILL);
		/* What is not gone by then is outside's, who says so. */
		(void)strays_wait(STRAYS_WAIT);
	}
	/* Where it cannot, outside tries again, and says so. */
	(void)nest_remove(&own->nest, &why);
}

const struct init_kind init_landlocked = {
	.build = build,
	.end = end,
	.end_signal = GONE,
};
