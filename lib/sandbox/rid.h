/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_RID_H
#define CHOCK_SANDBOX_RID_H

/*
 * rid - what process 1 of a sandbox gives up of what it was born with
 *
 * All of it is inherited by the command, and so has to be done only once.
 */

#include <stddef.h>

struct sandbox;
struct why;

/*
 * rid_of_signals - block all signals, and ignore none
 *
 * A program that is executed inherits what is ignored, and the command must
 * not find that its caller's caller did not want to hear of a hang-up.
 */
void rid_of_signals(void);

/* rid_of_descriptors - close all but those of @kept that are not -1 */
void rid_of_descriptors(const int *kept, size_t count);

/*
 * rid_of_name - wipe the arguments and the environment that the host gave,
 * and become unreadable for every other process
 */
int rid_of_name(const struct sandbox *sandbox, struct why *why);

/* rid_of_privileges - every capability, for good, and what brings new ones */
int rid_of_privileges(struct why *why);

#endif /* CHOCK_SANDBOX_RID_H */
