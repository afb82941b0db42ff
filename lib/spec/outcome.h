/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_OUTCOME_H
#define CHOCK_SPEC_OUTCOME_H

/*
 * outcome - what became of a sandbox and of the command in it
 *
 * An outcome is filled in by who builds the sandbox, inside and outside of
 * it, and read by who has to say how it went: as an exit status, as the two
 * lines of a report, as one line of status, and in plain words.
 *
 * Invariants
 *   - An all-zero struct is the outcome of what has not begun.
 *   - It holds no pointer: it lies in memory that two processes share.
 */

#include <stdbool.h>
#include <sys/resource.h>

#include "base/why.h"
#include "confine/layer.h"
#include "spec/denial.h"
#include "spec/exceeded.h"
#include "spec/limitrow.h"

struct buf;
struct sandbox;

enum outcome_stage {
	OUTCOME_BUILDING, /* the sandbox is not ready; why says what failed */
	OUTCOME_READY,    /* it is, and the command did not start: see why */
	OUTCOME_STARTED,  /* the command was executed */
};

/* What became of what was written to a copy on write. */
enum outcome_cow {
	OUTCOME_COW_NONE, /* there was none */
	OUTCOME_COW_COMMITTED,
	OUTCOME_COW_DISCARDED,
	OUTCOME_COW_KEPT, /* for --recover, or in layers; nothing is in place */
	OUTCOME_COW_HALF, /* likewise; some is */
	OUTCOME_COW_LOST,
};

struct outcome {
	enum outcome_stage stage;
	struct layer_row layers[LAYER_COUNT];
	struct limit_means means; /* what the limits are held with */
	struct limit_row limits[LIMIT_COUNT];
	struct exceeded exceeded;
	struct why why;
	bool misused;    /* the call was wrong, and nothing was begun */
	bool busy;       /* another run has what this one wants */
	int exec_errno;  /* why the command could not be executed, or 0 */
	bool ended;      /* the command did, and wait_status is there */
	int wait_status; /* as waitpid(2) gives it */
	bool timed_out;  /* its time ran out, and it was ended for that */
	struct why gone; /* what was no more in its place, if that ended it */
	bool hung_up;    /* the caller's terminal did, and that ended it */
	bool at_home;    /* the working directory is not visible inside */
	struct why left; /* what could not be removed afterwards */
	enum outcome_cow cow;
	double seconds;      /* of wall clock, set-up included */
	struct rusage usage; /* of the command and of what it waited for */
	bool kills_named;    /* who is killed for a call is in denials */
	pid_t command;       /* its process id, as process 1 has it */
	struct denials
		denials; /* last, and only as much as is in it: _copy() */
};

/*
 * outcome_copy - make @to what @from is
 *
 * Rows of denials that are not in use are not touched, so that the memory
 * which they are in is not either.
 */
void outcome_copy(struct outcome *to, const struct outcome *from);

/* outcome_status - the exit status that chock-spawn(1) gives for it */
int outcome_status(const struct outcome *outcome);

/*
 * outcome_notice - what the sandbox itself did to the command, in plain words
 *
 * Put behind @notice, by notice_add(); nothing where it did nothing.
 */
void outcome_notice(struct buf *notice, const struct outcome *outcome,
		    const struct sandbox *sandbox);

/* outcome_open - the report's line for a sandbox that is ready */
void outcome_open(struct buf *line, const struct outcome *outcome,
		  const struct sandbox *sandbox);

/* outcome_result - the report's line for one that has ended */
void outcome_result(struct buf *line, const struct outcome *outcome,
		    const struct sandbox *sandbox);

/* outcome_refused - the report's only line, where nothing could be begun */
void outcome_refused(struct buf *line, const struct outcome *outcome);

/*
 * outcome_line - the line for --status-fd, which tells the command's own
 * exit statuses from ours
 */
void outcome_line(struct buf *line, const struct outcome *outcome);

#endif /* CHOCK_SPEC_OUTCOME_H */
