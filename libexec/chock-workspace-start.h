/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_START_H
#define CHOCK_WORKSPACE_START_H

/*
 * chock-workspace - what happens before a verb does
 */

#include <stdint.h>

/*
 * workspace_for_person - become chock-kept, if the call is one for it
 *
 * That is a verb of its own, or one that names no workspace but a session.
 */
void workspace_for_person(int argc, char **argv);

/* workspace_limit_git - bound the processor time of all that is started */
void workspace_limit_git(uint64_t seconds);

#endif /* CHOCK_WORKSPACE_START_H */
