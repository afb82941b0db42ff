/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_SECCOMP_H
#define CHOCK_SANDBOX_SECCOMP_H

/*
 * seccomp - system calls that a sandbox does not get
 *
 * The lists are in sandbox/calls.h, a row a rule.  They are compiled to BPF
 * when chock is built, by libseccomp in sandbox/gen-filters.c, as binary
 * trees: loading one is one system call, and no program that is started for
 * every call links to a compiler.
 */

#include <stdbool.h>
#include <stddef.h>

struct why;

enum seccomp_filter {
	SECCOMP_SANDBOX,     /* what every sandbox is held to */
	SECCOMP_SANDBOX_JIT, /* the same with writable-and-executable pages */
	SECCOMP_SELF,        /* an allowlist for our own programs, see self.h */
	SECCOMP_FILTERS      /* how many there are */
};

/*
 * seccomp_load - hold the calling thread, and all that it starts, to @filter
 *
 * The caller has no_new_privs set.  Returns 0 or -errno.
 */
int seccomp_load(enum seccomp_filter filter, struct why *why);

/*
 * seccomp_call_name - what system call @number of this machine is called
 *
 * Returns NULL for one that the lists do not name.
 */
const char *seccomp_call_name(int number);

#endif /* CHOCK_SANDBOX_SECCOMP_H */
