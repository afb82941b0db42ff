/* SPDX-License-Identifier: ISC */
#include "tty/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/pass.h"
#include "base/why.h"

/*
 * Who does what.  The kernel's line discipline of the terminal inside makes
 * SIGINT of ^C, SIGTSTP of ^Z and so on, for the group that is in front of it.
 * For that to stop a lone command, the command must not be alone in its
 * session: a group that nobody in its session could continue is not stopped
 * (setpgid(2), orphaned process groups).  So process 1, which is no more than
 * its parent, leads the session, and the command leads only its group.
 */

/*
 * Who is in front may have it in a state for editing a line, which is nothing
 * for who is behind.
 */
static void copy_settings(int from_fd, int to_fd, enum sandbox_tty tty)
{
	struct termios settings;
	struct winsize size;

	if (!tcgetattr(from_fd, &settings) &&
	    (tty == TTY_FRONT || settings.c_lflag & ICANON))
		(void)tcsetattr(to_fd, TCSANOW, &settings);
	if (!ioctl(from_fd, TIOCGWINSZ, &size))
		(void)ioctl(to_fd, TIOCSWINSZ, &size);
}

/* The caller's descriptors that are a terminal become @slave_fd. */
static int replace(int slave_fd, enum sandbox_tty tty)
{
	bool copied = false;
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (!isatty(fd))
			continue;
		if (!copied)
			copy_settings(fd, slave_fd, tty);
		copied = true;
		if (dup2(slave_fd, fd) < 0)
			return -errno;
	}
	return 0;
}

/*
 * The near end is opened through the far one (ioctl_tty(2), TIOCGPTPEER, Linux
 * 4.13): no name is looked up, and the right devpts is sure to be meant.
 */
int pty_open(struct pty *pty, int dir_fd, const char *multiplexer,
	     struct why *why)
{
	autoclose int master_fd =
		openat(dir_fd, multiplexer, O_RDWR | O_NOCTTY | O_CLOEXEC);
	int unlocked = 0;
	int r;

	if (master_fd < 0 || ioctl(master_fd, TIOCSPTLCK, &unlocked) < 0)
		return why_sys(why, errno, "cannot make a terminal");
	pty->slave_fd =
		ioctl(master_fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (pty->slave_fd < 0)
		return why_sys(why, errno, "cannot open the terminal");
	r = replace(pty->slave_fd, pty->tty);
	if (r < 0)
		return why_sys(why, -r, "cannot replace the terminal");
	if (ioctl(pty->slave_fd, TIOCSCTTY, 0) < 0)
		return why_sys(why, errno, "cannot take the terminal");
	r = pass_send(pty->control_fd, 0, master_fd);
	return r < 0 ? why_sys(why, -r, "cannot hand the terminal out") : 0;
}

/* All signals are blocked, and so the terminal can be taken from behind. */
int pty_join(enum sandbox_tty tty)
{
	int fd = STDIN_FILENO;

	if (setpgid(0, 0) < 0)
		return -errno;
	if (tty != TTY_FRONT)
		return 0;
	while (fd < STDERR_FILENO && !isatty(fd))
		fd++;
	return tcsetpgrp(fd, getpgrp()) < 0 ? -errno : 0;
}

/* Whoever was in front may be gone; then it is the command's turn. */
static void move_front(const struct pty *pty, pid_t command)
{
	if (tcgetpgrp(pty->slave_fd) != getpgrp())
		return;
	if (!pty->front || tcsetpgrp(pty->slave_fd, pty->front) < 0)
		(void)tcsetpgrp(pty->slave_fd, command);
}

static void move_back(struct pty *pty)
{
	pid_t front = tcgetpgrp(pty->slave_fd);

	if (front <= 0 || front == getpgrp())
		return;
	pty->front = front;
	(void)tcsetpgrp(pty->slave_fd, getpgrp());
}

static void go_on(struct pty *pty, pid_t command)
{
	(void)kill(pty->held ? -1 : -command, SIGCONT);
	pty->held = false;
}

static void say_in_front(const struct pty *pty)
{
	(void)pass_send(pty->control_fd, 0, -1);
}

void pty_started(const struct pty *pty)
{
	if (pty->tty == TTY_FRONT)
		say_in_front(pty);
}

bool pty_obey(struct pty *pty, pid_t command)
{
	unsigned char order;
	int fd;
	int r = pass_receive(pty->control_fd, &order, &fd);

	auto_close(&fd);
	if (r <= 0)
		return r == -EAGAIN;
	switch (order) {
	case PTY_FRONT:
		move_front(pty, command);
		go_on(pty, command);
		say_in_front(pty);
		break;
	case PTY_BACK:
		move_back(pty);
		go_on(pty, command);
		break;
	case PTY_STOP:
		pty->held = true;
		(void)kill(-1, SIGSTOP);
		break;
	case PTY_HANGUP:
		pty->held = false;
		(void)kill(-1, SIGHUP);
		(void)kill(-1, SIGCONT);
		break;
	case PTY_KILL:
		(void)kill(-1, SIGKILL);
		break;
	default:
		break;
	}
	return true;
}

void pty_stopped(const struct pty *pty, int signal)
{
	if (!pty->held)
		(void)pass_send(pty->control_fd, (unsigned char)signal, -1);
}
