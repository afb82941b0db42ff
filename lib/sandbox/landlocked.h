/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_LANDLOCKED_H
#define CHOCK_SANDBOX_LANDLOCKED_H

/*
 * landlocked - what the two halves of the driver without namespaces share
 *
 * Its outside makes the nest and starts the keeper, the sandbox's first
 * process; the keeper's half is init_landlocked.  The keeper stands where
 * process 1 stands in a namespace: all that the command leaves becomes its
 * child, nothing inside can signal it, and it ends everything.
 */

#include <stdbool.h>

#include "sandbox/init.h"
#include "sandbox/nest.h"
#include "sandbox/roots.h"

#define LANDLOCKED_ABI 6      /* scopes: without them signals would reach out */
#define LANDLOCKED_UNIX_ABI 9 /* from then on connecting to sockets is held */

struct landlocked {
	struct nest nest;
	struct roots roots; /* of the keeper, and then of its clerk */
	int abi;            /* of the running kernel */
	bool scoped;        /* no signal gets out; that was tried */
};

extern const struct init_kind init_landlocked;

#endif /* CHOCK_SANDBOX_LANDLOCKED_H */
