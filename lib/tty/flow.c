/* SPDX-License-Identifier: ISC */
#include "tty/flow.h"

#include <errno.h>
#include <unistd.h>

int flow_fill(struct flow *flow, int fd)
{
	size_t end = flow->from + flow->len;
	ssize_t got;

	if (end == FLOW_ROOM)
		return 0;
	got = read(fd, flow->bytes + end, FLOW_ROOM - end);
	if (got > 0)
		flow->len += (size_t)got;
	if (got >= 0)
		return got > 0;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int flow_flush(struct flow *flow, int fd)
{
	ssize_t put;

	if (!flow->len)
		return 0;
	put = write(fd, flow->bytes + flow->from, flow->len);
	if (put < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	flow->from += (size_t)put;
	flow->len -= (size_t)put;
	if (!flow->len)
		flow->from = 0;
	return 0;
}

void flow_reset(struct flow *flow)
{
	flow->from = 0;
	flow->len = 0;
}
