/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "probe/layers-tree.h"
#include "probe/probe.h"
#include "probe/trial.h"
#include "tree/device.h"

/*
 * What a run has only if it asks for it, so that no layer is missing where it
 * cannot be had.
 */

struct fault {
	int errnum; /* 0: whatever it is */
	const char *cause, *mend;
};

static void set(char *text, const char *words)
{
	(void)snprintf(text, PROBE_TEXT_MAX, "%.*s", PROBE_TEXT_MAX - 1, words);
}

/* The last of @faults is for every errno; its cause is what the trial says. */
static void fill(struct probe_row *row, const struct probe_row *layers,
		 trial_fn *fn, const struct fault *faults)
{
	struct trial trial;

	if (layers[LAYER_MOUNTNS].state != PROBE_ON) {
		row->state = PROBE_OFF;
		set(row->cause, "there is no tree to put it in, see the row "
				"mountns");
		return;
	}
	trial = trial_run(fn);
	if (trial.errnum < 0) {
		row->state = PROBE_UNMEASURED;
		set(row->cause, "the trial itself died");
		return;
	}
	if (!trial.errnum)
		return;
	row->state = PROBE_OFF;
	row->errnum = trial.errnum;
	while (faults->errnum && faults->errnum != trial.errnum)
		faults++;
	set(row->cause, faults->errnum ? faults->cause : trial.text);
	set(row->mend, faults->mend);
	if (!*row->cause)
		set(row->cause, trial.stage == TRIAL_HOLDS
					? "it was set up, and does not work"
					: strerror(trial.errnum));
}

/* Where sysfs is, there are always classes; only tests draw one without. */
static int find_any(struct why *why)
{
	autodevices struct devices devices = { 0 };
	autoclose int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (root_fd < 0)
		return why_sys(why, errno, "cannot open '/'");
	r = devices_find(&devices, root_fd, why);
	if (r < 0 || devices.count || !access("/sys/class", F_OK))
		return r;
	return why_set(why, ENOENT,
		       "there is no sysfs at /sys, which says what a device "
		       "is");
}

void probe_devices(struct probe_row *row, const struct probe_row *layers)
{
	static const struct fault faults[] = {
		{ EACCES,
		  "no device can be opened in a mount namespace of one's own: "
		  "/dev is mounted nodev, as some containers have it",
		  "a /dev without nodev: in the container's options, or as "
		  "root mount -o remount,dev /dev" },
		{ ENOENT, "there is no /dev/null, which is tried",
		  "mount a devtmpfs, or the container's own nodes, at /dev" },
		{ 0, NULL, "" },
	};
	struct why why = { 0 };

	*row = (struct probe_row){
		.name = "devices",
		.means = "a device can be granted by what it is"
	};
	fill(row, layers, trial_device, faults);
	if (row->state != PROBE_ON || !find_any(&why))
		return;
	row->state = PROBE_OFF;
	row->errnum = why.errnum;
	set(row->cause, why.text);
	set(row->mend, "as root: mount -t sysfs sysfs /sys");
}

void probe_tty(struct probe_row *row, const struct probe_row *layers)
{
	static const struct fault faults[] = {
		{ ENOSPC,
		  "as many terminals are open as kernel.pty.max permits",
		  "as root: sysctl -w kernel.pty.max=8192" },
		{ ENOTTY,
		  "the kernel cannot open a terminal through its "
		  "other end (ioctl TIOCGPTPEER)",
		  "Linux 4.13 or newer" },
		{ 0, NULL, "" },
	};

	*row = (struct probe_row){
		.name = "tty",
		.means = "a run can have a terminal of its own, by --tty"
	};
	fill(row, layers, trial_tty, faults);
}
