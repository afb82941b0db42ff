/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_BIRTH_H
#define CHOCK_LIMIT_BIRTH_H

/*
 * birth - a process that is born into namespaces, and into a cgroup
 *
 * A process that is moved into a cgroup had some life outside of it, and
 * memory that was charged there; one that is born in it had none.  Where that
 * cannot be had there is no process, and no second try.
 */

#include <stdint.h>
#include <sys/types.h>

typedef int birth_fn(void *arg);

/*
 * birth - start a process that ends with what @fn returns for @arg
 *
 * It has the CLONE_NEW* of @flags and a copy of all memory, and is in the
 * cgroup that @cgroup_fd is open for; -1: in that of its parent.
 *
 * Returns its process id, or -errno as clone(2) has it.
 */
pid_t birth(uint32_t flags, int cgroup_fd, birth_fn *fn, void *arg);

#endif /* CHOCK_LIMIT_BIRTH_H */
