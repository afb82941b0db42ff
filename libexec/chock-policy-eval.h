/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_EVAL_H
#define CHOCK_POLICY_EVAL_H

/*
 * chock-policy-eval - what its parts share
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/opt.h"
#include "policy/decision.h"
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
	int refused_fd; /* -1: none */
	bool filter;
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

/* What became of the records of a filter. */
struct tally {
	uint64_t records;
	uint64_t denied;
	uint64_t asked;
	uint64_t errors;
};

/* filter_open - make ready for --filter, if that was said */
void filter_open(const struct eval_options *options);

/*
 * filter_put - pass @line on, or send it where refused ones go
 *
 * @decision is DECISIONS for a line that is an error.
 */
void filter_put(const struct eval_options *options, struct tally *tally,
		enum policy_decision decision, const struct buf *line);

/* filter_status - say what was lost; returns the exit status */
int filter_status(const struct eval_options *options,
		  const struct tally *tally);

/* answer_records - filter standard input; returns the exit status */
int answer_records(const struct judge *judge);

#endif /* CHOCK_POLICY_EVAL_H */
