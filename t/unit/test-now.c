/* SPDX-License-Identifier: ISC */
/* Reading and writing what can be at once, on descriptions that wait. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/now.h"
#include "tap.h"

static char bytes[65536];

static void test_pipe(int read_fd, int write_fd)
{
	int size = fcntl(write_fd, F_GETPIPE_SZ);
	ssize_t put, all = 0;

	ok(now_read(read_fd, bytes, sizeof(bytes)) == -EAGAIN,
	   "does not wait for what an empty pipe has not");
	while ((put = now_write(write_fd, bytes, sizeof(bytes))) > 0)
		all += put;
	ok(put == -EAGAIN && all == size,
	   "does not wait for room in one that is full");
	ok(now_read(read_fd, bytes, 3) == 3, "reads as much as it was asked");
	ok(!(fcntl(read_fd, F_GETFL) & O_NONBLOCK) &&
		   !(fcntl(write_fd, F_GETFL) & O_NONBLOCK),
	   "and leaves the descriptions as they were");
}

int main(void)
{
	int ends[2];

	(void)signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) < 0)
		return 1;
	test_pipe(ends[0], ends[1]);
	(void)close(ends[0]);
	ok(now_write(ends[1], bytes, 1) == -EPIPE,
	   "says that nobody reads it any more");
	return tap_end();
}
