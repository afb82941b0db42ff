/* SPDX-License-Identifier: ISC */
#include "probe/layers-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fd.h"
#include "base/pass.h"
#include "base/why.h"
#include "confine/layer.h"
#include "probe/enter.h"
#include "probe/trial.h"
#include "spec/limits.h"
#include "spec/sandbox.h"
#include "tree/plan.h"
#include "tree/stay.h"
#include "tree/tree.h"
#include "tty/pty.h"

#define NULL_DEVICE "/dev/null"

static struct layer_row rows[LAYER_COUNT];

/* What is done in a tree that is built and not entered yet, or NULL. */
typedef int inside_fn(const struct tree *tree, struct why *why);

/* Builds a tree with just what @sandbox grants, and goes into it. */
static int build(struct sandbox *sandbox, inside_fn *inside, struct why *why)
{
	autoplan struct plan plan = { 0 };
	autotree struct tree tree = TREE_CLOSED;
	struct stay stay = STAY_CLOSED; /* a trial is over soon */
	int r;

	(void)umask(0);
	limits_init(&sandbox->limits);
	sandbox->report_fd = -1;
	tree.sandbox = sandbox;
	tree.stay = &stay;
	tree.rows = rows;
	r = plan_make(&plan, sandbox, why);
	if (!r)
		r = tree_build(&tree, &plan, why);
	if (!r && inside)
		r = inside(&tree, why);
	if (!r)
		r = tree_enter(&tree, why);
	return r;
}

/* In new namespaces of @flags, as a sandbox begins. */
static int enter(struct trial *trial, int flags, struct sandbox *sandbox,
		 inside_fn *inside)
{
	struct why why = { 0 };
	int r = trial_enter(flags, trial);

	return r ? r : trial_failed(trial, build(sandbox, inside, &why), &why);
}

/* Without a /proc if need be, which is a row of its own. */
int trial_mountns(struct trial *trial)
{
	struct sandbox sandbox = { .waived = LAYER_BIT(LAYER_PROC) };
	int r = enter(trial, CLONE_NEWNS, &sandbox, NULL);
	autoclose int fd = -1;

	if (r)
		return r;
	trial->stage = TRIAL_HOLDS;
	if (!access("/etc", F_OK))
		return -EINVAL;
	fd = open("/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 && errno == EROFS ? 0 : -EINVAL;
}

int trial_proc(struct trial *trial)
{
	struct sandbox sandbox = { 0 };

	return enter(trial, CLONE_NEWPID | CLONE_NEWNS, &sandbox, NULL);
}

/*
 * /dev/null stands for any device: it is one, nothing comes of opening it, and
 * it is granted as others are, over the one that is always there.
 */
int trial_device(struct trial *trial)
{
	struct grant grant = { .kind = GRANT_DEVICE,
			       .source = NULL_DEVICE,
			       .number = makedev(1, 3),
			       .by = "chock-doctor" };
	struct sandbox sandbox = { .waived = LAYER_BIT(LAYER_PROC),
				   .grants = &grant,
				   .grant_count = 1 };
	struct why why = { 0 };
	int r = enter(trial, CLONE_NEWNS, &sandbox, NULL);
	autoclose int fd = -1;

	if (r)
		return r;
	fd = open(NULL_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return trial_failed(
			trial,
			why_sys(&why, errno,
				"cannot open a device that is granted"),
			&why);
	trial->stage = TRIAL_HOLDS;
	return write(fd, "x", 1) == 1 ? 0 : -EINVAL;
}

/* What is written to the near end comes out of the far one. */
static int use_terminal(int near_fd, int control_fd, struct why *why)
{
	autoclose int far_fd = -1;
	unsigned char byte;
	char text = 0;
	int r = pass_receive(control_fd, &byte, &far_fd);

	if (r != 1 || far_fd < 0)
		return why_set(why, EIO, "the terminal was not handed out");
	if (write(near_fd, "x", 1) != 1 || read(far_fd, &text, 1) != 1)
		return why_sys(why, errno, "cannot use the terminal");
	return text == 'x' ? 0 : why_set(why, EIO, "the terminal is no line");
}

static int make_terminal(const struct tree *tree, struct why *why)
{
	struct pty pty = PTY_CLOSED;
	autoclose int ours_fd = -1;
	int pair[2], r;

	/* Who leads the session is told when its far end goes. */
	(void)signal(SIGHUP, SIG_IGN);
	if (setsid() < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return why_sys(why, errno, "cannot start a session");
	ours_fd = pair[0];
	pty.control_fd = pair[1];
	pty.tty = TTY_BACK;
	r = pty_open(&pty, tree->root_fd, "dev/pts/ptmx", why);
	if (!r)
		r = use_terminal(pty.slave_fd, ours_fd, why);
	fd_drop(&pty.control_fd);
	return r;
}

int trial_tty(struct trial *trial)
{
	struct sandbox sandbox = { .waived = LAYER_BIT(LAYER_PROC) };

	return enter(trial, CLONE_NEWNS, &sandbox, make_terminal);
}
