/* SPDX-License-Identifier: ISC */
#include "sandbox/init.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
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
#include "base/loop.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "limit/accounting.h"
#include "limit/full.h"
#include "sandbox/command.h"
#include "sandbox/desk.h"
#include "sandbox/notify.h"
#include "sandbox/pipes.h"
#include "sandbox/rid.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

/*
 * The order:
 *
 *  1. die with the outside, whenever that dies; take pipes of the sandbox's
 *  2. build what the driver is about
 *  3. take a keyring
 *  4. wipe what the host told us, become unreadable, give up every capability
 *  5. say that the sandbox is ready, start the command, reap until it ends
 */

#define KEYCTL_JOIN 1 /* KEYCTL_JOIN_SESSION_KEYRING, see keyctl(2) */

/*
 * The signal may have been missed if the outside died before we asked for it;
 * then nobody holds the other end of the socket.
 */
static int die_with_outside(struct init *init, struct why *why)
{
	struct pollfd end = { .fd = init->alive[0] };

	fd_drop(&init->alive[1]);
	if (prctl(PR_SET_PDEATHSIG, init->kind->end_signal) < 0)
		return why_sys(why, errno,
			       "cannot ask to be ended with what started it");
	if (poll(&end, 1, 0) != 0)
		return why_set(why, ECANCELED,
			       "the process that started it is gone");
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

static int check_seccomp(const struct init *init, struct why *why)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;
	struct layer_row *rows = init->outcome->layers;

	if (!syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action)) {
		layer_set(rows, LAYER_SECCOMP, LAYER_ON, "");
		layer_set(rows, LAYER_SOCKETS, LAYER_ON,
			  init->pipes ? "standard pipes are relayed" : "");
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

	if (!r && init->pipes)
		r = pipes_enter(init->pipes, why);
	if (!r)
		r = leave_terminal(why);
	if (!r)
		r = init->kind->build(init, landlock, why);
	if (!r)
		r = take_keyring(init, why);
	if (!r)
		r = check_seccomp(init, why);
	if (!r)
		r = rid_of_name(init->sandbox, why);
	if (!r)
		r = rid_of_privileges(why);
	(void)umask(mask);
	return r;
}

static int say_ready(const struct init *init, struct accounting *accounting,
		     struct why *why)
{
	autobuf struct buf line = { 0 };
	int r;

	accounting_open(accounting, init->sandbox, init->outcome);
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
	struct init *init;
	struct notify notify;
	struct desk desk;
	struct accounting *accounting; /* borrowed */
	struct outcome *outcome;
	pid_t command;
};

/* Only what comes from outside counts. */
static bool is_from_outside(const struct running *running,
			    const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_USER &&
	       (pid_t)info->ssi_pid == running->init->outside;
}

static void forward(int signal, pid_t command)
{
	switch (signal) {
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
		(void)kill(-command, signal);
	}
}

/* Buries whatever has ended; the command's end is ours. */
static void reap(struct running *running)
{
	struct outcome *outcome = running->outcome;
	const struct pty *pty = &running->init->pty;
	int options = pty->control_fd < 0 ? WNOHANG : WNOHANG | WUNTRACED;
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, options, &usage)) > 0) {
		/* What it was to do nobody does: it fails, with the rest. */
		if (pid == running->desk.clerk && !WIFSTOPPED(status))
			notify_close(&running->notify);
		if (pid != running->command)
			continue;
		if (WIFSTOPPED(status)) {
			pty_stopped(pty, WSTOPSIG(status));
			continue;
		}
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
	else if (!is_from_outside(running, info))
		return;
	else if ((int)info->ssi_signo == running->init->kind->end_signal)
		loop_end(&running->loop);
	else
		forward((int)info->ssi_signo, running->command);
}

/*
 * What is inside can have a signal pending here before Landlock's ABI 6, with
 * which another of the same number would be one (signal(7), "Queueing").  So
 * what outside hands on comes as bytes.
 */
static void on_word(void *arg, short events)
{
	struct running *running = arg;
	unsigned char signal;
	ssize_t len = recv(running->init->alive[0], &signal, sizeof(signal),
			   MSG_DONTWAIT);

	(void)events;
	if (len > 0)
		forward(signal, running->command);
	else if (!len || errno != EAGAIN)
		loop_end(&running->loop);
}

static void on_order(void *arg, short events)
{
	struct running *running = arg;
	struct pty *pty = &running->init->pty;

	(void)events;
	if (!pty_obey(pty, running->command))
		loop_forget(&running->loop, pty->control_fd);
}

/* Once nothing is left of it but zombies, there is nothing that could look. */
static void on_change(void *arg, short events)
{
	const struct init *init = arg;

	(void)events;
	if (!init->outcome->gone.errnum &&
	    stay_check(&init->stay, &init->outcome->gone) < 0)
		(void)kill(-1, SIGKILL);
}

static void hold(struct running *running)
{
	struct init *init = running->init;

	if (!init->stay.count)
		return;
	loop_watch(&running->loop, init->stay.table_fd, POLLPRI, on_change,
		   init);
	loop_watch(&running->loop, init->stay.moves_fd, POLLIN, on_change,
		   init);
	if (init->stay.doubtful)
		on_change(init, 0);
}

/* Nothing of the building is left open, and nothing of the command's. */
static void close_rest(const struct running *running, int listener_fd)
{
	const struct pty *pty = &running->init->pty;
	const int kept[] = { running->loop.signal_fd,
			     listener_fd,
			     running->desk.socket_fd,
			     running->init->alive[0],
			     running->accounting->usage.proc_fd,
			     running->accounting->usage.tmp_fd,
			     running->init->stay.table_fd,
			     running->init->stay.moves_fd,
			     pty->control_fd,
			     pty->slave_fd };

	rid_of_descriptors(kept, sizeof(kept) / sizeof(*kept));
}

static int listen_to(struct running *running, int listener_fd, struct why *why)
{
	struct init *init = running->init;

	if (listener_fd < 0)
		return 0;
	notify_open(&running->notify, listener_fd, &running->loop,
		    &init->outcome->denials);
	if (!init->roots)
		return 0;
	running->notify.desk = &running->desk;
	return desk_open(&running->desk, init->roots, listener_fd, why);
}

static int run_command(struct init *init, const struct landlock *landlock,
		       struct accounting *accounting, struct why *why)
{
	struct running running = { .loop = LOOP_CLOSED,
				   .init = init,
				   .notify = NOTIFY_CLOSED,
				   .desk = DESK_CLOSED,
				   .accounting = accounting,
				   .outcome = init->outcome };
	int listener_fd = -1;
	sigset_t all;
	int r;

	(void)sigfillset(&all);
	if (loop_open(&running.loop, &all, on_signal, &running, why) < 0)
		return -why->errnum;
	running.command = command_start(init->sandbox, landlock, init->outcome,
					&listener_fd);
	if (running.command < 0) {
		loop_close(&running.loop);
		return running.command;
	}
	if (listen_to(&running, listener_fd, why) < 0)
		return -why->errnum;
	loop_watch(&running.loop, init->alive[0], POLLIN, on_word, &running);
	if (init->pty.control_fd >= 0)
		loop_watch(&running.loop, init->pty.control_fd, POLLIN,
			   on_order, &running);
	pty_started(&init->pty);
	close_rest(&running, listener_fd);
	hold(&running);
	accounting_start(accounting, &running.loop);
	r = loop_run(&running.loop, why);
	accounting_end(accounting);
	if (init->kind->in_memory)
		full_note_scratch(init->outcome);
	return r;
}

int init_main(void *arg)
{
	struct init *init = arg;
	struct why *why = &init->outcome->why;
	autolandlock struct landlock landlock = LANDLOCK_CLOSED;
	autoaccounting struct accounting accounting = ACCOUNTING_CLOSED;
	int r = build(init, &landlock, why);

	if (!r)
		r = say_ready(init, &accounting, why);
	if (!r)
		r = run_command(init, &landlock, &accounting, why);
	init->kind->end(init);
	return r < 0;
}
