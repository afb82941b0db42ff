/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_STATUS_H
#define CHOCK_SANDBOX_STATUS_H

/*
 * status - what proc_pid_status(5) says of a process, once it has been read
 *
 * A name is given with the newline before it and the colon and tab behind, as
 * "\nSigIgn:\t": the kernel escapes a newline in what others put there.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define STATUS_ROOM 4096 /* bytes; a status has about 1500 */

/* status_field - what stands behind @name; nothing where it is not there */
struct span status_field(const char *status, const char *name);

/*
 * status_signals - the signals that stand behind @name
 *
 * @signals gets a bit for each, the first one's lowest.  Returns whether they
 * are there.
 */
bool status_signals(uint64_t *signals, const char *status, const char *name);

#endif /* CHOCK_SANDBOX_STATUS_H */
