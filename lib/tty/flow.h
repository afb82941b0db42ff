/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TTY_FLOW_H
#define CHOCK_TTY_FLOW_H

/*
 * flow - bytes on their way from one descriptor to another
 *
 * Neither descriptor ever waits (O_NONBLOCK).  What one gave and the other did
 * not take yet is kept, up to FLOW_ROOM; nothing is dropped.
 */

#include <stdbool.h>
#include <stddef.h>

#define FLOW_ROOM 16384

struct flow {
	size_t from, len;
	char bytes[FLOW_ROOM];
};

/* flow_has_room - whether flow_fill() can take anything */
static inline bool flow_has_room(const struct flow *flow)
{
	return flow->from + flow->len < FLOW_ROOM;
}

/*
 * flow_fill - read what @fd has
 *
 * Returns 1, 0 if there is nothing now, or -errno.
 */
int flow_fill(struct flow *flow, int fd);

/* flow_flush - write as much as @fd takes now; 0 or -errno */
int flow_flush(struct flow *flow, int fd);

/* flow_reset - forget what is in it */
void flow_reset(struct flow *flow);

#endif /* CHOCK_TTY_FLOW_H */
