/* SPDX-License-Identifier: ISC */
#include "sandbox/rid.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "sandbox/status.h"
#include "spec/sandbox.h"

#define SECUREBITS                                                       \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |       \
	 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

/* Linux 5.9 has 41, and a set of them 64 bits. */
#define CAP_LAST_CAP_LEAST CAP_CHECKPOINT_RESTORE
#define CAPS_MAX 64

/*
 * A bit for each ignored signal, the first one's lowest.  To ask the kernel
 * for one signal after the other costs twenty times as much.
 */
static uint64_t ignored(void)
{
	autoclose int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char status[STATUS_ROOM];
	ssize_t len = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);
	uint64_t signals;

	if (len < 0)
		return UINT64_MAX;
	status[len] = '\0';
	return status_signals(&signals, status, "\nSigIgn:\t") ? signals
							       : UINT64_MAX;
}

/*
 * libc keeps two signals for itself and refuses to touch them, and a caller
 * may have them ignored, so the kernel is asked.  Zeroes are its struct for
 * SIG_DFL without flags.
 */
void rid_of_signals(void)
{
	static const unsigned long defaults[4];
	uint64_t left = ignored();
	sigset_t all;
	int i;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	for (i = 1; left; i++, left >>= 1)
		if (left & 1)
			(void)syscall(SYS_rt_sigaction, i, defaults, NULL,
				      sizeof(uint64_t));
}

void rid_of_descriptors(const int *kept, size_t count)
{
	unsigned int from = 0;
	int next;
	size_t i;

	do {
		next = -1;
		for (i = 0; i < count; i++)
			if (kept[i] >= (int)from &&
			    (next < 0 || kept[i] < next))
				next = kept[i];
		if (next < 0)
			(void)syscall(SYS_close_range, from, ~0U, 0);
		else if ((unsigned int)next > from)
			(void)syscall(SYS_close_range, from,
				      (unsigned int)next - 1, 0);
		from = (unsigned int)next + 1;
	} while (next >= 0);
}

/*
 * The name and arguments of process 1 can be read by everything inside, and
 * what was given to chock-spawn is the host's business.
 */
int rid_of_name(const struct sandbox *sandbox, struct why *why)
{
	static const char name[] = "chock-init";

	if (sandbox->title_len >= sizeof(name)) {
		memset(sandbox->title, 0, sandbox->title_len);
		memcpy(sandbox->title, name, sizeof(name));
	}
	if (prctl(PR_SET_NAME, name) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return why_sys(why, errno, "cannot hide process 1");
	return 0;
}

static bool has_none(struct __user_cap_header_struct *header)
{
	struct __user_cap_data_struct held[2] = { { 0 } };

	return !syscall(SYS_capget, header, held) &&
	       !(held[0].permitted | held[1].permitted);
}

/*
 * The command inherits having nothing, so this is done once for both.  An
 * ordinary user outside of a user namespace has nothing from the start, cannot
 * change the bounding set either (EPERM, capabilities(7)), and gets nothing of
 * it: with no_new_privs an exec adds no capability to those that were held.
 */
int rid_of_privileges(struct why *why)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { { 0 } };
	unsigned long cap = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return why_sys(why, errno, "cannot give up privileges");
	if (has_none(&header))
		return 0;
	/* The first that the kernel does not know ends it: capabilities(7). */
	while (cap < CAPS_MAX && !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0))
		cap++;
	if (cap <= CAP_LAST_CAP_LEAST || cap == CAPS_MAX || errno != EINVAL ||
	    prctl(PR_SET_SECUREBITS, SECUREBITS) < 0 ||
	    syscall(SYS_capset, &header, none) < 0)
		return why_sys(why, errno, "cannot give up capabilities");
	return 0;
}
