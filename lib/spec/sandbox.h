/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_SANDBOX_H
#define CHOCK_SPEC_SANDBOX_H

/*
 * sandbox - what is to be built, in the words of a policy
 *
 * A struct sandbox is plain data: chock-spawn fills it from policies and
 * options, a driver (sandbox/driver.h) builds it.  Nothing in it is a promise
 * until the driver's report says that the layer is on.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/identity.h"
#include "spec/limits.h"

#define SANDBOX_RUN "/run/chock" /* chock's place inside */
#define SANDBOX_HOME SANDBOX_RUN "/home"
#define SANDBOX_TMP SANDBOX_RUN "/tmp"
#define SANDBOX_GRACE 5 /* seconds between SIGTERM and SIGKILL at a timeout */

struct sockets; /* tree/sockets.h */

enum grant_kind {
	GRANT_READ,   /* the path, read-only */
	GRANT_WRITE,  /* the path, read and write */
	GRANT_COW,    /* the path, and what is written kept apart */
	GRANT_TMPFS,  /* a fresh, capped tmpfs there */
	GRANT_DEVICE, /* the node of a device, for all that it can do */
	GRANT_HIDE,   /* covered: nothing of it can be read or written */
};

struct grant {
	enum grant_kind kind;
	const char *source; /* borrowed; path on the host, absolute */
	const char *target; /* borrowed; path inside; NULL: as on the host */
	bool noexec;
	bool optional; /* a source that is not there costs nothing */
	bool other;    /* of other calls: it grants nothing to this one */
	bool own;      /* the caller's word that it may be one of own_dirs */
	dev_t number;  /* of GRANT_DEVICE: what the node must be */
	bool judged;   /* only what is this one is granted: */
	struct identity is;
	const char *by; /* borrowed; FILE:LINE or an option, for messages */
};

/* One of chock's own directories: nothing inside ever sees what is in it. */
struct own_dir {
	const char *path; /* borrowed; absolute */
	bool make;        /* it may be made where it is missing */
};

/* The directory of the GRANT_COW, as it was when the run took it. */
struct sandbox_cow {
	dev_t dev;
	ino_t ino;
	struct timespec since; /* changes inside are later, by the clock */
	int layer_fd; /* borrowed; a socket that is sent the upper layer */
	const char *layers; /* borrowed; absolute; the directory of ours that
			     * keeps them; NULL: they are in memory */
	bool again;         /* layers may be what an earlier run left */
};

enum net_mode {
	NET_NONE, /* a network namespace with lo up and nothing else */
	NET_HOST, /* the host's own, said loudly */
};

enum cgroup_mode {
	CGROUP_AUTO,     /* one of our own where there is a place for it */
	CGROUP_NONE,     /* none */
	CGROUP_SUPPLIED, /* the caller's own */
};

#define SANDBOX_UNHELD_MAX 16 /* rules that a report names */

/* A rule that nothing here holds. */
struct sandbox_unheld {
	const char *rule;   /* borrowed; where it stands */
	const char *action; /* borrowed; what it is about */
};

/* Whose terminal the command has, see tty/relay.h. */
enum sandbox_tty {
	TTY_CALLERS, /* whatever the standard descriptors are */
	TTY_BACK,    /* one of its own, when it wants one */
	TTY_FRONT,   /* one of its own, from the start */
};

struct sandbox {
	struct grant *grants; /* owned */
	size_t grant_count;
	const struct own_dir *own_dirs; /* borrowed */
	size_t own_dir_count;
	const char *own_name; /* borrowed; what any directory that is granted
				 may have of chock's own, or NULL */
	const char **waiting; /* owned; paths of that name, absolute, */
	size_t waiting_count; /* in which something is known to wait */
	const struct sockets *sockets; /* borrowed; of the host, to be covered;
					  NULL: Landlock refuses them */
	const char *const *env;   /* borrowed; NAME=VALUE, NULL at the end */
	const char *const *argv;  /* borrowed; NULL at the end */
	const char *workdir;      /* borrowed; inside; NULL: the home */
	bool workdir_named;       /* not being there is an error */
	const char *workdir_lost; /* borrowed; why there is none, or NULL */
	struct limits limits;
	const struct sandbox_cow *cow; /* borrowed; NULL: there is none */
	enum cgroup_mode cgroup;
	int cgroup_fd; /* borrowed; with CGROUP_SUPPLIED */
	enum net_mode net;
	const char *driver;     /* borrowed; who builds it, set by that one */
	const char *fallback;   /* borrowed; why no stronger one, or NULL */
	const char *home;       /* borrowed; inside; the driver may move it */
	bool in_place;          /* set by it: a file is what it is outside */
	const char *scratch_by; /* borrowed; who set that limit, or NULL */
	const char *nest;       /* borrowed; where its own places are on a disk
				 * of the host, set by the driver, or NULL */
	uint32_t filters;       /* SECCOMP_BIT()s of what comes on top */
	enum sandbox_tty tty;
	int terminal_fd; /* owned; of modes_find(); only with a tty */
	bool jit;        /* writable-and-executable pages */
	bool strict;     /* system calls by an allowlist */
	struct sandbox_unheld unheld[SANDBOX_UNHELD_MAX]; /* the first of */
	size_t unheld_count;                              /* so many */
	uint32_t waived;  /* LAYER_BIT()s, see layer.h */
	int report_fd;    /* borrowed; -1: none */
	char *title;      /* borrowed; our own arguments and environment, */
	size_t title_len; /* which are wiped from what runs inside */
};

#endif /* CHOCK_SPEC_SANDBOX_H */
