/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_SANDBOX_H
#define CHOCK_SANDBOX_SANDBOX_H

/*
 * sandbox - what is to be built, in the words of a policy
 *
 * A struct sandbox is plain data: chock-spawn fills it from policies and
 * options, a driver (sandbox/driver.h) builds it.  Nothing in it is a promise
 * until the driver's report says that the layer is on.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sandbox/limits.h"

enum grant_kind {
	GRANT_READ,   /* the path, read-only */
	GRANT_WRITE,  /* the path, read and write */
	GRANT_HIDE,   /* covered: nothing of it can be read or written */
	GRANT_TMPFS,  /* a fresh, capped tmpfs there */
	GRANT_SYMLINK /* a symbolic link there; source is what it says */
};

struct grant {
	enum grant_kind kind;
	const char *source; /* borrowed; path on the host */
	const char *target; /* borrowed; path inside, absolute */
	bool noexec;
	bool optional; /* a source that is not there costs nothing */
	const char *by; /* borrowed; FILE:LINE or an option, for messages */
};

enum net_mode {
	NET_NONE, /* a network namespace with lo up and nothing else */
	NET_HOST, /* the host's own, said loudly */
};

struct sandbox {
	struct grant *grants; /* owned */
	size_t grant_count;
	const char *const *own_dirs; /* borrowed; chock's own, never visible */
	size_t own_dir_count;
	const char *const *env; /* borrowed; NAME=VALUE, NULL at the end */
	const char *const *argv; /* borrowed; NULL at the end */
	const char *workdir;     /* borrowed; inside; NULL: the home */
	struct limits limits;
	enum net_mode net;
	bool jit;      /* writable-and-executable pages */
	bool strict;   /* --allow-degraded was not given for anything */
	unsigned int waived; /* layers, by bit; see driver.h */
	int report_fd; /* borrowed; -1: none */
	int status_fd; /* borrowed; -1: none */
};

#endif /* CHOCK_SANDBOX_SANDBOX_H */
