/* SPDX-License-Identifier: ISC */
#include "base/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/rough.h"

#define WIPE "\r\033[K"
#define LINE_ROOM 256
#define COLUMNS 80 /* of a terminal that does not say how many */

/* There is one standard error, and so one of these. */
static struct {
	int fd; /* borrowed; -1: nothing is shown */
	const char *program;
	int64_t after; /* milliseconds */
	int64_t drawn; /* when last, for the one that is the innermost */
	bool guarded;
	struct progress *inner;
} shown = { .fd = -1 };

/* Where there is a line now, for a signal to wipe; -1: there is none. */
static volatile sig_atomic_t line_fd = -1;

static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static int64_t find_after(void)
{
	const char *said = getenv(PROGRESS_VARIABLE);
	uint64_t after;

	if (!said || num_read(&after, span_of(said), PROGRESS_AFTER_MAX) < 0)
		return PROGRESS_AFTER_MS;
	return (int64_t)after;
}

static bool is_wanted(void)
{
	const char *said = getenv(PROGRESS_VARIABLE);
	const char *kind = getenv("TERM");

	return (!said || strcmp(said, PROGRESS_NEVER) != 0) && kind && *kind &&
	       strcmp(kind, "dumb") != 0 && strcmp(kind, "unknown") != 0;
}

void progress_open(int fd, const char *program)
{
	shown.fd = isatty(fd) && is_wanted() ? fd : -1;
	shown.program = program;
	shown.after = find_after();
}

bool progress_is_open(void)
{
	return shown.fd >= 0;
}

void progress_begin(struct progress *progress, const char *doing)
{
	*progress = (struct progress){ .doing = doing, .ask_fd = -1 };
	progress->outer = shown.inner;
	shown.inner = progress;
	progress_wipe();
	if (shown.fd >= 0)
		progress->began = clock_ms();
}

void progress_end(struct progress *progress)
{
	const int saved = errno;

	if (!progress->doing)
		return;
	progress_wipe();
	shown.inner = progress->outer;
	progress->doing = NULL;
	errno = saved;
}

void progress_ask(void (*ask)(struct progress *progress, int fd), int fd)
{
	if (!shown.inner)
		return;
	shown.inner->ask = ask;
	shown.inner->ask_fd = fd;
}

void progress_wipe(void)
{
	if (line_fd < 0)
		return;
	(void)file_write(line_fd, span_of(WIPE));
	line_fd = -1;
	shown.drawn = 0;
}

/* ---- the line ----------------------------------------------------------- */

/* Wiped by what ends us too; one write(2), as signal-safety(7) has it. */
static void leave(int number)
{
	const int saved = errno;

	if (line_fd >= 0 && write(line_fd, WIPE, sizeof(WIPE) - 1) < 0)
		line_fd = -1;
	errno = saved;
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

/* A signal that something else was to become of stays with that. */
static void guard(void)
{
	struct sigaction action;
	size_t i;

	if (shown.guarded)
		return;
	shown.guarded = true;
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++) {
		if (sigaction(deadly[i], NULL, &action) < 0 ||
		    action.sa_handler != SIG_DFL)
			continue;
		action = (struct sigaction){ .sa_handler = leave,
					     .sa_flags = SA_RESTART };
		(void)sigaction(deadly[i], &action, NULL);
	}
}

/* In the last column a terminal might begin another line. */
static size_t find_room(void)
{
	struct winsize size;
	size_t columns = COLUMNS;

	if (!ioctl(shown.fd, TIOCGWINSZ, &size) && size.ws_col)
		columns = size.ws_col;
	return columns < LINE_ROOM ? columns - 1 : LINE_ROOM - 1;
}

static void draw(const struct progress *p, int64_t now)
{
	char line[sizeof(WIPE) + LINE_ROOM] = WIPE;
	char *text = line + strlen(WIPE);
	const size_t room = find_room();

	if (p->all)
		(void)snprintf(
			text, room + 1, "%s: %s: %llu of %llu file%s",
			shown.program, p->doing, (unsigned long long)p->done,
			(unsigned long long)p->all, rough_plural(p->all));
	else if (p->done)
		(void)snprintf(text, room + 1, "%s: %s: %llu file%s",
			       shown.program, p->doing,
			       (unsigned long long)p->done,
			       rough_plural(p->done));
	else
		(void)snprintf(text, room + 1, "%s: %s: %llu s", shown.program,
			       p->doing,
			       (unsigned long long)(now - p->began) / 1000);
	guard();
	line_fd = shown.fd;
	(void)file_write(shown.fd, span_of(line));
}

/* When it is time to draw, on our clock. */
static int64_t next_draw(void)
{
	const int64_t first = shown.inner->began + shown.after;
	const int64_t next = shown.drawn + PROGRESS_EVERY_MS;

	return shown.drawn && next > first ? next : first;
}

void progress_look(void)
{
	struct progress *p = shown.inner;
	int64_t now;

	if (shown.fd < 0 || !p)
		return;
	now = clock_ms();
	if (now < next_draw())
		return;
	shown.drawn = now;
	/* Whoever works in the background has no line there. */
	if (tcgetpgrp(shown.fd) != getpgrp())
		return;
	if (p->ask)
		p->ask(p, p->ask_fd);
	draw(p, now);
}

void progress_step(void)
{
	if (shown.fd < 0 || !shown.inner)
		return;
	shown.inner->done++;
	progress_look();
}

/* ---- waiting ------------------------------------------------------------ */

int progress_wait_ms(void)
{
	int64_t left;

	if (shown.fd < 0 || !shown.inner)
		return -1;
	left = next_draw() - clock_ms();
	return left > 0 ? (int)left : 0;
}

void progress_wait_fd(int fd)
{
	struct pollfd ready = { fd, POLLIN, 0 };
	int r = 0;

	if (shown.fd < 0 || !shown.inner || fd < 0)
		return;
	while (!r || (r < 0 && errno == EINTR)) {
		progress_look();
		r = poll(&ready, 1, progress_wait_ms());
	}
}

/* Before Linux 5.3 there is no such descriptor, and nothing is shown. */
void progress_wait_pid(pid_t pid)
{
	autoclose int fd = -1;

	if (shown.fd < 0 || !shown.inner)
		return;
	fd = pidfd_open(pid, 0);
	progress_wait_fd(fd);
}
