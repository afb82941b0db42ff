/* SPDX-License-Identifier: ISC */
#include "tty/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/loop.h"
#include "base/pass.h"
#include "base/why.h"
#include "tty/pty.h"

/*
 * In front and behind.  A shell gives its terminal to one group of processes
 * at a time, and stops others that want to read it or to change it.  That group
 * is ours, and not the command's, so the same is done once more inside: while
 * we are not in front, nor is the command, and the kernel stops it when it
 * wants the terminal.  Process 1 says so; if we are in front by then, the
 * command is put there too and goes on, else we stop by the same signal, and
 * the shell that started us tells its user.
 *
 * Where standard input or output is no terminal we begin behind in any case:
 * in `chock-spawn ... | less` the keys are for less, until the command itself
 * wants some.
 */

#define MS_PER_S 1000
#define DRAIN 20 /* ms in which what was written before a stop comes out */

/* False where it was not heard: process 1 takes none, or has ended. */
static bool order(const struct relay *relay, enum pty_order order)
{
	return pass_send(relay->control_fd, (unsigned char)order, -1) == 0;
}

/* ---- bytes --------------------------------------------------------------- */

static void on_terminal(void *arg, short events);
static void on_master(void *arg, short events);

/*
 * Of a terminal that nothing is wanted from its end is still waited for.  That
 * of the master would come at once and for ever when it is over, so it is not
 * looked at while there is no room for what is left.
 */
static void wait_for_more(struct relay *relay)
{
	short terminal = POLLHUP;
	short master = 0;

	if (relay->front && !relay->ending && flow_has_room(&relay->keys))
		terminal |= POLLIN;
	if (relay->screen.len)
		terminal |= POLLOUT;
	if (flow_has_room(&relay->screen))
		master |= POLLIN;
	if (relay->keys.len && !relay->ending)
		master |= POLLOUT;
	if (!relay->hung_up)
		loop_watch(relay->loop, relay->modes.fd, terminal, on_terminal,
			   relay);
	if (relay->master_fd >= 0)
		loop_watch(relay->loop, relay->master_fd, master, on_master,
			   relay);
	else if (relay->ending && !relay->screen.len)
		loop_end(relay->loop);
}

static void drop_master(struct relay *relay)
{
	if (relay->master_fd >= 0)
		loop_forget(relay->loop, relay->master_fd);
	fd_drop(&relay->master_fd);
}

/* The end of the caller's terminal. */

static void on_grace(void *arg)
{
	const struct relay *relay = arg;

	(void)order(relay, PTY_KILL);
}

/* To let go of the master is the same for who reads or writes inside. */
static void hang_up(struct relay *relay)
{
	if (relay->hung_up)
		return;
	relay->hung_up = true;
	relay->front = false;
	flow_reset(&relay->screen);
	flow_reset(&relay->keys);
	loop_forget(relay->loop, relay->modes.fd);
	drop_master(relay);
	(void)order(relay, PTY_HANGUP);
	loop_after(relay->loop, (int64_t)SANDBOX_GRACE * MS_PER_S, on_grace,
		   relay);
}

/* A terminal that is there, but not ours now, fails in the same way. */
static bool is_gone(const struct relay *relay)
{
	struct termios settings;

	return tcgetattr(relay->modes.fd, &settings) < 0;
}

static void on_terminal(void *arg, short events)
{
	struct relay *relay = arg;
	int r = 0;

	if (events & POLLIN && relay->front)
		r = flow_fill(&relay->keys, relay->modes.fd);
	if (relay->master_fd >= 0 &&
	    flow_flush(&relay->keys, relay->master_fd) < 0)
		flow_reset(&relay->keys);
	if (r < 0) {
		relay->front = false;
		(void)order(relay, PTY_BACK);
	}
	if (events & POLLOUT && flow_flush(&relay->screen, relay->modes.fd) < 0)
		flow_reset(&relay->screen);
	if (events & (POLLHUP | POLLERR | POLLNVAL) || is_gone(relay))
		hang_up(relay);
	wait_for_more(relay);
}

/* In front and behind. */

static void pass_size(const struct relay *relay)
{
	struct winsize size;

	if (relay->master_fd >= 0 && !ioctl(relay->modes.fd, TIOCGWINSZ, &size))
		(void)ioctl(relay->master_fd, TIOCSWINSZ, &size);
}

/* Those that we began behind were another program's, and not copied. */
static void pass_settings(struct relay *relay)
{
	struct termios settings;

	if (relay->tty == TTY_FRONT)
		return;
	relay->tty = TTY_FRONT;
	if (!tcgetattr(relay->modes.fd, &settings))
		(void)tcsetattr(relay->master_fd, TCSANOW, &settings);
}

/*
 * Keys wait in the caller's terminal until the command is in front as well:
 * there, ^C is for it, and before that it would be for nobody.
 */
static bool can_move_front(struct relay *relay)
{
	if (relay->hung_up || relay->master_fd < 0 ||
	    !modes_in_front(&relay->modes))
		return false;
	pass_settings(relay);
	return modes_change(&relay->modes) == 0;
}

static void come_back(struct relay *relay)
{
	pass_size(relay);
	relay->stopped_by = 0;
	/* Where the command never wanted the terminal it is not given it. */
	if (relay->tty == TTY_FRONT && can_move_front(relay))
		(void)order(relay, PTY_FRONT);
	else
		(void)order(relay, PTY_BACK);
	wait_for_more(relay);
}

/*
 * Stops this process, or with @group all of its group, which is what a shell
 * has started together, and returns when it goes on.  Whoever has nobody to
 * continue it is not stopped by the kernel, and false is returned.
 */
static bool stop_by(int signal, bool group)
{
	static const struct timespec at_once;
	sigset_t mask, old, cont;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, signal);
	(void)sigemptyset(&cont);
	(void)sigaddset(&cont, SIGCONT);
	(void)sigtimedwait(&cont, NULL, &at_once);
	(void)sigprocmask(SIG_UNBLOCK, &mask, &old);
	if (group)
		(void)kill(0, signal);
	else
		(void)raise(signal);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	return sigtimedwait(&cont, NULL, &at_once) == SIGCONT;
}

static bool wants_terminal(int signal)
{
	return signal == SIGTTIN || signal == SIGTTOU;
}

/*
 * While we are stopped nobody sees to the limits of time and disks, so nothing
 * inside may go on meanwhile: whoever stops the command, or is the command,
 * stops all of it.
 *
 * Where nobody continues us we are as a program that reads a terminal behind
 * which nobody is left to give it: for it, the terminal has hung up.
 */
static void stop(struct relay *relay, int signal, bool group)
{
	bool stopped;

	modes_restore(&relay->modes);
	relay->front = false;
	stopped = order(relay, PTY_STOP) && stop_by(signal, group);
	if (!stopped && wants_terminal(signal) &&
	    !modes_in_front(&relay->modes))
		hang_up(relay);
	else
		come_back(relay);
}

static void on_drained(void *arg)
{
	struct relay *relay = arg;
	int signal = relay->stopped_by;

	if (signal)
		stop(relay, wants_terminal(signal) ? signal : SIGTSTP, true);
}

/* What it wrote last, such as the screen as it was before, comes out first. */
static void on_stopped(struct relay *relay, int signal)
{
	if (wants_terminal(signal) && !relay->front && can_move_front(relay)) {
		(void)order(relay, PTY_FRONT);
		return;
	}
	relay->stopped_by = signal;
	loop_after(relay->loop, DRAIN, on_drained, relay);
}

bool relay_signal(struct relay *relay, int signal)
{
	if (signal == SIGWINCH) {
		pass_size(relay);
	} else if (signal == SIGCONT) {
		come_back(relay);
	} else if (signal == SIGTSTP) {
		stop(relay, SIGTSTP, false);
	} else {
		return false;
	}
	return true;
}

/* The sandbox's terminal. */

static void on_settled(void *arg)
{
	struct relay *relay = arg;

	drop_master(relay);
	wait_for_more(relay);
}

/*
 * At the end there is EIO, once the last process has let go of the other side
 * and all that it wrote was read.
 */
static void on_master(void *arg, short events)
{
	struct relay *relay = arg;
	int r = 0;

	if (events & POLLOUT && flow_flush(&relay->keys, relay->master_fd) < 0)
		flow_reset(&relay->keys);
	if (events & (POLLIN | POLLHUP))
		r = flow_fill(&relay->screen, relay->master_fd);
	if (r > 0 && relay->ending)
		loop_after(relay->loop, RELAY_SETTLE, on_settled, relay);
	if (r < 0)
		drop_master(relay);
	if (flow_flush(&relay->screen, relay->modes.fd) < 0)
		flow_reset(&relay->screen);
	wait_for_more(relay);
}

static void begin(struct relay *relay, int owned_fd)
{
	int flags = fcntl(owned_fd, F_GETFL);

	drop_master(relay);
	relay->master_fd = owned_fd;
	(void)fcntl(owned_fd, F_SETFL, flags | O_NONBLOCK);
	if (relay->tty == TTY_FRONT && !can_move_front(relay))
		(void)order(relay, PTY_BACK);
	wait_for_more(relay);
}

static void on_control(void *arg, short events)
{
	struct relay *relay = arg;
	unsigned char said = 0;
	int fd = -1;
	int r = pass_receive(relay->control_fd, &said, &fd);

	(void)events;
	if (fd >= 0) {
		begin(relay, fd);
	} else if (r > 0 && said) {
		on_stopped(relay, said);
	} else if (r > 0) {
		relay->front = relay->modes.changed;
		wait_for_more(relay);
	} else if (r != -EAGAIN) {
		loop_forget(relay->loop, relay->control_fd);
	}
}

void relay_finish(struct relay *relay)
{
	/* It may have ended before we came to hear of its terminal. */
	if (relay->master_fd < 0 && !relay->hung_up)
		on_control(relay, POLLIN);
	relay->ending = true;
	loop_forget(relay->loop, relay->control_fd);
	loop_cancel(relay->loop, on_grace, relay);
	loop_cancel(relay->loop, on_drained, relay);
	if (relay->master_fd >= 0)
		loop_after(relay->loop, RELAY_SETTLE, on_settled, relay);
	wait_for_more(relay);
}

int relay_open(struct relay *relay, struct loop *loop, int owned_fd,
	       enum sandbox_tty tty, struct why *why)
{
	int ends[2];

	*relay = RELAY_CLOSED;
	relay->loop = loop;
	relay->modes.fd = owned_fd;
	relay->tty = tty;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return why_sys(why, errno, "cannot make a socket");
	relay->control_fd = ends[0];
	loop_watch(loop, relay->control_fd, POLLIN, on_control, relay);
	wait_for_more(relay);
	return ends[1];
}

void relay_close(struct relay *relay)
{
	modes_close(&relay->modes);
	fd_drop(&relay->control_fd);
	fd_drop(&relay->master_fd);
	*relay = RELAY_CLOSED;
}

void relay_free(struct relay *const *slot)
{
	if (*slot)
		relay_close(*slot);
	free(*slot);
}
