/* SPDX-License-Identifier: ISC */
#include "probe/probe.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/place.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "probe/cause.h"
#include "probe/layers.h"
#include "probe/run.h"
#include "probe/trial.h"

#define PROBE_WORDS_MAX 12

const char *probe_state_name(enum probe_state state)
{
	static const char *const names[] = {
		[PROBE_ON] = "on",
		[PROBE_OFF] = "off",
		[PROBE_ABSENT] = "absent",
		[PROBE_UNMEASURED] = "not measured",
	};

	return names[state];
}

/*
 * Whether a run reports the layer that @part is as absent, and goes on: what
 * would hold it instead is in the @rows before it.
 */
static bool held_without(const struct probe_row *rows,
			 const struct landlock_part *part, int abi)
{
	unsigned int i;

	if (!abi || abi >= part->abi || !part->held_by)
		return false;
	for (i = 0; i < LAYER_COUNT; i++)
		if (part->held_by & LAYER_BIT(i) && rows[i].state != PROBE_ON)
			return false;
	return true;
}

/*
 * Whether a run goes on without @layer, and reports it as absent: where no
 * cgroup counts process 1 does, and a memfd is what it is outside.
 */
static bool done_without(enum layer layer, enum trial_stage stage)
{
	return layer == LAYER_CGROUP ||
	       (layer == LAYER_MEMFD && stage == TRIAL_USE);
}

/* Whether the trial of @layer begins with a user namespace. */
static bool in_userns(enum layer layer)
{
	return LAYER_BIT(layer) &
	       (LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_IPCNS) |
		LAYER_BIT(LAYER_MOUNTNS) | LAYER_BIT(LAYER_NETNS) |
		LAYER_BIT(LAYER_PROC) | LAYER_BIT(LAYER_MEMFD));
}

/* fork(2), EAGAIN: nothing can be tried, and no layer is to blame. */
static void blame_crowd(struct probe_row *row)
{
	(void)snprintf(row->cause, sizeof(row->cause),
		       "no process can be started for it: the user has as many "
		       "as may be");
	(void)snprintf(row->mend, sizeof(row->mend),
		       "a higher limit of processes (ulimit -u), or fewer "
		       "processes");
}

static void try_layer(struct probe_row *rows, enum layer layer)
{
	const struct landlock_part *part = landlock_part(layer);
	struct probe_row *row = &rows[layer];
	struct trial trial;

	*row = (struct probe_row){ .name = layer_name(layer),
				   .means = layer_trials[layer].means };
	trial = trial_run(layer_trials[layer].fn);
	if (trial.errnum < 0) {
		row->state = PROBE_UNMEASURED;
		(void)snprintf(row->cause, sizeof(row->cause),
			       trial.signal ? "the trial died of signal %d"
					    : "the trial could not be made",
			       trial.signal);
		if (trial.crowded)
			blame_crowd(row);
		if (trial.signal == SIGSYS)
			(void)snprintf(row->mend, sizeof(row->mend),
				       "start it outside of the sandbox or "
				       "the container that it is in");
		return;
	}
	if (part && trial.abi < part->abi && !trial.errnum)
		trial.errnum = ENOSYS;
	row->state = trial.errnum ? PROBE_OFF : PROBE_ON;
	if (part && held_without(rows, part, trial.abi)) {
		row->state = PROBE_ABSENT;
		(void)snprintf(row->cause, sizeof(row->cause),
			       "the kernel's Landlock is ABI %d, and has none; "
			       "%s",
			       trial.abi, part->held_text);
	} else if (trial.errnum) {
		cause_find(row, layer, &trial);
	}
	if (trial.errnum && done_without(layer, trial.stage))
		row->state = PROBE_ABSENT;
	if (trial.errnum && in_userns(layer) && trial.stage < TRIAL_USE &&
	    rows[LAYER_USERNS].state == PROBE_OFF) {
		(void)snprintf(row->cause, sizeof(row->cause),
			       "there is no user namespace to make it in, see "
			       "its own row");
		*row->mend = '\0';
	}
}

size_t probe_layers(struct probe_row *rows)
{
	unsigned int i;

	for (i = 0; i < LAYER_COUNT; i++)
		try_layer(rows, (enum layer)i);
	return i;
}

/*
 * Runs @argv, whose first word was looked up: @found, or why it was not.  Its
 * success is the row's state, and the first line that it says the cause.
 */
static void run_row(struct probe_row *row, struct buf *path, int found,
		    const struct why *why, const char *const *words)
{
	const char *argv[PROBE_WORDS_MAX + 1] = { buf_str(path) };
	int r = found;
	size_t i;

	for (i = 1; i < PROBE_WORDS_MAX && words[i]; i++)
		argv[i] = words[i];
	if (r < 0)
		(void)snprintf(row->cause, sizeof(row->cause), "%.*s",
			       PROBE_TEXT_MAX - 1, why->text);
	else
		r = run_quietly(argv, row->cause, sizeof(row->cause));
	row->state = r ? PROBE_OFF : PROBE_ON;
	row->errnum = r < 0 ? -r : 0;
	if (!r)
		*row->cause = '\0';
	else if (r == -EAGAIN)
		blame_crowd(row);
	else if (!*row->cause)
		(void)snprintf(row->cause, sizeof(row->cause),
			       r < 0 ? "it cannot be run"
				     : "it ends with %d and says nothing",
			       r);
}

void probe_git(struct probe_row *row)
{
	static const char *const words[] = { "git", "--version", NULL };
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	*row = (struct probe_row){
		.name = "git",
		.means = "chock-workspace copies git projects with it"
	};
	run_row(row, &path, place_host(&path, words[0], &why), &why, words);
	if (row->state != PROBE_ON && !*row->mend)
		(void)snprintf(row->mend, sizeof(row->mend),
			       "install git, in one of " PLACE_HOST_PATH);
}

/*
 * A run has the last word on a layer: what it says that it could not have is
 * not there, however the trial went.
 */
static void believe_run(const struct probe_row *row, struct probe_row *layers)
{
	static const char before[] = "chock-spawn: layer '";
	struct span text = span_of(row->cause);
	struct why why = { 0 };
	enum layer layer;

	if (row->state == PROBE_ON || !span_starts(text, before))
		return;
	text = span_from(text, sizeof(before) - 1);
	text.len = strcspn(text.data, "'");
	if (layer_read(&layer, text, &why) < 0 ||
	    layers[layer].state == PROBE_OFF)
		return;
	layers[layer].state = PROBE_OFF;
	(void)snprintf(layers[layer].cause, PROBE_TEXT_MAX, "%s",
		       text.data + text.len +
			       strspn(text.data + text.len, "': "));
}

/* Runs chock-spawn as anybody would, with @words, the first of its name. */
static void spawn_row(struct probe_row *row, const char *const *words)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	run_row(row, &path, place_program(&path, words[0], &why), &why, words);
}

void probe_cow(struct probe_row *row)
{
	static const char *const words[] = {
		"chock-spawn", "--policy", "base", "--cow", "/usr",
		"--discard",   "--",       "true", NULL
	};

	*row = (struct probe_row){
		.name = "cow",
		.means = "what a run writes can be kept apart, by --cow"
	};
	spawn_row(row, words);
}

void probe_driver_landlock(struct probe_row *row)
{
	static const char *const words[] = { "chock-spawn", "--driver",
					     "landlock",    "--policy",
					     "base",        "--",
					     "true",        NULL };

	*row = (struct probe_row){
		.name = "driver.landlock",
		.means = "chock-spawn --driver landlock --policy base -- true"
	};
	spawn_row(row, words);
}

void probe_sandbox(struct probe_row *row, struct probe_row *layers)
{
	static const char *const words[] = { "chock-spawn", "--policy", "base",
					     "--",          "true",     NULL };

	*row = (struct probe_row){
		.name = "run", .means = "chock-spawn --policy base -- true"
	};
	spawn_row(row, words);
	believe_run(row, layers);
}
