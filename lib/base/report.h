/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_REPORT_H
#define CHOCK_BASE_REPORT_H

/*
 * report - a program's own voice
 *
 * One message is one line on standard error: the program, a colon, what could
 * not be done, lower case, no full stop.  It is written by one write(2), so
 * that lines of several programs do not mix, and every byte outside printable
 * ASCII is shown as '?', because most of what we quote was chosen by the
 * process that we confine.  For libexec/ only; lib/ uses base/why.
 */

#include "base/span.h"

struct buf;
struct why;

/* Of a name that the message goes on behind: what is too long loses its end. */
#define REPORT_NAME_MAX 400 /* bytes */

/* report_name - the program's name in front of every message; kept as it is */
void report_name(const char *name);

/* What is told to who listens: the status, and the message without its name. */
typedef void last_words(int status, const char *text);

/*
 * report_last_words - have @hear called with what die() and its kin say
 *
 * Once, before the program leaves; NULL: nobody, as at the start.
 */
void report_last_words(last_words *hear);

/* report_leave - leave with @status, and let only who listens hear @text */
void report_leave(int status, const char *text) __attribute__((noreturn));

/* print - put @bytes on standard output, or say that it failed and leave */
void print(const struct buf *bytes);

/* warn - say something and go on */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* warn_lines - warn() of each line in @lines; each ends with a newline */
void warn_lines(struct span lines);

/* die - say what went wrong and leave with @status */
void die(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* die_errno - die() with the system's words for errno put behind */
void die_errno(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/*
 * die_why - say @why and leave with the status that its errno stands for
 *
 * That is EXIT_MISUSE for EINVAL, EBADMSG, ENOENT, ENOTDIR, EISDIR, ELOOP,
 * EACCES, ENAMETOOLONG, E2BIG, EFBIG and EOVERFLOW, which the same call will
 * meet again, and EXIT_SYSTEM for every other.
 */
void die_why(const struct why *why) __attribute__((noreturn));

/* report_status - the status that die_why() would leave with */
int report_status(const struct why *why);

#endif /* CHOCK_BASE_REPORT_H */
