/* SPDX-License-Identifier: ISC */
/*
 * old-landlock - run a command as on a kernel with an older Landlock
 *
 *	old-landlock ABI CMD...
 *
 * Who asks for the version of Landlock is answered ABI, and a ruleset that
 * handles what only a later one knows is refused, as such a kernel does it
 * (EINVAL, E2BIG); every other ruleset is the kernel's own.  A right that is
 * not handled is not held: so this is that kernel, as far as files go.
 */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"
#include "base/span.h"

#define ASK_VERSION 1U /* LANDLOCK_CREATE_RULESET_VERSION */
#define FIELDS 3       /* of struct landlock_ruleset_attr, up to ABI 6 */

/* The bits of each field that an ABI up to 6 knows. */
static const uint64_t known[][FIELDS] = {
	{ 0 },         { 0x1fff },    { 0x3fff },       { 0x7fff },
	{ 0x7fff, 3 }, { 0xffff, 3 }, { 0xffff, 3, 3 },
};

#define ABI_MAX (sizeof(known) / sizeof(*known) - 1)

static int load_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset,
			 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };
	int fd;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die_errno(EXIT_SYSTEM, "cannot set no_new_privs");
	fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (fd < 0)
		die_errno(EXIT_SYSTEM, "cannot load a filter");
	return fd;
}

/* One descriptor over a socket; @fd is -1 for who takes it. */
static int hand_over(int socket_fd, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	char byte = 0;
	struct iovec vec = { &byte, 1 };
	struct msghdr message = { .msg_iov = &vec,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	if (fd < 0) {
		if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC) == 1 &&
		    CMSG_FIRSTHDR(&message))
			memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)),
			       sizeof(fd));
		return fd;
	}
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(socket_fd, &message, 0) == 1 ? 0 : -1;
}

/* What a kernel of @abi says to a ruleset: 0: that it goes on with it. */
static int judge(unsigned int abi, pid_t pid, const __u64 *args)
{
	uint64_t fields[FIELDS] = { 0 };
	struct iovec ours = { fields, sizeof(fields) };
	struct iovec theirs = { (void *)(uintptr_t)args[0], sizeof(fields) };
	size_t i;

	if (args[1] < theirs.iov_len)
		theirs.iov_len = (size_t)args[1];
	if (process_vm_readv(pid, &ours, 1, &theirs, 1, 0) < 0)
		return EFAULT;
	for (i = 0; i < FIELDS; i++)
		if (fields[i] & ~known[abi][i])
			return known[abi][i] ? EINVAL : E2BIG;
	return 0;
}

static void answer(int fd, unsigned int abi)
{
	struct seccomp_notif asked = { 0 };
	struct seccomp_notif_resp said = { 0 };

	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return;
	said.id = asked.id;
	if (asked.data.args[2] == ASK_VERSION)
		said.val = abi;
	else
		said.error = -judge(abi, (pid_t)asked.pid, asked.data.args);
	if (asked.data.args[2] != ASK_VERSION && !said.error)
		said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &said);
}

/* How @pid ended, as an exit status. */
static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/*
 * Until @pid and everybody else who is under the filter has ended; how @pid
 * did.  Before Linux 6.11 who has ended is under it until it is waited for.
 */
static int serve(int fd, unsigned int abi, pid_t pid)
{
	struct pollfd all[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = (int)syscall(SYS_pidfd_open, pid, 0),
		  .events = POLLIN },
	};
	int status = EXIT_SYSTEM;

	if (all[1].fd < 0)
		die_errno(EXIT_SYSTEM, "cannot watch a process");
	while (all[0].fd >= 0 || all[1].fd >= 0) {
		if (poll(all, 2, -1) < 0)
			continue;
		if (all[0].revents & POLLIN)
			answer(fd, abi);
		else if (all[0].revents)
			all[0].fd = -1;
		if (all[1].revents) {
			status = reap(pid);
			all[1].fd = -1;
		}
	}
	return status;
}

static pid_t start(char **argv, int socket_fd)
{
	pid_t pid = fork();

	if (pid < 0)
		die_errno(EXIT_SYSTEM, "cannot start a process");
	if (pid)
		return pid;
	if (hand_over(socket_fd, load_filter()) < 0)
		die_errno(EXIT_SYSTEM, "cannot hand the listener over");
	execvp(argv[0], argv);
	die_errno(EXIT_NOT_FOUND, "cannot run '%s'", argv[0]);
}

int main(int argc, char **argv)
{
	int pair[2], fd;
	uint64_t abi;
	pid_t pid;

	report_name("old-landlock");
	if (argc < 3 || num_read(&abi, span_of(argv[1]), ABI_MAX) < 0 || !abi)
		die(EXIT_MISUSE, "usage: old-landlock ABI CMD...");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		die_errno(EXIT_SYSTEM, "cannot make a socket");
	pid = start(argv + 2, pair[1]);
	(void)close(pair[1]);
	fd = hand_over(pair[0], -1);
	return fd < 0 ? reap(pid) : serve(fd, (unsigned int)abi, pid);
}
