/* SPDX-License-Identifier: ISC */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "tap.h"

#define SEEN_ROOM 4096
#define WIPED "\r\033[K"

static int keys = -1; /* the side of who looks */
static int line = -1; /* the side of who draws, which controls us */
static char seen[SEEN_ROOM];

/* A terminal of our own, in whose foreground we are. */
static bool open_terminal(void)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 40 };

	keys = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (keys < 0 || grantpt(keys) < 0 || unlockpt(keys) < 0 || setsid() < 0)
		return false;
	line = open(ptsname(keys), O_RDWR | O_CLOEXEC);
	return line >= 0 && !ioctl(keys, TIOCSWINSZ, &size) &&
	       tcgetpgrp(line) == getpgrp();
}

/* What was drawn since the last look; a terminal has it at once. */
static const char *look(void)
{
	size_t len = 0;
	ssize_t got;

	while ((got = read(keys, seen + len, sizeof(seen) - 1 - len)) > 0)
		len += (size_t)got;
	seen[len] = '\0';
	return seen;
}

static bool is_drawn(const char *text)
{
	return !strcmp(look(), text);
}

static int64_t count_drawn(void)
{
	const char *at = look();
	int64_t count = 0;

	while ((at = strstr(at, WIPED))) {
		count++;
		at += strlen(WIPED);
	}
	return count;
}

static void open_after(const char *after)
{
	(void)setenv("TERM", "xterm", 1);
	if (after)
		(void)setenv(PROGRESS_VARIABLE, after, 1);
	else
		(void)unsetenv(PROGRESS_VARIABLE);
	progress_open(line, "test");
}

static void a_step_is_drawn_and_its_end_wipes_it(void)
{
	struct progress progress = { 0 };

	open_after("0");
	ok(progress_is_open(), "a terminal is shown something");
	progress_begin(&progress, "working");
	ok(is_drawn(""), "what begins draws nothing");
	progress_step();
	ok(is_drawn(WIPED "test: working: 1 file"), "a step does");
	progress_end(&progress);
	ok(is_drawn(WIPED), "the end wipes it");
	progress_end(&progress);
	progress_step();
	progress_look();
	ok(is_drawn(""), "and nothing comes behind it");
}

static void it_is_redrawn_no_more_often_than_a_person_reads(void)
{
	autoprogress struct progress progress = { 0 };
	int64_t began;
	int i;

	progress_begin(&progress, "working");
	began = clock_ms();
	for (i = 0; i < 10; i++)
		progress_step();
	ok(count_drawn() <= 1 + (clock_ms() - began) / PROGRESS_EVERY_MS,
	   "ten steps are one line");
	ok(progress_wait_ms() >= 0 && progress_wait_ms() <= PROGRESS_EVERY_MS,
	   "the next one has a time");
	(void)poll(NULL, 0, progress_wait_ms() + 1);
	progress_look();
	ok(strstr(look(), WIPED "test: working: 10 files"),
	   "and is of them all");
	progress_end(&progress);
	(void)look();
}

static void count(struct progress *progress, int fd)
{
	progress->done = (uint64_t)fd;
	progress->all = 100000;
}

static void count_one(struct progress *progress, int fd)
{
	progress->done = (uint64_t)fd;
	progress->all = 1;
}

static void it_tells_of_how_many(void)
{
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "working");
	progress_ask(count, 12345);
	progress_look();
	ok(is_drawn(WIPED "test: working: 12345 of 100000 files"),
	   "who knows is asked");
	progress_ask(count_one, 1);
	progress_wipe();
	(void)look();
	progress_look();
	ok(is_drawn(WIPED "test: working: 1 of 1 file"), "of one, too");
	progress_ask(NULL, -1);
	progress_end(&progress);
	(void)look();
}

static void it_is_one_line_of_the_terminal(void)
{
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "a thing with words for more than a line");
	progress_step();
	ok(strlen(look()) == strlen(WIPED) + 39, "a long one is cut");
	progress_end(&progress);
	(void)look();
}

static void what_is_outside_goes_on(void)
{
	struct progress outer = { 0 };
	struct progress inner = { 0 };

	progress_begin(&outer, "outside");
	progress_begin(&inner, "inside");
	progress_step();
	ok(is_drawn(WIPED "test: inside: 1 file"), "the innermost is shown");
	progress_end(&inner);
	progress_step();
	ok(is_drawn(WIPED WIPED "test: outside: 1 file"),
	   "then what it is a part of");
	progress_wipe();
	progress_wipe();
	ok(is_drawn(WIPED), "a line is wiped once");
	progress_end(&outer);
	ok(is_drawn(""), "and not again");
}

static void nobody_is_shown_what_is_not_wanted(void)
{
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "working");
	open_after(NULL);
	progress_step();
	ok(is_drawn("") && progress_wait_ms() > PROGRESS_AFTER_MS / 2,
	   "nothing of less than a second");
	open_after("some");
	progress_step();
	ok(is_drawn("") && progress_wait_ms() > PROGRESS_AFTER_MS / 2,
	   "no number is no time");
	open_after("3600000");
	progress_step();
	ok(is_drawn("") && progress_wait_ms() > PROGRESS_AFTER_MAX / 2,
	   "an hour is one");
	open_after("3600001");
	progress_step();
	ok(is_drawn("") && progress_wait_ms() <= PROGRESS_AFTER_MS,
	   "and more than that none");
	open_after(PROGRESS_NEVER);
	ok(!progress_is_open() && progress_wait_ms() == -1, "never is never");
	(void)unsetenv(PROGRESS_VARIABLE);
	(void)setenv("TERM", "dumb", 1);
	progress_open(line, "test");
	ok(!progress_is_open(),
	   "nothing for a terminal that knows no sequences");
	(void)unsetenv("TERM");
	progress_open(line, "test");
	ok(!progress_is_open(), "nor for one that nobody knows");
	(void)setenv("TERM", "xterm", 1);
}

static void a_pipe_gets_nothing(void)
{
	autoprogress struct progress progress = { 0 };
	int pair[2];
	char byte;

	if (pipe2(pair, O_NONBLOCK | O_CLOEXEC) < 0)
		return;
	(void)setenv(PROGRESS_VARIABLE, "0", 1);
	progress_open(pair[1], "test");
	progress_begin(&progress, "working");
	progress_step();
	progress_wait_fd(pair[0]);
	progress_wait_pid(getpid());
	progress_end(&progress);
	ok(read(pair[0], &byte, 1) < 0, "a pipe gets nothing");
	(void)close(pair[0]);
	(void)close(pair[1]);
}

/* In a child whose group is not that of the foreground. */
static void the_background_draws_nothing(void)
{
	const pid_t pid = fork();

	if (!pid) {
		autoprogress struct progress progress = { 0 };

		(void)setpgid(0, 0);
		open_after("0");
		progress_begin(&progress, "working");
		progress_step();
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
	ok(is_drawn(""), "the background draws nothing");
}

static void a_signal_that_ends_us_wipes_it(void)
{
	const pid_t pid = fork();
	int status = 0;

	if (!pid) {
		struct progress progress = { 0 };

		open_after("0");
		progress_begin(&progress, "working");
		progress_step();
		(void)raise(SIGTERM);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
	   "a signal ends us as it would");
	ok(is_drawn(WIPED "test: working: 1 file" WIPED), "and wipes the line");
}

static void a_child_is_waited_for(void)
{
	autoprogress struct progress progress = { 0 };
	int pair[2];
	char byte = 0;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (!pid) {
		/* Until the line is there. */
		struct pollfd drawn = { keys, POLLIN, 0 };

		(void)poll(&drawn, 1, 20000);
		if (write(pair[1], "x", 1) < 0)
			_exit(1);
		_exit(0);
	}
	open_after("1");
	progress_begin(&progress, "waiting");
	progress_wait_fd(pair[0]);
	ok(read(pair[0], &byte, 1) == 1, "what was waited for is there");
	progress_wait_pid(pid);
	ok(waitpid(pid, NULL, WNOHANG) == pid, "a child that ended is, too");
	ok(!strncmp(look(), WIPED "test: waiting: 0 s",
		    strlen(WIPED "test: waiting: 0 s")),
	   "without a number the time is told");
	progress_end(&progress);
	(void)look();
	(void)close(pair[0]);
	(void)close(pair[1]);
}

static int run(void)
{
	if (!open_terminal()) {
		ok(false, "there is a terminal");
		return tap_end();
	}
	a_step_is_drawn_and_its_end_wipes_it();
	it_is_redrawn_no_more_often_than_a_person_reads();
	it_tells_of_how_many();
	it_is_one_line_of_the_terminal();
	what_is_outside_goes_on();
	nobody_is_shown_what_is_not_wanted();
	a_pipe_gets_nothing();
	the_background_draws_nothing();
	a_signal_that_ends_us_wipes_it();
	a_child_is_waited_for();
	return tap_end();
}

/* Only who leads no group can begin a session. */
int main(void)
{
	const pid_t pid = fork();
	int status = 0;

	(void)fflush(stdout);
	if (!pid)
		exit(run());
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
