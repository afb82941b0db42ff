/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_SOCKETS_H
#define CHOCK_TREE_SOCKETS_H

/*
 * sockets - the paths at which programs of the host listen
 *
 * Whoever can connect to a container daemon, a bus or an agent has what that
 * program can do, and a mount that is read-only does not refuse it.  From its
 * ABI 9 on (Linux 7.1) Landlock does.  Before that they are looked for: in
 * /proc/net/unix (proc(5)), which has all of our network namespace, and, for
 * those of others, such as a daemon in a container, under the names that are
 * well known.
 *
 * Invariants
 *   - An all-zero struct has none.
 */

#include <stddef.h>

struct why;

#define SOCKETS_ABI 9                        /* of Landlock, see above */
#define SOCKETS_BYTES_MAX ((size_t)16 << 20) /* of /proc/net/unix */

struct sockets {
	char **paths; /* owned; absolute, in nobody's order */
	size_t count;
};

/*
 * sockets_find - look for them, in all places that are known
 *
 * What the caller's environment says of them counts as well.  Returns 0, also
 * without a procfs, or -errno.
 */
int sockets_find(struct sockets *sockets, struct why *why);

#endif /* CHOCK_TREE_SOCKETS_H */
