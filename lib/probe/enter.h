/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_ENTER_H
#define CHOCK_PROBE_ENTER_H

/*
 * enter - go on in new namespaces, as a sandbox does
 *
 * Only in a trial's own process.
 */

struct trial;

/* trial_put - write all of @text to @path in one call, as id maps want it */
int trial_put(const char *path, const char *text);

/*
 * trial_enter - go on in a new user namespace and those of @flags
 *
 * As the same user.  What returns is a new process; who called waits for it,
 * and ends as it does.  @trial's stage says how far that came.
 *
 * Returns 0 or -errno.
 */
int trial_enter(int flags, struct trial *trial);

#endif /* CHOCK_PROBE_ENTER_H */
