/* SPDX-License-Identifier: ISC */
#include "sandbox/netns.h"

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fd.h"
#include "base/why.h"

#define STACK_ROOM ((size_t)64 << 10)

/*
 * Runs beside its parent and in its memory, errno with it, so that it does
 * nothing but call the kernel, and never writes errno where it succeeds: a call
 * of the parent's that fails at that time would be taken for another failure,
 * or for none.  So the socket is not autoclose, which puts an old errno back.
 * If both fail at once, one may take the other's errno for its own; then
 * nothing starts, for this one has failed.  The namespace is asked for by a
 * socket in it (SIOCGSKNS, Linux 4.10), for by now "/" can be another root.
 */
static int make(void *arg)
{
	struct netns *netns = arg;
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	netns->doing = "make the namespace";
	if (unshare(CLONE_NEWNET) < 0)
		return netns->errnum = errno;
	netns->doing = "open the namespace";
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return netns->errnum = errno;
	netns->fd = ioctl(fd, SIOCGSKNS);
	if (netns->fd < 0) {
		netns->errnum = errno;
		(void)close(fd);
		return netns->errnum;
	}
	netns->doing = "bring lo up";
	netns->errnum = ioctl(fd, SIOCSIFFLAGS, &lo) < 0 ? errno : 0;
	(void)close(fd);
	return netns->errnum;
}

/* With CLONE_FILES the descriptor that it opens is ours as well. */
int netns_begin(struct netns *netns, struct why *why)
{
	static char stack[STACK_ROOM] __attribute__((aligned(16)));
	pid_t pid;

	*netns = (struct netns){ .fd = -1, .errnum = ECHILD };
	pid = clone(make, stack + sizeof(stack),
		    CLONE_VM | CLONE_FILES | SIGCHLD, netns);
	if (pid < 0)
		return why_sys(why, errno, "cannot start a process");
	netns->child = pid;
	return 0;
}

static void wait_for_child(struct netns *netns)
{
	if (netns->child)
		child_bury(netns->child);
	netns->child = 0;
}

/* Killed, as by a filter of who called us, the child has said nothing. */
int netns_enter(struct netns *netns, struct why *why)
{
	wait_for_child(netns);
	if (netns->errnum == ECHILD)
		return why_set(why, ECHILD,
			       "the process that was to %s was killed",
			       netns->doing);
	if (netns->errnum)
		return why_sys(why, netns->errnum, "cannot %s", netns->doing);
	return setns(netns->fd, CLONE_NEWNET) < 0
		       ? why_sys(why, errno, "cannot enter the namespace")
		       : 0;
}

void netns_close(struct netns *netns)
{
	wait_for_child(netns);
	fd_drop(&netns->fd);
}
