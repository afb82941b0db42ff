/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_NAMESPACES_H
#define CHOCK_SANDBOX_NAMESPACES_H

/*
 * namespaces - what the two halves of the driver for namespaces share
 *
 * The outside clones process 1 into them; its half is init_namespaces.
 */

#include <sys/types.h>

#include "sandbox/init.h"

struct why;

extern const struct init_kind init_namespaces;

/*
 * namespaces_map - become @uid and @gid, as outside, in a new user namespace
 *
 * Where one can be made and is worth nothing, this is what fails.  Returns 0
 * or -errno.
 */
int namespaces_map(uid_t uid, gid_t gid, struct why *why);

#endif /* CHOCK_SANDBOX_NAMESPACES_H */
