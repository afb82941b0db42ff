/* SPDX-License-Identifier: ISC */
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/child.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "probe/cause.h"
#include "probe/layers.h"
#include "probe/trial.h"
#include "sandbox/landlock.h"

#define OUTPUT_MAX ((size_t)4096)

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

static void try_layer(struct probe_row *rows, enum layer layer)
{
	const struct landlock_part *part = landlock_part(layer);
	struct probe_row *row = &rows[layer];
	struct trial trial;

	*row = (struct probe_row){ .name = layer_name(layer),
				   .means = layer_trials[layer].means };
	if (!layer_trials[layer].fn) {
		row->state = PROBE_OFF;
		(void)snprintf(row->cause, sizeof(row->cause),
			       "this version of chock does not use it");
		return;
	}
	trial = trial_run(layer_trials[layer].fn);
	if (trial.errnum < 0) {
		row->state = PROBE_UNMEASURED;
		(void)snprintf(row->cause, sizeof(row->cause),
			       trial.signal ? "the trial died of signal %d"
					    : "the trial could not be made",
			       trial.signal);
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
}

size_t probe_layers(struct probe_row *rows)
{
	unsigned int i;

	for (i = 0; i < LAYER_COUNT; i++)
		try_layer(rows, (enum layer)i);
	return i;
}

/* What @child wrote to standard error, on one line, put into @text. */
static int run_quietly(struct child *child, char *text, size_t room)
{
	autoclose int words_fd = memfd_create("words", MFD_CLOEXEC);
	autobuf struct buf words = { 0 };
	struct why why = { 0 };
	int r;

	child->in_fd = -1;
	child->out_fd = -1;
	child->err_fd = words_fd;
	r = child_run(child, &why);
	if (r < 0) {
		(void)snprintf(text, room, "%.*s", (int)room - 1, why.text);
		return r;
	}
	if (words_fd >= 0 && !lseek(words_fd, 0, SEEK_SET) &&
	    !file_read(&words, words_fd, OUTPUT_MAX, &why))
		(void)snprintf(text, room, "%.*s",
			       (int)strcspn(buf_str(&words), "\n"),
			       buf_str(&words));
	return r;
}

/* @result is of run_quietly(), or why there was nothing to run. */
static void note_run(struct probe_row *row, int result)
{
	row->state = result ? PROBE_OFF : PROBE_ON;
	row->errnum = result < 0 ? -result : 0;
}

void probe_git(struct probe_row *row)
{
	static const char *const argv[] = { "git", "--version", NULL };
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	int r = place_host(&path, argv[0], &why);

	*row = (struct probe_row){
		.name = "git",
		.means = "chock-workspace copies git projects with it"
	};
	if (r < 0)
		(void)snprintf(row->cause, sizeof(row->cause), "%.*s",
			       PROBE_TEXT_MAX - 1, why.text);
	else
		r = run_quietly(&(struct child){ .program = buf_str(&path),
						 .argv = argv },
				row->cause, sizeof(row->cause));
	note_run(row, r);
	if (r > 0 && !*row->cause)
		(void)snprintf(row->cause, sizeof(row->cause),
			       "'git --version' ends with %d", r);
	if (r)
		(void)snprintf(row->mend, sizeof(row->mend),
			       "install git, in one of " PLACE_HOST_PATH);
}

void probe_sandbox(struct probe_row *row)
{
	static const char *const argv[] = { "chock-spawn", "--policy", "base",
					    "--",          "true",     NULL };
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	int r;

	*row = (struct probe_row){
		.name = "run", .means = "chock-spawn --policy base -- true"
	};
	r = place_program(&path, argv[0], &why);
	if (r < 0)
		(void)snprintf(row->cause, sizeof(row->cause), "%.*s",
			       PROBE_TEXT_MAX - 1, why.text);
	else
		r = run_quietly(&(struct child){ .program = buf_str(&path),
						 .argv = argv },
				row->cause, sizeof(row->cause));
	note_run(row, r);
	if (r > 0 && !*row->cause)
		(void)snprintf(row->cause, sizeof(row->cause),
			       "it ends with %d and says nothing", r);
}
