/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_DENIAL_H
#define CHOCK_SPEC_DENIAL_H

/*
 * denial - who was refused which system call, and how often
 *
 * A row is one call by one program; making it again counts.  What is in a row
 * was chosen by the process that was refused, so that it is bounded, and
 * holds nothing but printable ASCII.
 *
 * Invariants
 *   - An all-zero struct denials is the one in which nothing was refused.
 *   - It holds no pointer: it lies in memory that two processes share.
 *   - Of what does not fit, only the number is kept.
 */

#include <stdint.h>
#include <sys/types.h>

struct buf;

#define DENIALS_MAX 32 /* rows */
#define DENIAL_PROGRAM \
	16              /* TASK_COMM_LEN of the kernel, see proc_pid_comm(5) */
#define DENIAL_PATH 104 /* of the executed file; the end of a longer one */

struct denial {
	uint64_t count;
	int32_t call;                 /* its number, as the kernel has it */
	int32_t pid;                  /* of the first who made it */
	char program[DENIAL_PROGRAM]; /* as it calls itself; "": not known */
	char path[DENIAL_PATH];       /* the file that it is; "": not known */
};

struct denials {
	uint64_t left_out; /* denials that no row had room for */
	uint32_t count;    /* of rows */
	struct denial rows[DENIALS_MAX];
};

/*
 * denials_note - one more of what @denial says, whose own count is not read
 *
 * Returns its row, or NULL if it was left out.
 */
const struct denial *denials_note(struct denials *denials,
				  const struct denial *denial);

/* denials_of - the first row of process @pid, or NULL */
const struct denial *denials_of(const struct denials *denials, pid_t pid);

/*
 * denial_plain - put @len bytes of @bytes into @text, which has @room
 *
 * What is no printable ASCII becomes '?'.  Of more than fits the end is kept.
 */
void denial_plain(char *text, size_t room, const char *bytes, size_t len);

/* denial_call - the name of the call in @denial, or "" for one without */
const char *denial_call(const struct denial *denial);

/* denial_program - who made it: a name, a path, or "a program" */
const char *denial_program(const struct denial *denial);

/* denials_report - the elements of the report's array, put behind @line */
void denials_report(struct buf *line, const struct denials *denials);

#endif /* CHOCK_SPEC_DENIAL_H */
