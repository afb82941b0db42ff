/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_H
#define CHOCK_WORKSPACE_H

/*
 * chock-workspace - what its parts share
 *
 * chock-workspace.c has the table of options and the verbs; the way back into
 * a project is in -apply, and what policies say of a path in -rules.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "workspace/effect.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct buf;

/* What the options say of a question and an apply. */
struct applying {
	const char *workspace; /* its directory */
	const char *to;        /* the commit and the tree that were shown */
	const char *tree;
	bool no_integrate;
	uint64_t seconds;
	uint64_t pack_max;
	int frozen_fd; /* policies, or -1: those that are found */
	struct opt_list rules;
};

/* print_record - close @record and print it, as a line of its own */
void print_record(struct buf *record);

/* open_both - open a whole workspace and its project, or end the program */
void open_both(struct space *space, struct project *project,
	       const char *workspace);

/* put_questions - print what is to be asked before the work is applied */
void put_questions(const struct applying *applying);

/* apply_work - carry out what was asked about, and print what became of it */
void apply_work(const struct applying *applying);

/*
 * rules_mark - mark the changes of @effect that the policies are about
 *
 * Those of policy files, and those that a rule on workspace.protected names by
 * their path.  Ends the program if the policies cannot be read.
 */
void rules_mark(struct effect *effect, const struct applying *applying,
		const struct project *project);

#endif /* CHOCK_WORKSPACE_H */
