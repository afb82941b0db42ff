/* SPDX-License-Identifier: ISC */
/*
 * calls - one system call, again and again
 *
 *	calls getppid|pread|stat|open COUNT FILE
 *
 * What holds a program may cost at each of its calls: a filter at all of
 * them, Landlock at those that open.  FILE is read, looked at or opened.
 */

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"

#define COUNT_MAX 1000000000

typedef int one_call(const char *path, int fd);

static int call_getppid(const char *path, int fd)
{
	(void)path;
	(void)fd;
	return syscall(SYS_getppid) < 0 ? -1 : 0;
}

static int call_pread(const char *path, int fd)
{
	char byte;

	(void)path;
	return pread(fd, &byte, 1, 0) == 1 ? 0 : -1;
}

static int call_stat(const char *path, int fd)
{
	struct stat st;

	(void)fd;
	return stat(path, &st);
}

static int call_open(const char *path, int fd)
{
	int opened = open(path, O_RDONLY | O_CLOEXEC);

	(void)fd;
	return opened < 0 ? -1 : close(opened);
}

static const struct {
	const char *name;
	one_call *call;
} calls[] = {
	{ "getppid", call_getppid },
	{ "pread", call_pread },
	{ "stat", call_stat },
	{ "open", call_open },
};

int main(int argc, char **argv)
{
	one_call *call = NULL;
	uint64_t left;
	size_t i;
	int fd;

	report_name("calls");
	for (i = 0; argc == 4 && i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(argv[1], calls[i].name))
			call = calls[i].call;
	if (!call || num_read(&left, span_of(argv[2]), COUNT_MAX) < 0)
		die(EXIT_MISUSE,
		    "usage: calls getppid|pread|stat|open COUNT FILE");
	fd = open(argv[3], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno(EXIT_SYSTEM, "cannot open '%s'", argv[3]);
	for (; left; left--)
		if (call(argv[3], fd) < 0)
			die_errno(EXIT_SYSTEM, "cannot %s", argv[1]);
	return EXIT_ALLOW;
}
