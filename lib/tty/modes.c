/* SPDX-License-Identifier: ISC */
#include "tty/modes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/child.h"
#include "base/fd.h"
#include "base/why.h"
#include "spec/standard.h"

#define GUARDIAN "chock-terminal"

/* What the guardian has to know, as it comes through the pipe. */
struct settings {
	struct termios before, ours;
};

/* What /dev/tty stands for has this in common with the terminal itself. */
static bool same_terminal(int a, int b)
{
	unsigned int first, second;

	return !ioctl(a, TIOCGDEV, &first) && !ioctl(b, TIOCGDEV, &second) &&
	       first == second;
}

/*
 * A terminal that was another user's, before su(1), cannot be opened by its
 * name, but if it controls us, it can by that of all of them.
 */
static int open_again(int fd)
{
	const int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
	char path[32];
	int errnum, opened;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, flags);
	if (opened >= 0)
		return opened;
	errnum = errno;
	opened = open("/dev/tty", flags);
	if (opened >= 0 && same_terminal(opened, fd))
		return opened;
	auto_close(&opened);
	return -errnum;
}

static int check(int fd, int first, struct why *why)
{
	unsigned int number;

	if (!ioctl(fd, TIOCGPTN, &number))
		return why_set(why, EINVAL,
			       "standard %s is the far end of a terminal",
			       standard_name(fd));
	if (fd != first && !same_terminal(fd, first))
		return why_set(why, EINVAL,
			       "standard %s is another terminal than standard "
			       "%s, and only one can be relayed; put a pipe in "
			       "between",
			       standard_name(fd), standard_name(first));
	return 0;
}

int modes_find(struct why *why)
{
	int first = -1;
	int fd, r;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (!isatty(fd))
			continue;
		if (first < 0)
			first = fd;
		r = check(fd, first, why);
		if (r < 0)
			return r;
	}
	if (first < 0)
		return why_set(why, ENOTTY,
			       "none of standard input, output and error is a "
			       "terminal");
	fd = open_again(first);
	return fd < 0 ? why_sys(why, -fd,
				"cannot open the terminal of standard %s",
				standard_name(first))
		      : fd;
}

bool modes_in_front(const struct modes *modes)
{
	pid_t group = tcgetpgrp(modes->fd);

	return group < 0 || group == getpgrp();
}

/* What a driver makes of the rest, such as of a speed, is its own affair. */
static bool are_in_force(int fd, const struct termios *settings)
{
	struct termios now;

	return !tcgetattr(fd, &now) && now.c_iflag == settings->c_iflag &&
	       now.c_oflag == settings->c_oflag &&
	       now.c_lflag == settings->c_lflag;
}

/*
 * In a group of its own, so that what is sent to that of chock-spawn does not
 * end it too, and deaf: a background process may change a terminal only while
 * it has SIGTTOU blocked (tcsetattr(3)).
 */
static void guard(int fd, int socket_fd)
{
	struct settings settings;
	bool told = false;
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	(void)prctl(PR_SET_NAME, GUARDIAN);
	/* Here too: who started us may be ended before it gets to it. */
	(void)setpgid(0, 0);
	/* Nobody who waits for the end of a pipe has to wait for ours. */
	if (dup2(fd, STDIN_FILENO) < 0 || dup2(socket_fd, STDOUT_FILENO) < 0 ||
	    syscall(SYS_close_range, STDERR_FILENO, ~0U, 0) < 0)
		_exit(1);
	while (read(STDOUT_FILENO, &settings, sizeof(settings)) ==
	       sizeof(settings))
		told = true;
	if (told && are_in_force(STDIN_FILENO, &settings.ours))
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &settings.before);
	_exit(0);
}

static int start_guardian(struct modes *modes)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid = fork();
	if (!pid) {
		(void)close(ends[1]);
		guard(modes->fd, ends[0]);
	}
	auto_close(&ends[0]);
	if (pid < 0) {
		auto_close(&ends[1]);
		return -errno;
	}
	(void)setpgid(pid, pid);
	modes->guardian = pid;
	modes->guardian_fd = ends[1];
	return 0;
}

/*
 * Before they are in force, so that there is no moment without it.  Somebody
 * may have killed it; that must not keep a terminal from anybody.
 */
static int tell_guardian(struct modes *modes)
{
	struct settings settings;
	int r = modes->guardian_fd < 0 ? start_guardian(modes) : 0;

	if (r < 0)
		return r;
	memset(&settings, 0, sizeof(settings));
	settings.before = modes->before;
	settings.ours = modes->ours;
	(void)send(modes->guardian_fd, &settings, sizeof(settings),
		   MSG_NOSIGNAL | MSG_DONTWAIT);
	return 0;
}

/* Every byte as it is, both ways: what a line is, is decided inside. */
static void make_ours(struct modes *modes)
{
	modes->ours = modes->before;
	cfmakeraw(&modes->ours);
	modes->ours.c_iflag &= ~(tcflag_t)(IXOFF | IXANY | INPCK);
	modes->ours.c_cc[VMIN] = 1;
	modes->ours.c_cc[VTIME] = 0;
}

int modes_change(struct modes *modes)
{
	int r;

	if (modes->changed && are_in_force(modes->fd, &modes->ours))
		return 0;
	if (tcgetattr(modes->fd, &modes->before) < 0)
		return -errno;
	make_ours(modes);
	r = tell_guardian(modes);
	if (r < 0)
		return r;
	if (tcsetattr(modes->fd, TCSANOW, &modes->ours) < 0)
		return -errno;
	modes->changed = true;
	return 0;
}

/* In the background too: what is there is ours to take away. */
void modes_restore(struct modes *modes)
{
	sigset_t ttou, old;

	if (!modes->changed)
		return;
	(void)sigemptyset(&ttou);
	(void)sigaddset(&ttou, SIGTTOU);
	(void)sigprocmask(SIG_BLOCK, &ttou, &old);
	if (modes_in_front(modes) || are_in_force(modes->fd, &modes->ours))
		(void)tcsetattr(modes->fd, TCSANOW, &modes->before);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	modes->changed = false;
}

void modes_close(struct modes *modes)
{
	modes_restore(modes);
	if (modes->guardian_fd >= 0) {
		(void)kill(modes->guardian, SIGKILL);
		child_bury(modes->guardian);
	}
	fd_drop(&modes->guardian_fd);
	fd_drop(&modes->fd);
	*modes = MODES_CLOSED;
}
