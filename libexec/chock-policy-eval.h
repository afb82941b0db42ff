/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_EVAL_H
#define CHOCK_POLICY_EVAL_H

/*
 * chock-policy-eval - what its parts share
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/line.h"
#include "base/opt.h"
#include "call/stream.h"
#include "policy/decision.h"
#include "policy/policy.h"
#include "policyfile/policyfile.h"

struct record;
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
	struct opt_list states;
	int control_fd;     /* -1: none */
	int frozen_fd;      /* -1: none */
	const char *format; /* NULL: native records */
	const char *server;
	uint64_t timeout; /* seconds; 0: not said */
	bool find_policy;
	bool explain;
	bool files;
	bool freeze;
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
	struct stream stream;
	struct state_log *logs; /* owned; of options->states */
	bool control_answers;   /* control_fd can be written to */
};

/* judge_open - read what @options name; ends the program where that fails */
void judge_open(struct judge *judge, const struct eval_options *options);

/*
 * judge_start - say what is to be said of the policies before any answer, or
 * end the program where none may be given by them
 */
void judge_start(const struct judge *judge);

/* state_open - open the logs of options->states; ends the program if it fails */
void state_open(struct judge *judge);

/*
 * state_fold - take over the restrictions in the logs, and close them
 *
 * Ends the program for a log that does not hold.
 */
void state_fold(struct judge *judge);

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
/*
 * judge_record - make the fields that @record gets, put behind @fields
 *
 * Returns 0 or -errno.
 */
int judge_record(struct buf *fields, struct judge *judge,
		 const struct record *record, enum policy_decision *decision,
		 struct why *why);

/* What the broker says while records are answered. */
struct control {
	struct judge *judge; /* borrowed */
	struct lines lines;  /* fd is -1 once it ended, or without one */
	bool bad;            /* something was refused */
};

/* control_open - make ready to read judge->options->control_fd */
void control_open(struct control *control, struct judge *judge);

/* control_take - do all that waits there */
void control_take(struct control *control);

/* control_wait - wait for @input, and do what is said there meanwhile */
void control_wait(struct control *control, const struct lines *input);

/* control_close - returns whether all that was said could be done */
bool control_close(struct control *control);

/* answer_records - filter standard input; returns the exit status */
int answer_records(struct judge *judge);

/*
 * check_format - end the program if the options about a harness make no sense
 *
 * @others is how many other things the program was told to do.
 */
void check_format(const struct eval_options *options, int others);

/* answer_format - answer messages of a harness; returns the exit status */
int answer_format(struct judge *judge);

/*
 * hook_guard - if @argv says that we are a hook, let every failure block
 *
 * From then on the program ends with EXIT_BLOCK, whatever exit(3) was told,
 * on a signal, or after HOOK_SECONDS, unless hook_done() was called.
 */
void hook_guard(int argc, char **argv);

/* hook_limit - block after @seconds, counted from here; 0 leaves it */
void hook_limit(uint64_t seconds);

/* hook_done - the answer is out */
void hook_done(void);

#define HOOK_SECONDS 10
#define HOOK_SECONDS_MAX 600

#endif /* CHOCK_POLICY_EVAL_H */
