/* SPDX-License-Identifier: ISC */
/*
 * act - what is done with sockets
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"

#define INTERFACES_MAX 64

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_un un;
	} u;
	socklen_t len;
	int type;
};

static struct address address(const char *kind, const char *where)
{
	struct address a = { .type = SOCK_STREAM };
	size_t len = strlen(where);
	bool abstract = !strncmp(kind, "abstract", strlen("abstract"));

	if (!strcmp(kind, "tcp") || !strcmp(kind, "udp")) {
		a.type = *kind == 't' ? SOCK_STREAM : SOCK_DGRAM;
		a.u.in.sin_family = AF_INET;
		a.u.in.sin_port = htons((uint16_t)act_number(where));
		a.u.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		a.len = sizeof(a.u.in);
		return a;
	}
	if (len + 1 >= sizeof(a.u.un.sun_path))
		die(EXIT_MISUSE, "'%s' is too long", where);
	if (strstr(kind, "-dgram"))
		a.type = SOCK_DGRAM;
	a.u.un.sun_family = AF_UNIX;
	memcpy(a.u.un.sun_path + abstract, where, len);
	a.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	return a;
}

static bool with_socket(char **words,
			int (*act)(int, const struct sockaddr *, socklen_t))
{
	struct address a;
	int fd;

	if (!words[0] || !words[1])
		die(EXIT_MISUSE, "which socket?");
	a = address(words[0], words[1]);
	fd = socket(a.u.any.sa_family, a.type | SOCK_CLOEXEC, 0);
	return fd >= 0 && act(fd, &a.u.any, a.len) == 0;
}

bool act_connect(char **words)
{
	return with_socket(words, connect);
}

bool act_bind(char **words)
{
	return with_socket(words, bind);
}

static int serve(int fd, const struct sockaddr *any, socklen_t len)
{
	char byte;

	if (bind(fd, any, len) < 0 ||
	    (listen(fd, 8) < 0 && errno != EOPNOTSUPP))
		return -1;
	printf("ready\n");
	if (fflush(stdout) != 0)
		return -1;
	return read(STDIN_FILENO, &byte, 1) < 0 ? -1 : 0;
}

bool act_serve(char **words)
{
	return with_socket(words, serve);
}

/* Datagrams need no connection, and so no connect() to be refused. */
static int send_to(int fd, const struct sockaddr *any, socklen_t len)
{
	return sendto(fd, "x", 1, 0, any, len) == 1 ? 0 : -1;
}

static int send_message(int fd, const struct sockaddr *any, socklen_t len)
{
	struct sockaddr_storage where;
	struct iovec what = { .iov_base = (char[]){ "x" }, .iov_len = 1 };
	struct msghdr message = { .msg_name = &where,
				  .msg_namelen = len,
				  .msg_iov = &what,
				  .msg_iovlen = 1 };

	memcpy(&where, any, len);
	return sendmsg(fd, &message, 0) == 1 ? 0 : -1;
}

bool act_send(char **words)
{
	if (!strcmp(words[0], "sendto"))
		return with_socket(words + 1, send_to);
	if (!strcmp(words[0], "sendmsg"))
		return with_socket(words + 1, send_message);
	die(EXIT_MISUSE, "send how: sendto or sendmsg?");
}

static const char *answer(int family, int type, int protocol)
{
	const char *name;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(socket(family, type, protocol) < 0 ? errno : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		unmeasured("cannot have a process for each socket");
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? "killed" : "signal";
	name = strerrorname_np(WEXITSTATUS(status));
	return WEXITSTATUS(status) ? name : "ok";
}

bool act_sockets(char **words)
{
	autoclose int fd = open(words[0], O_RDONLY | O_CLOEXEC);
	FILE *rows = fd < 0 ? NULL : fdopen(take_fd(&fd), "r");
	int family, type, protocol;

	if (!rows)
		unmeasured("cannot read which sockets");
	while (fscanf(rows, "%d %d %d", &family, &type, &protocol) == 3) {
		printf("%d %d %d %s\n", family, type, protocol,
		       answer(family, type, protocol));
		if (fflush(stdout) != 0)
			unmeasured("cannot say how they went");
	}
	(void)fclose(rows);
	return true;
}

/* The kernel says whether it did so in a message of its own. */
bool act_link_down(char **words)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg link;
	} ask = { .head = { .nlmsg_len = sizeof(ask),
			    .nlmsg_type = RTM_NEWLINK,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		  .link = { .ifi_change = IFF_UP } };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[256];
	} answer;
	autoclose int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	ask.link.ifi_index = (int)if_nametoindex(words[0]);
	if (fd < 0 || !ask.link.ifi_index)
		unmeasured("no netlink, or no such interface");
	if (send(fd, &ask, sizeof(ask), 0) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < 0)
		return false;
	if (answer.head.nlmsg_type != NLMSG_ERROR)
		unmeasured("netlink does not answer");
	errno = -answer.error.error;
	return !errno;
}

/* Is there one that is no loopback?  By netlink, and by ioctl(2). */
static bool by_netlink(void)
{
	struct ifaddrs *all, *one;
	bool found = false;

	if (getifaddrs(&all) < 0)
		unmeasured("cannot ask netlink");
	for (one = all; one; one = one->ifa_next)
		found = found || !(one->ifa_flags & IFF_LOOPBACK);
	freeifaddrs(all);
	return found;
}

static bool by_ioctl(void)
{
	static struct ifreq rows[INTERFACES_MAX];
	struct ifconf all = { .ifc_len = sizeof(rows), .ifc_req = rows };
	autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t i;

	if (fd < 0 || ioctl(fd, SIOCGIFCONF, &all) < 0)
		unmeasured("cannot ask for interfaces");
	for (i = 0; i < (size_t)all.ifc_len / sizeof(*rows); i++)
		if (!ioctl(fd, SIOCGIFFLAGS, &rows[i]) &&
		    !(rows[i].ifr_flags & IFF_LOOPBACK))
			return true;
	return false;
}

bool act_interface(char **words)
{
	bool found = strcmp(words[0], "ioctl") ? by_netlink() : by_ioctl();

	errno = ENODEV;
	return found;
}
