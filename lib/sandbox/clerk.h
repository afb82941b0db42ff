/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_CLERK_H
#define CHOCK_SANDBOX_CLERK_H

/*
 * clerk - changes modes, owners and times for a command that may not itself
 *
 * Landlock does not hold chmod(2), chown(2) and utimensat(2), and where no
 * mount is read-only nothing else does.  So these calls are told to a listener
 * (seccomp_unotify(2)), and where a path may be written the clerk does what was
 * asked, itself.  No call is ever let through: what a path stood for when it
 * was looked at is what is changed, whatever it stands for afterwards.
 *
 * Invariants
 *   - What is changed lies in one of the roots (sandbox/roots.h), or is one.
 *   - No bit of set-uid or set-gid is set.
 *   - The clerk has the ids of the command and no capability: the kernel holds
 *     it to what the command's user may do.
 *   - It may sleep for as long as the command and its file systems like.
 */

#include <stdbool.h>

struct roots;
struct seccomp_notif;

/* clerk_serves - whether @call is one of the clerk's */
bool clerk_serves(const struct seccomp_notif *call);

/*
 * clerk_act - do what @call of the listener @fd asks for
 *
 * @memory_fd is /proc/PID/mem of the caller; -1: it could not be opened.
 * Returns what the call is to return: 0 or -errno; -EPERM for what is not in a
 * root, and where nothing can be learnt of the caller (ptrace_scope(5)).
 */
int clerk_act(const struct roots *roots, int fd, int memory_fd,
	      const struct seccomp_notif *call);

#endif /* CHOCK_SANDBOX_CLERK_H */
