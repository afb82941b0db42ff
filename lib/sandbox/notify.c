/* SPDX-License-Identifier: ISC */
#include "sandbox/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/num.h"
#include "confine/seccomp.h"
#include "sandbox/clerk.h"
#include "sandbox/desk.h"
#include "sandbox/status.h"
#include "spec/denial.h"

#define PROC_ROOM 64
#define LINK_ROOM 4096

/* Who made the call, as far as /proc says. */
struct maker {
	pid_t pid; /* of the process; 0: not known */
	bool deaf; /* SIGSYS would not end it */
	int pidfd; /* -1: it cannot be had */
};

static ssize_t read_proc(pid_t pid, const char *name, char *text, size_t room)
{
	char path[PROC_ROOM];
	autoclose int fd = -1;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, room - 1);
	text[len < 0 ? 0 : len] = '\0';
	return len;
}

static bool has_sigsys(const char *status, const char *name)
{
	uint64_t signals;

	(void)status_signals(&signals, status, name);
	return signals >> (SIGSYS - 1) & 1;
}

/*
 * Blocked is what this thread blocks, and only it can change that; ignored
 * and handled is the process's, whose other threads may be changing it.
 */
static void look(struct maker *maker, pid_t thread)
{
	char status[STATUS_ROOM];
	uint64_t pid;

	if (read_proc(thread, "status", status, sizeof(status)) <= 0)
		return;
	if (!num_read(&pid, status_field(status, "\nTgid:\t"), INT32_MAX))
		maker->pid = (pid_t)pid;
	maker->deaf = has_sigsys(status, "\nSigBlk:\t") ||
		      has_sigsys(status, "\nSigIgn:\t") ||
		      has_sigsys(status, "\nSigCgt:\t");
}

/* Of the process, not the thread: /proc/PID/exe is the file that it is. */
static void describe(struct denial *denial, pid_t pid)
{
	char bytes[LINK_ROOM];
	char path[PROC_ROOM];
	ssize_t len = read_proc(pid, "comm", bytes, sizeof(bytes));

	if (len > 0)
		denial_plain(denial->program, sizeof(denial->program), bytes,
			     (size_t)len - 1);
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	len = readlink(path, bytes, sizeof(bytes));
	if (len > 0)
		denial_plain(denial->path, sizeof(denial->path), bytes,
			     (size_t)len);
}

static void drop_ending(struct notify *notify, size_t i)
{
	fd_drop(&notify->endings[i].pidfd);
	notify->endings[i] = notify->endings[--notify->ending_count];
}

/* A process that has ended can be read from: see pidfd_open(2). */
static bool has_ended(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

static void drop_ended(struct notify *notify)
{
	size_t i = 0;

	while (i < notify->ending_count)
		if (has_ended(notify->endings[i].pidfd))
			drop_ending(notify, i);
		else
			i++;
}

static int send(int pidfd, int signal)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

static void on_grace(void *arg)
{
	struct notify *notify = arg;
	int64_t time = clock_ms();
	int64_t first = INT64_MAX;
	size_t i = 0;

	while (i < notify->ending_count) {
		if (notify->endings[i].ms <= time) {
			(void)send(notify->endings[i].pidfd, SIGKILL);
			drop_ending(notify, i);
			continue;
		}
		if (notify->endings[i].ms < first)
			first = notify->endings[i].ms;
		i++;
	}
	if (notify->ending_count)
		loop_after(notify->loop, first - time, on_grace, notify);
}

static bool is_ending(const struct notify *notify, pid_t pid)
{
	size_t i;

	for (i = 0; i < notify->ending_count; i++)
		if (notify->endings[i].pid == pid)
			return true;
	return false;
}

/* Who is asked twice, or one of too many, gets no grace. */
static void end(struct notify *notify, const struct maker *maker, int *pidfd)
{
	struct notify_ending *ending;

	drop_ended(notify);
	if (maker->deaf || notify->ending_count == NOTIFY_ENDINGS ||
	    is_ending(notify, maker->pid) || send(*pidfd, SIGSYS) < 0) {
		(void)send(*pidfd, SIGKILL);
		return;
	}
	ending = &notify->endings[notify->ending_count++];
	*ending = (struct notify_ending){ .pid = maker->pid,
					  .pidfd = take_fd(pidfd),
					  .ms = clock_ms() + NOTIFY_GRACE };
	if (notify->ending_count == 1)
		loop_after(notify->loop, NOTIFY_GRACE, on_grace, notify);
}

static bool is_valid(const struct notify *notify, uint64_t id)
{
	return !ioctl(notify->fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id);
}

/*
 * While its notification is valid the thread is there, and its ids are its
 * own; what was found out before that was asked is then true.  One that is
 * gone has ended, or had a signal and will be back.
 */
static void hold(struct notify *notify, const struct seccomp_notif *call)
{
	struct denial denial = { .call = call->data.nr };
	struct maker maker = { 0 };
	pid_t thread = (pid_t)call->pid;
	autoclose int pidfd = -1;

	look(&maker, thread);
	denial.pid = maker.pid ? maker.pid : thread;
	describe(&denial, denial.pid);
	pidfd = (int)syscall(SYS_pidfd_open, denial.pid, 0);
	if (!is_valid(notify, call->id))
		return;
	(void)denials_note(notify->denials, &denial);
	if (pidfd >= 0)
		end(notify, &maker, &pidfd);
	else
		(void)kill(thread, SIGKILL);
}

/* Where there is no clerk any more, the listener is about to be closed. */
static void hand(const struct notify *notify, const struct seccomp_notif *call)
{
	struct seccomp_notif_resp answer = {
		.id = call->id, .error = desk_hand(notify->desk, call)
	};

	if (answer.error == -EAGAIN)
		(void)ioctl(notify->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void take(struct notify *notify, const struct seccomp_notif *call)
{
	if (notify->desk && clerk_serves(call))
		hand(notify, call);
	else
		hold(notify, call);
}

/*
 * One at a time, so that whoever makes many does not keep the loop from
 * anything else.  A call that is gone before it was read is ENOENT.
 */
static void on_ready(void *arg, short events)
{
	struct notify *notify = arg;
	union {
		struct seccomp_notif call;
		char room[SECCOMP_NOTIF_ROOM];
	} told = { .room = { 0 } };

	if (events & POLLIN &&
	    !ioctl(notify->fd, SECCOMP_IOCTL_NOTIF_RECV, &told.call))
		take(notify, &told.call);
	else if (!(events & POLLIN) || (errno != ENOENT && errno != EINTR))
		notify_close(notify);
}

void notify_open(struct notify *notify, int owned_fd, struct loop *loop,
		 struct denials *denials)
{
	*notify = (struct notify){ .fd = owned_fd,
				   .loop = loop,
				   .denials = denials };
	loop_watch(loop, owned_fd, POLLIN, on_ready, notify);
}

void notify_close(struct notify *notify)
{
	if (notify->fd < 0)
		return;
	loop_forget(notify->loop, notify->fd);
	loop_cancel(notify->loop, on_grace, notify);
	while (notify->ending_count)
		drop_ending(notify, 0);
	fd_drop(&notify->fd);
}
