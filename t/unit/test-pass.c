/* SPDX-License-Identifier: ISC */
/* A byte through a socket, and a descriptor with it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/pass.h"
#include "tap.h"

static int ends[2];
static unsigned char byte;
static int fd;

static void test_bytes(void)
{
	fd = 99;
	ok(pass_receive(ends[1], &byte, &fd) == -EAGAIN && fd == -1,
	   "waits for nothing");
	ok(pass_send(ends[0], 7, -1) == 0 && pass_send(ends[0], 8, -1) == 0 &&
		   pass_receive(ends[1], &byte, &fd) == 1 && byte == 7 &&
		   fd == -1 && pass_receive(ends[1], &byte, &fd) == 1 &&
		   byte == 8,
	   "brings one byte after the other, and no descriptor");
}

static void test_descriptors(void)
{
	int pipe_fds[2];
	char got = 0;

	if (pipe(pipe_fds) < 0)
		return;
	ok(pass_send(ends[0], 0, pipe_fds[1]) == 0 &&
		   pass_receive(ends[1], &byte, &fd) == 1 && fd >= 0 &&
		   fd != pipe_fds[1] && fcntl(fd, F_GETFD) == FD_CLOEXEC,
	   "brings a descriptor, which no program inherits");
	ok(write(fd, "x", 1) == 1 && read(pipe_fds[0], &got, 1) == 1 &&
		   got == 'x',
	   "and it is the one that was sent");
	(void)close(fd);
	ok(pass_send(ends[0], 1, 12345) == -EBADF, "says that one is none");
}

static void test_messages(void)
{
	char text[8] = "";

	ok(pass_send_bytes(ends[0], span_of("one"), -1) == 0 &&
		   pass_send_bytes(ends[0], span_of("another"), ends[0]) == 0 &&
		   pass_receive_bytes(ends[1], text, sizeof(text), &fd) == 3 &&
		   !memcmp(text, "one", 3) && fd == -1,
	   "brings one message at a time");
	ok(pass_receive_bytes(ends[1], text, 4, &fd) == 4 &&
		   !memcmp(text, "anot", 4) && fd >= 0,
	   "cuts one that is too long, and not its descriptor");
	(void)close(fd);
	ok(pass_receive_bytes(ends[1], text, sizeof(text), &fd) == -EAGAIN,
	   "and keeps no rest of it");
}

static void test_end(void)
{
	(void)close(ends[0]);
	ok(pass_receive(ends[1], &byte, &fd) == 0 && fd == -1,
	   "says that the other end is gone");
	ok(pass_send(ends[1], 1, -1) == -EPIPE, "and dies of no signal");
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
		return 1;
	test_bytes();
	test_descriptors();
	test_messages();
	test_end();
	return tap_end();
}
