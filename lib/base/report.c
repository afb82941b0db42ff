/* SPDX-License-Identifier: ISC */
#include "base/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"

#define LINE_ROOM 1024

static const char *program = "chock";

void report_name(const char *name)
{
	program = name;
}

static last_words *hearer;

void report_last_words(last_words *hear)
{
	hearer = hear;
}

static void say(char *line, int errnum, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

/*
 * Everything on the stack, @line too, which has LINE_ROOM: this must work when
 * there is no memory left.
 */
static void say(char *line, int errnum, const char *fmt, va_list args)
{
	size_t len;
	size_t i;

	(void)snprintf(line, LINE_ROOM, "%s: ", program);
	len = strlen(line);
	(void)vsnprintf(line + len, LINE_ROOM - len - 1, fmt, args);
	len = strlen(line);
	if (errnum)
		(void)snprintf(line + len, LINE_ROOM - len - 1, ": %s",
			       strerror(errnum));
	len = strlen(line);
	for (i = 0; i < len; i++)
		if (line[i] < ' ' || line[i] > '~')
			line[i] = '?';
	line[len] = '\n';
	progress_wipe();
	while (write(STDERR_FILENO, line, len + 1) < 0 && errno == EINTR)
		continue;
	line[len] = '\0';
}

void report_leave(int status, const char *text)
{
	last_words *hear = hearer;

	hearer = NULL;
	if (hear)
		hear(status, text);
	exit(status);
}

/* What stands behind our name in @line. */
static const char *said(const char *line)
{
	return line + strlen(program) + strlen(": ");
}

void warn(const char *fmt, ...)
{
	char line[LINE_ROOM];
	va_list args;

	va_start(args, fmt);
	say(line, 0, fmt, args);
	va_end(args);
}

void warn_lines(struct span lines)
{
	while (lines.len) {
		const char *end = memchr(lines.data, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.data) : lines.len;

		warn("%.*s", (int)len, lines.data);
		lines = span_from(lines, len + 1);
	}
}

void die(int status, const char *fmt, ...)
{
	char line[LINE_ROOM];
	va_list args;

	va_start(args, fmt);
	say(line, 0, fmt, args);
	va_end(args);
	report_leave(status, said(line));
}

void die_errno(int status, const char *fmt, ...)
{
	int errnum = errno;
	char line[LINE_ROOM];
	va_list args;

	va_start(args, fmt);
	say(line, errnum, fmt, args);
	va_end(args);
	report_leave(status, said(line));
}

void print(const struct buf *bytes)
{
	int r;

	if (bytes->full)
		die(EXIT_SYSTEM, "the answer is too long");
	progress_wipe();
	r = file_write(STDOUT_FILENO, buf_span(bytes));
	if (r < 0) {
		errno = -r;
		die_errno(EXIT_SYSTEM, "cannot write to standard output");
	}
}

int report_status(const struct why *why)
{
	switch (why->errnum) {
	case EINVAL:
	case EBADMSG:
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case EACCES:
	case ENAMETOOLONG:
	case E2BIG:
	case EFBIG:
	case EOVERFLOW:
		return EXIT_MISUSE;
	default:
		return EXIT_SYSTEM;
	}
}

void die_why(const struct why *why)
{
	die(report_status(why), "%s", why->text);
}
