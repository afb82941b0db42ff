/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_AUTO_H
#define CHOCK_BASE_AUTO_H

/*
 * auto - variables whose resource ends with their block
 *
 *	autoclose int log_fd = -1;
 *	autofree char *name = NULL;
 *
 * Such a variable gets its value where it is declared.  However the block is
 * left, the resource is released and errno keeps its value.  take_fd() moves a
 * descriptor out: a reader who looks for it has found every place where
 * ownership leaves a block.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define autoclose __attribute__((cleanup(auto_close)))
#define autofree __attribute__((cleanup(auto_free)))

/* take_fd - the descriptor in @fd, which holds none afterwards */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void auto_close(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}

/* The pointer that @slot points at is of any type: taken by its bytes. */
static inline void auto_free(const void *slot)
{
	int saved = errno;
	void *held;

	memcpy(&held, slot, sizeof(held));
	free(held);
	errno = saved;
}

#endif /* CHOCK_BASE_AUTO_H */
