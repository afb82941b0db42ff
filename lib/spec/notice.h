/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_NOTICE_H
#define CHOCK_SPEC_NOTICE_H

/*
 * notice - what a sandbox did to a command, in sentences
 *
 * What is known is stated; what only the command's name and status say is
 * said as what may be.
 */

struct buf;
struct denials;
struct sandbox;

#define NOTICE_DENIALS_MAX 3 /* programs that are named; the report has all */

/* Between the sentences of a notice; a NUL, which no name of a file has. */
#define NOTICE_BETWEEN '\0'

/* notice_add - put one more sentence behind @notice */
void notice_add(struct buf *notice, const char *sentence);

/* notice_join - @notice put behind @line, with ". " between its sentences */
void notice_join(struct buf *line, const struct buf *notice);

/* notice_denials - who was killed for which system call */
void notice_denials(struct buf *notice, const struct denials *denials);

/*
 * notice_failure - what the command of @sandbox, which failed, cannot have
 *
 * By its name, and for some by @status, with which it ended: what needs a
 * set-uid bit, another owner of files, a network, machine code of its own.
 */
void notice_failure(struct buf *notice, const struct sandbox *sandbox,
		    int status);

#endif /* CHOCK_SPEC_NOTICE_H */
