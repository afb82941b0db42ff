/* SPDX-License-Identifier: ISC */
#include "probe/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/child.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"

#define PIPE_ROOM ((size_t)4096)

/* Puts @fd where a program looks for @as, by no more calls than it takes. */
static bool put(int fd, int as)
{
	if (fd == as)
		return fcntl(fd, F_SETFD, 0) >= 0;
	(void)close(as);
	return fcntl(fd, F_DUPFD, as) == as;
}

static void become(const char *const *argv, int words_fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	char text[PIPE_ROOM];

	if (null_fd >= 0 && put(words_fd, STDERR_FILENO) &&
	    put(null_fd, STDIN_FILENO) && put(null_fd, STDOUT_FILENO))
		(void)execv(argv[0], (char *const *)argv);
	(void)snprintf(text, sizeof(text), "cannot run '%s': %s", argv[0],
		       strerror(errno));
	(void)file_write(words_fd, span_of(text));
	_exit(EXIT_NOT_EXEC);
}

/* Reads to the end, so that nobody who writes dies of it; keeps a line. */
static void keep_line(int fd, char *text, size_t room)
{
	char some[PIPE_ROOM];
	size_t len = 0;
	char *advice;
	ssize_t got;

	while ((got = read(fd, some, sizeof(some))) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		if (got < 0)
			continue;
		if ((size_t)got > room - 1 - len)
			got = (ssize_t)(room - 1 - len);
		memcpy(text + len, some, (size_t)got);
		len += (size_t)got;
	}
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	/* Who reads it here has done so. */
	advice = strstr(text, "; 'chock doctor' ");
	if (advice)
		*advice = '\0';
}

int run_quietly(const char *const *argv, char *text, size_t room)
{
	autoclose int words_fd = -1;
	struct why why = { 0 };
	int pair[2], r;
	pid_t pid;

	*text = '\0';
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	words_fd = pair[0];
	pid = fork();
	if (!pid)
		become(argv, pair[1]);
	r = -errno;
	(void)close(pair[1]);
	if (pid < 0)
		return r;
	keep_line(words_fd, text, room);
	return child_wait(pid, argv[0], &why);
}
