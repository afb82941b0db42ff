/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_TRIAL_H
#define CHOCK_PROBE_TRIAL_H

/*
 * trial - something that is tried in a process of its own
 *
 * What a sandbox does to itself cannot be undone, and what a kernel does to
 * who tries it cannot be known before.  So each trial runs in a child, which
 * says how it went over a pipe; a child that ends without a word, or that
 * takes too long, measured nothing.
 */

#include <stdbool.h>

struct why;

#define TRIAL_SECONDS 10 /* for one trial */
#define TRIAL_TEXT_MAX 200

/* How far a trial came, for who looks for the cause. */
enum trial_stage {
	TRIAL_MAKE,  /* made what is tried */
	TRIAL_MAP,   /* became somebody in a new user namespace */
	TRIAL_USE,   /* used it */
	TRIAL_HOLDS, /* found that it does not hold what it should */
};

struct trial {
	int errnum; /* 0: it works; -1: not measured */
	enum trial_stage stage;
	int abi;                   /* of Landlock, where that was asked for */
	int signal;                /* that ended the child, or 0 */
	bool crowded;              /* there could be no process to try it in */
	char text[TRIAL_TEXT_MAX]; /* what failed, in words, or "" */
};

/*
 * A trial sets the stage before each step, and returns 0 or -errno.  It may
 * leave anything behind in its process, and may go on in a child of its own
 * as long as only one of them returns.
 */
typedef int trial_fn(struct trial *trial);

/*
 * trial_failed - note what @why says in @trial, if @r is negative
 *
 * Returns @r.
 */
int trial_failed(struct trial *trial, int r, const struct why *why);

/* trial_run - run @fn in a child, and what came of it */
struct trial trial_run(trial_fn *fn);

#endif /* CHOCK_PROBE_TRIAL_H */
