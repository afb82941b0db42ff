/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_EVAL_H
#define CHOCK_POLICY_EVAL_H

/*
 * chock-policy-eval - what its parts share
 */

#include <stdbool.h>

#include "base/buf.h"
#include "base/opt.h"
#include "policy/policy.h"
#include "policyfile/policyfile.h"

struct why;

/* What was said on the command line. */
struct eval_options {
	struct opt_list policies;
	struct opt_list ceilings;
	struct opt_list rules;
	const char *project;
	const char *cases;
	const char *suffixes;
	bool find_policy;
	bool explain;
	bool files;
	bool check;
	bool list;
};

/* What every answer is made from. */
struct judge {
	const struct eval_options *options; /* borrowed */
	struct policyfiles files;
	struct policy policy;
	const char *projects[3]; /* the project's names, up to a NULL */
	char *real_project;      /* owned */
	struct buf table;        /* what options->cases has */
	struct buf suffixes;     /* the list of public suffixes */
};

/* judge_open - read what @options name; ends the program where that fails */
void judge_open(struct judge *judge, const struct eval_options *options);

/*
 * judge_start - say what is to be said of the policies before any answer, or
 * end the program where none may be given by them
 */
void judge_start(const struct judge *judge);

/* judge_drop - release it */
void judge_drop(struct judge *judge);

/* check_open - read what --check needs beside the policies */
int check_open(struct judge *judge, struct why *why);

/* print_findings - what --check finds; returns the exit status */
int print_findings(const struct judge *judge);

/* answer_records - filter standard input; returns the exit status */
int answer_records(const struct judge *judge);

#endif /* CHOCK_POLICY_EVAL_H */
