/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_EVAL_H
#define CHOCK_POLICY_EVAL_H

/*
 * chock-policy-eval - what its parts share
 *
 * What fails here ends the program, with a line that says why.
 */

#include <stdbool.h>
#include <stddef.h>
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

/* ---- options: what was said on the command line -------------------------- */

/* What the program is to do; one for each that excludes all others. */
enum way {
	WAY_RECORDS,
	WAY_ACTION,
	WAY_CASES,
	WAY_CHECK,
	WAY_FILES,
	WAY_FREEZE,
	WAY_LIST,
	WAY_HOOK, /* from here on a format of messages each */
	WAY_OPENAI,
	WAY_ANTHROPIC,
	WAY_MCP,
	WAYS,
};

/* The descriptors are -1 where none was said, the strings NULL. */
struct eval_options {
	enum way way;

	/* which policies */
	struct opt_list policies;
	struct opt_list ceilings;
	struct opt_list rules;
	struct opt_list states;
	const char *project;
	int frozen_fd;
	bool find_policy;

	/* about the policies */
	const char *cases;
	const char *suffixes;
	bool check;
	bool files;
	bool freeze;
	bool list;

	/* questions and records */
	const char *const *words; /* ACTION [FIELD=VALUE]... */
	size_t word_count;
	int refused_fd;
	int control_fd;
	bool explain;
	bool filter;

	/* messages */
	const char *format;
	const char *server;
	uint64_t timeout; /* seconds; 0: not said */
};

/* options_read - read @argv, and refuse what does not go together */
void options_read(struct eval_options *options, int argc, char **argv);

/* options_drop - release it */
void options_drop(struct eval_options *options);

/* ---- judge: what every answer is made from ------------------------------- */

/* What the broker says while records are answered. */
struct control {
	struct lines lines; /* fd is -1 once it ended, or without one */
	bool answers;       /* it can be written to */
	bool bad;           /* something was refused */
};

struct judge {
	const struct eval_options *options; /* borrowed */
	struct policyfiles files;
	struct policy policy;
	const char *projects[3]; /* the project's names, up to a NULL */
	char *real_project;      /* owned */
	struct stream stream;
	struct state_log *logs; /* owned; of options->states */
	struct control control;
	struct buf beside; /* a file that the way reads beside the policies */
};

/*
 * judge_open - read what @options name, and say what is to be said of it
 *
 * Ends the program where no answer may be given by the policies.
 */
void judge_open(struct judge *judge, const struct eval_options *options);

/*
 * judge_warn - say what is to be said of the policies before any answer
 *
 * Ends the program where none may be given by them.
 */
void judge_warn(struct judge *judge);

/* judge_drop - release it */
void judge_drop(struct judge *judge);

/*
 * judge_record - make the fields that @record gets, put behind @fields
 *
 * Returns 0 or -errno.
 */
int judge_record(struct buf *fields, struct judge *judge,
		 const struct record *record, enum policy_decision *decision,
		 struct why *why);

/* ---- state: the logs that a stream goes on from -------------------------- */

/* state_open - open the logs of options->states */
void state_open(struct judge *judge);

/* state_fold - take over the restrictions in the logs, and close them */
void state_fold(struct judge *judge);

/* ---- control: what only the broker may say ------------------------------- */

/* control_open - make ready to read options->control_fd */
void control_open(struct judge *judge);

/* control_take - do all that waits there */
void control_take(struct judge *judge);

/* control_wait - wait for @input, and do what is said there meanwhile */
void control_wait(struct judge *judge, const struct lines *input);

/* control_close - returns whether all that was said could be done */
bool control_close(struct judge *judge);

/* ---- filter: where records go -------------------------------------------- */

/* What became of the records of a filter. */
struct filter_counts {
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
void filter_put(const struct eval_options *options,
		struct filter_counts *counts, enum policy_decision decision,
		const struct buf *line);

/* filter_status - say what was lost; returns the exit status */
int filter_status(const struct eval_options *options,
		  const struct filter_counts *counts);

/* ---- hook: whatever fails must block ------------------------------------- */

#define HOOK_SECONDS 10
#define HOOK_SECONDS_MAX 600

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

/* ---- the ways ------------------------------------------------------------ */

/* Each opens what cannot be opened once the program has confined itself... */
void records_open(struct judge *judge);
void cases_open(struct judge *judge);
void check_open(struct judge *judge);

/* ...and each does what it is for, and returns the exit status. */
int answer_records(struct judge *judge);
int answer_action(struct judge *judge);
int answer_cases(struct judge *judge);
int print_findings(struct judge *judge);
int print_files(struct judge *judge);
int print_frozen(struct judge *judge);
int print_list(struct judge *judge);
int answer_hook(struct judge *judge);
int answer_openai(struct judge *judge);
int answer_anthropic(struct judge *judge);
int answer_mcp(struct judge *judge);

#endif /* CHOCK_POLICY_EVAL_H */
