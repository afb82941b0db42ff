/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_REMOTE_H
#define CHOCK_LIMIT_REMOTE_H

/*
 * remote - which file systems are served by a network or by another process
 *
 * Who serves one may never answer, and then who asked waits for ever.
 */

struct statfs;

/* remote_type - what it is called, for ever, or NULL for any other one */
const char *remote_type(const struct statfs *fs);

#endif /* CHOCK_LIMIT_REMOTE_H */
