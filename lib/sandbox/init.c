/* SPDX-License-Identifier: ISC */
#include "sandbox/init.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/why.h"
#include "sandbox/command.h"
#include "sandbox/landlock.h"
#include "sandbox/loop.h"
#include "sandbox/outcome.h"
#include "sandbox/parts.h"
#include "sandbox/plan.h"
#include "sandbox/rid.h"
#include "sandbox/sandbox.h"
#include "sandbox/tree.h"

/*
 * The order:
 *
 *  1. die with the outside, whenever that dies
 *  2. become somebody in the user namespace, take a keyring, raise lo
 *  3. pin what is granted, build the tree, enter it
 *  4. wipe what the host told us, become unreadable, give up every capability
 *  5. say that the sandbox is ready, start the command, reap until it ends
 */

#define KEYCTL_JOIN 1 /* KEYCTL_JOIN_SESSION_KEYRING, see keyctl(2) */

/*
 * The signal may have been missed if the outside died before we asked for it;
 * then nobody holds the other end of the pipe.
 */
static int die_with_outside(struct init *init, struct why *why)
{
	struct pollfd end = { .fd = init->alive[0], .events = POLLIN };

	fd_drop(&init->alive[1]);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return why_sys(why, errno, "cannot ask to be ended");
	if (poll(&end, 1, 0) != 0)
		return why_set(why, ECANCELED, "what started it is gone");
	fd_drop(&init->alive[0]);
	return 0;
}

/*
 * Signals are blocked from here on and waited for.  What the terminal sends is
 * for the outside, which hands it on: if it came here as well, the two would
 * be one pending signal, and the one that counts could be lost.
 */
static int leave_terminal(struct why *why)
{
	rid_of_signals();
	return setsid() < 0 ? why_sys(why, errno, "cannot leave the terminal")
			    : 0;
}

static int write_map(const char *path, const char *text, struct why *why)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return why_sys(why, errno, "cannot write '%s'", path);
	return 0;
}

/*
 * Each id is mapped to itself.  The hint is for systems on which a user
 * namespace can be made and is then worth nothing.
 */
static int map_ids(const struct init *init, struct why *why)
{
	static const char hint[] =
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
	char uid[64], gid[64];
	int r;

	(void)snprintf(uid, sizeof(uid), "%u %u 1", init->uid, init->uid);
	(void)snprintf(gid, sizeof(gid), "%u %u 1", init->gid, init->gid);
	r = write_map("/proc/self/uid_map", uid, why);
	if (!r)
		r = write_map("/proc/self/setgroups", "deny", why);
	if (!r)
		r = write_map("/proc/self/gid_map", gid, why);
	if (r < 0 && !access(hint, F_OK))
		(void)why_set(why, -r,
			      "%.300s (AppArmor may withhold user namespaces: "
			      "see kernel.apparmor_restrict_unprivileged_"
			      "userns)",
			      why->text);
	return r < 0 ? layer_failed(init->outcome->layers, LAYER_USERNS, why)
		     : 0;
}

static int take_keyring(const struct init *init, struct why *why)
{
	struct layer_row *rows = init->outcome->layers;

	if (syscall(SYS_keyctl, KEYCTL_JOIN, NULL) >= 0)
		layer_set(rows, LAYER_KEYRING, LAYER_ON, "");
	else if (errno == ENOSYS)
		layer_set(rows, LAYER_KEYRING, LAYER_ABSENT,
			  "the kernel has no keyrings");
	else
		return layer_lost(
			rows, LAYER_KEYRING, init->sandbox->waived,
			(why_sys(why, errno, "cannot take a keyring"), why));
	return 0;
}

/* Programs under test serve on 127.0.0.1. */
static int raise_lo(const struct init *init, struct why *why)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	autoclose int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &lo))
		return 0;
	(void)why_sys(why, errno, "cannot bring lo up");
	return layer_failed(init->outcome->layers, LAYER_NETNS, why);
}

/* TCP is Landlock's to hold only where a namespace should and does not. */
static int open_landlock(const struct init *init, struct landlock *landlock,
			 struct why *why)
{
	bool hold_net = !(init->namespaces & CLONE_NEWNET) &&
			init->sandbox->net == NET_NONE;
	int r = parts_note(init->outcome->layers, init->sandbox, landlock_abi(),
			   why);

	if (r < 0 || init->outcome->layers[LAYER_LANDLOCK].state != LAYER_ON)
		return r;
	r = landlock_open(landlock, hold_net, why);
	return r < 0 ? layer_failed(init->outcome->layers, LAYER_LANDLOCK, why)
		     : 0;
}

/*
 * What standard input, output and error stand for may be opened again, as
 * /dev/stdin and the like, just as far as the descriptor itself allows.
 * Pipes and sockets need no rule, and can have none (EBADFD).
 */
static int allow_standard(const struct tree *tree, struct why *why)
{
	unsigned int access;
	int fd, mode, r;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		mode = fcntl(fd, F_GETFL);
		if (mode < 0 || mode & O_PATH)
			continue;
		mode &= O_ACCMODE;
		access = LANDLOCK_DEVICE;
		if (mode != O_WRONLY)
			access |= LANDLOCK_READ;
		if (mode != O_RDONLY)
			access |= LANDLOCK_WRITE;
		r = tree_allow(tree, fd, access, why);
		if (r < 0 && r != -EBADFD)
			return r;
	}
	return 0;
}

static int enter_workdir(const struct init *init, struct why *why)
{
	const char *dir = init->sandbox->workdir;

	if (dir && !chdir(dir))
		return 0;
	if (dir && init->sandbox->workdir_named)
		return why_sys(why, errno, "cannot enter '%s'", dir);
	init->outcome->at_home = dir != NULL;
	if (chdir(SANDBOX_HOME) < 0)
		return why_sys(why, errno, "cannot enter '%s'", SANDBOX_HOME);
	return 0;
}

static int build_tree(const struct init *init, struct landlock *landlock,
		      struct why *why)
{
	autoplan struct plan plan = { 0 };
	autotree struct tree tree = TREE_CLOSED;
	int r;

	tree.sandbox = init->sandbox;
	tree.landlock = landlock->fd >= 0 ? landlock : NULL;
	tree.rows = init->outcome->layers;
	r = plan_make(&plan, init->sandbox, why);
	if (!r)
		r = tree_build(&tree, &plan, why);
	if (!r)
		r = allow_standard(&tree, why);
	if (!r)
		r = tree_enter(&tree, why);
	if (!r)
		r = enter_workdir(init, why);
	return r;
}

static int check_seccomp(const struct init *init, struct why *why)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;
	struct layer_row *rows = init->outcome->layers;

	if (!syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action)) {
		layer_set(rows, LAYER_SECCOMP, LAYER_ON, "");
		layer_set(rows, LAYER_SOCKETS, LAYER_ON, "");
		return 0;
	}
	(void)why_sys(why, errno, "cannot filter system calls");
	if (layer_lost(rows, LAYER_SECCOMP, init->sandbox->waived, why) < 0)
		return -why->errnum;
	return layer_lost(rows, LAYER_SOCKETS, init->sandbox->waived, why);
}

static int build(struct init *init, struct landlock *landlock, struct why *why)
{
	int r = die_with_outside(init, why);
	mode_t mask = umask(0);

	if (!r)
		r = leave_terminal(why);
	if (!r)
		r = map_ids(init, why);
	if (!r)
		r = take_keyring(init, why);
	if (!r && init->namespaces & CLONE_NEWNET)
		r = raise_lo(init, why);
	if (!r)
		r = open_landlock(init, landlock, why);
	if (!r)
		r = build_tree(init, landlock, why);
	if (!r)
		r = check_seccomp(init, why);
	if (!r)
		r = rid_of_name(init->sandbox, why);
	if (!r)
		r = rid_of_privileges(why);
	(void)umask(mask);
	return r;
}

static int say_ready(const struct init *init, struct why *why)
{
	autobuf struct buf line = { 0 };
	int r;

	init->outcome->stage = OUTCOME_READY;
	if (init->sandbox->report_fd < 0)
		return 0;
	outcome_open(&line, init->outcome, init->sandbox);
	r = file_write(init->sandbox->report_fd, buf_span(&line));
	return r < 0 ? why_sys(why, -r, "cannot write the report") : 0;
}

/* The command, while it runs. */
struct running {
	struct loop loop;
	struct outcome *outcome;
	pid_t command;
};

/* Only what comes from outside counts: there the sender has no id here. */
static void forward(const struct signalfd_siginfo *info, pid_t command)
{
	if (info->ssi_code != SI_USER || info->ssi_pid != 0)
		return;
	switch (info->ssi_signo) {
	case SIGALRM: /* time is over, for everything */
		(void)kill(-1, SIGTERM);
		break;
	case SIGTSTP: /* an orphaned session does not stop on SIGTSTP */
		(void)kill(-1, SIGSTOP);
		break;
	case SIGCONT:
		(void)kill(-1, SIGCONT);
		break;
	default:
		(void)kill(-command, (int)info->ssi_signo);
	}
}

/* Buries whatever has ended; the command's end is ours. */
static void reap(struct running *running)
{
	struct outcome *outcome = running->outcome;
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
		if (pid != running->command)
			continue;
		outcome->wait_status = status;
		outcome->usage = usage;
		outcome->ended = true;
		loop_end(&running->loop);
		return;
	}
}

static void on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct running *running = arg;

	if (info->ssi_signo == SIGCHLD)
		reap(running);
	else
		forward(info, running->command);
}

/* Nothing of the building is left open, and nothing of the command's. */
static void close_all_but(int fd)
{
	if (fd > 0)
		(void)syscall(SYS_close_range, 0U, (unsigned int)fd - 1, 0);
	(void)syscall(SYS_close_range, (unsigned int)fd + 1, ~0U, 0);
}

static int run_command(const struct init *init, const struct landlock *landlock,
		       struct why *why)
{
	struct running running = { .loop = LOOP_CLOSED,
				   .outcome = init->outcome };
	sigset_t all;

	(void)sigfillset(&all);
	if (loop_open(&running.loop, &all, on_signal, &running, why) < 0)
		return -why->errnum;
	running.command = command_start(init->sandbox, landlock, init->outcome);
	if (running.command < 0)
		return running.command;
	close_all_but(running.loop.signal_fd);
	return loop_run(&running.loop, why);
}

int init_main(void *arg)
{
	struct init *init = arg;
	struct why *why = &init->outcome->why;
	autolandlock struct landlock landlock = LANDLOCK_CLOSED;

	if (build(init, &landlock, why) < 0 || say_ready(init, why) < 0)
		return 1;
	return run_command(init, &landlock, why) < 0;
}
