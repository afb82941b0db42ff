/* SPDX-License-Identifier: ISC */
#include "sandbox/caps.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/why.h"
#include "sandbox/watch.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

static bool asks_for_cpu(const struct sandbox *sandbox)
{
	return sandbox->limits.value[LIMIT_CPU] != LIMIT_NONE;
}

static bool has_no_core(void)
{
	struct rlimit core;

	return !getrlimit(RLIMIT_CORE, &core) && !core.rlim_max;
}

static void note(struct caps *caps)
{
	struct outcome *outcome = caps->outcome;

	outcome->means = (struct limit_means){
		.cgroup = caps->cgroup.held,
		.supplied = caps->sandbox->cgroup == CGROUP_SUPPLIED,
		.swap_free = caps->cgroup.swap_free,
		.watched = caps->counting,
		.disk_watched = caps->disk.count > 0,
		.disk_remote = caps->disk.remote,
		.disk_blind = caps->disk.writable && !caps->disk.count,
		.root = !getuid(),
		.no_core = has_no_core(),
		.cow = caps->sandbox->cow && !caps->sandbox->cow->layers,
		.beside = caps->counting ? 0 : limits_tasks(),
	};
	limitrow_note(outcome->limits, &caps->sandbox->limits, &outcome->means);
}

/*
 * Memory and processes are held without a cgroup, not as well; the time that
 * all share on the processors is not.
 */
static int lose(struct caps *caps, struct why *why)
{
	struct layer_row *rows = caps->outcome->layers;

	cgroup_close(&caps->cgroup);
	caps->cgroup = CGROUP_CLOSED;
	if (!asks_for_cpu(caps->sandbox)) {
		layer_set(rows, LAYER_CGROUP,
			  caps->sandbox->cgroup == CGROUP_NONE ? LAYER_OFF
							       : LAYER_ABSENT,
			  why->text);
		return 0;
	}
	(void)why_within(why, "nothing can hold 'limit cpu'");
	if (layer_lost(rows, LAYER_CGROUP, caps->sandbox->waived, why) == 0)
		return 0;
	caps->outcome->why = *why;
	return -why->errnum;
}

static int make(struct caps *caps, struct why *why)
{
	struct layer_row *rows = caps->outcome->layers;
	int r = cgroup_make(&caps->cgroup, &caps->sandbox->limits, why);

	if (r < 0)
		return lose(caps, why);
	if (asks_for_cpu(caps->sandbox) &&
	    !(caps->cgroup.held & LIMIT_BIT(LIMIT_CPU)) &&
	    !(caps->sandbox->waived & LAYER_BIT(LAYER_CGROUP))) {
		(void)why_set(why, ENOENT, "the cgroup has no cpu");
		return lose(caps, why);
	}
	layer_set(rows, LAYER_CGROUP, LAYER_ON, "");
	return 0;
}

static int take(struct caps *caps, struct why *why)
{
	struct layer_row *rows = caps->outcome->layers;

	if (cgroup_take(&caps->cgroup, caps->sandbox->cgroup_fd, why) < 0) {
		(void)layer_failed(rows, LAYER_CGROUP, why);
		caps->outcome->why = *why;
		return -why->errnum;
	}
	layer_set(rows, LAYER_CGROUP, LAYER_ON, "the caller's own");
	return 0;
}

int caps_open(struct caps *caps, const struct sandbox *sandbox,
	      struct outcome *outcome, bool counting)
{
	struct why why = { 0 };
	int r;

	*caps = (struct caps){ .sandbox = sandbox,
			       .outcome = outcome,
			       .cgroup = CGROUP_CLOSED,
			       .counting = counting };
	disk_open(&caps->disk, sandbox);
	if (sandbox->cgroup == CGROUP_SUPPLIED) {
		r = take(caps, &why);
	} else if (sandbox->cgroup == CGROUP_NONE) {
		(void)why_set(&why, ENOENT, "none was asked for");
		r = lose(caps, &why);
	} else {
		r = make(caps, &why);
	}
	note(caps);
	return r;
}

int caps_refused(struct caps *caps, int errnum)
{
	struct why why = { 0 };
	int r;

	if (!cgroup_explain(&caps->cgroup, errnum, &why))
		return 1;
	if (caps->sandbox->cgroup != CGROUP_SUPPLIED) {
		r = lose(caps, &why);
		note(caps);
		return r;
	}
	(void)layer_failed(caps->outcome->layers, LAYER_CGROUP, &why);
	caps->outcome->why = why;
	return -why.errnum;
}

static void on_disk(void *arg)
{
	struct caps *caps = arg;
	struct watch *watch = caps->watch;
	struct exceeded *exceeded = &caps->outcome->exceeded;
	enum disk_state state;

	/* What is left is the relay's, and the process id may be another's. */
	if (watch->ended)
		return;
	state = disk_look(&caps->disk);
	if (state == DISK_FINE) {
		loop_after(&watch->loop, DISK_INTERVAL, on_disk, caps);
		return;
	}
	exceeded->ended |= LIMIT_BIT(LIMIT_DISK);
	exceeded->floor = state == DISK_FULL;
	exceeded->crowded = state == DISK_CROWDED;
	watch_end(watch);
}

void caps_watch(struct caps *caps, struct watch *watch)
{
	struct limit_means *means = &caps->outcome->means;

	caps->watch = watch;
	if (!caps->disk.count)
		return;
	disk_add_mounts(&caps->disk);
	if (caps->disk.remote && !means->disk_remote) {
		means->disk_remote = caps->disk.remote;
		limitrow_note(caps->outcome->limits, &caps->sandbox->limits,
			      means);
	}
	loop_after(&watch->loop, DISK_INTERVAL, on_disk, caps);
}

/*
 * Process 1 was ended, which ends the command all the same: by us, for a limit
 * or because its grace was over; or by the kernel, which takes it for the one
 * to kill where a command is small and what it holds is not.
 */
static void bury(struct outcome *outcome)
{
	if (outcome->stage != OUTCOME_STARTED || outcome->ended ||
	    (!outcome->timed_out && !exceeded_killed(&outcome->exceeded)))
		return;
	outcome->ended = true;
	outcome->wait_status = SIGKILL;
}

void caps_close(struct caps *caps)
{
	cgroup_read(&caps->cgroup, &caps->outcome->exceeded);
	bury(caps->outcome);
	cgroup_close(&caps->cgroup);
	disk_close(&caps->disk);
}
