/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_SECCOMP_H
#define CHOCK_CONFINE_SECCOMP_H

/*
 * seccomp - system calls that a sandbox does not get
 *
 * The lists are in confine/calls.h, a row a rule.  They are compiled to BPF
 * when chock is built, by libseccomp in confine/gen-filters.c, as binary
 * trees: loading one is one system call, and no program that is started for
 * every call links to a compiler.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct why;

enum seccomp_filter {
	SECCOMP_SANDBOX,     /* what every sandbox is held to */
	SECCOMP_SANDBOX_JIT, /* the same with writable-and-executable pages */
	SECCOMP_STRICT,      /* an allowlist of what ordinary programs need */
	SECCOMP_STRICT_JIT,
	SECCOMP_CLERK, /* the same four for a listener that serves a clerk, */
	SECCOMP_CLERK_JIT, /* see clerk.h, and for no other */
	SECCOMP_CLERK_STRICT,
	SECCOMP_CLERK_STRICT_JIT,
	SECCOMP_SELF,        /* an allowlist for our own programs, see self.h */
	SECCOMP_IN_HOST,     /* on top, where there are no namespaces */
	SECCOMP_NO_METADATA, /* on top of that, where there is no clerk */
	SECCOMP_NO_INET,     /* on top, for no network without a namespace */
	SECCOMP_NO_UNIX,     /* on top, for no unix socket that has a path */
	SECCOMP_FILTERS      /* how many there are */
};

/* More than a struct seccomp_notif of any kernel has: 80 bytes in Linux 6. */
#define SECCOMP_NOTIF_ROOM 512

#define SECCOMP_BIT(filter) (UINT32_C(1) << (filter))

/* seccomp_for - the filter of a sandbox that is @strict, has @jit, or both */
enum seccomp_filter seccomp_for(bool strict, bool jit);

/* seccomp_for_clerk - as seccomp_for(), for seccomp_listen() with a clerk */
enum seccomp_filter seccomp_for_clerk(bool strict, bool jit);

/*
 * seccomp_load - hold the calling thread, and all that it starts, to @filter
 *
 * The caller has no_new_privs set.  Returns 0 or -errno.
 */
int seccomp_load(enum seccomp_filter filter, struct why *why);

/*
 * seccomp_listen - as seccomp_load(), with a listener for the calls that kill
 *
 * Those hold their thread until the listener, which is close-on-exec, says
 * what becomes of them (sandbox/notify.h).  Foreign architectures still kill.
 *
 * Returns the listener, -EBUSY if somebody outside listens already, -ENOSYS
 * or -EINVAL before Linux 5.0, or another -errno; then nothing is loaded.
 */
int seccomp_listen(enum seccomp_filter filter, struct why *why);

/*
 * seccomp_call_name - what system call @number of this machine is called
 *
 * Returns NULL for one that the lists do not name.
 */
const char *seccomp_call_name(int number);

#endif /* CHOCK_CONFINE_SECCOMP_H */
