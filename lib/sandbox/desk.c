/* SPDX-License-Identifier: ISC */
#include "sandbox/desk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/fd.h"
#include "base/pass.h"
#include "base/why.h"
#include "sandbox/clerk.h"
#include "sandbox/rid.h"
#include "sandbox/roots.h"

/*
 * Where ptrace(2) is only for ancestors (ptrace_scope 1), the clerk, which is
 * none of the caller's, may not open its memory.  The keeper is one, and what
 * it has opened anybody can read.
 */

static void serve(const struct roots *roots, int listener_fd, int memory_fd,
		  const struct seccomp_notif *call)
{
	struct seccomp_notif_resp answer = {
		.id = call->id,
		.error = clerk_act(roots, listener_fd, memory_fd, call)
	};

	/* Who is gone, or had a signal, wants no answer. */
	(void)ioctl(listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void close_rest(const struct roots *roots, int listener_fd,
		       int socket_fd)
{
	autofree int *kept = alloc_zero(roots->count + 2, sizeof(*kept));
	size_t i;

	for (i = 0; i < roots->count; i++)
		kept[i] = roots->rows[i].fd;
	kept[i++] = listener_fd;
	kept[i++] = socket_fd;
	rid_of_descriptors(kept, i);
}

/* All signals are blocked, as in the keeper, but SIGKILL and SIGSTOP. */
static void work(const struct roots *roots, int listener_fd, int socket_fd)
{
	struct pollfd ready = { .fd = socket_fd, .events = POLLIN };
	struct seccomp_notif call = { 0 };
	int memory_fd;
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, "chock-clerk");
	close_rest(roots, listener_fd, socket_fd);
	do {
		(void)poll(&ready, 1, -1);
		r = pass_receive_bytes(socket_fd, &call, sizeof(call),
				       &memory_fd);
		if (r == sizeof(call))
			serve(roots, listener_fd, memory_fd, &call);
		auto_close(&memory_fd);
	} while (r > 0 || r == -EAGAIN);
	_exit(0);
}

int desk_open(struct desk *desk, struct roots *roots, int listener_fd,
	      struct why *why)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return why_sys(why, errno, "cannot make a socket");
	desk->socket_fd = ends[0];
	desk->clerk = fork();
	if (!desk->clerk) {
		(void)close(ends[0]);
		work(roots, listener_fd, ends[1]);
	}
	(void)close(ends[1]);
	if (desk->clerk < 0) {
		desk->clerk = 0;
		fd_drop(&desk->socket_fd);
		return why_sys(why, errno, "cannot start the clerk");
	}
	roots_drop(roots);
	return 0;
}

int desk_hand(const struct desk *desk, const struct seccomp_notif *call)
{
	char path[32];
	autoclose int memory_fd = -1;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%u/mem", call->pid);
	memory_fd = open(path, O_RDONLY | O_CLOEXEC);
	r = pass_send_bytes(desk->socket_fd,
			    (struct span){ (const char *)call, sizeof(*call) },
			    memory_fd);
	return r == 0 || r == -EPIPE ? r : -EAGAIN;
}
