/* SPDX-License-Identifier: ISC */
/*
 * terminal - run a command on a terminal of its own, and play the person
 *
 *	terminal TRANSCRIPT STEP... -- COMMAND...
 *
 * The command gets our descriptors 0, 1 and 2 as they are, or with the step
 * `standard` in front of its start the terminal as those of them that it names;
 * otherwise the terminal is only what controls it.  All that appears on the
 * terminal goes into the file TRANSCRIPT.  The steps are taken in order:
 *
 *	type=TEXT    type TEXT; \r in it is Return, \NNN any other byte
 *	standard=N   make the terminal its descriptors N, such as 012
 *	start        start the command (left out: before the first step)
 *	see=TEXT     wait until TEXT appears behind what was seen last
 *	paste=FILE   type all of FILE, as fast as it is taken
 *	size=ROWxCOL have the terminal another size
 *	raw          wait until the terminal has other settings than before
 *	restored     wait until it has the same again
 *	hangup       close the terminal
 *	kill=N       send the command signal N
 *	sh=SCRIPT    run SCRIPT elsewhere, without a terminal, to its end
 *	stop         make the terminal take no more output
 *	go           make it take output again
 *
 * Ends with the command's status; 128 + N if signal N ended it; 97 if a script
 * failed; 98 if a text did not appear; 99 if the terminal was left with other
 * settings.
 */

#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define SEEN_MAX (1 << 20)
#define PATIENCE 20000 /* milliseconds that any one step may take */

static int keys = -1;   /* the person's side */
static int screen = -1; /* the program's side, so that it stays open */
static int transcript;
static pid_t command;
static char seen[SEEN_MAX + 1];
static size_t seen_len;
static size_t looked_at;
static struct termios before;
static const char *standard = "";

static void open_terminal(void)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	keys = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (keys < 0 || grantpt(keys) < 0 || unlockpt(keys) < 0)
		err(111, "cannot make a terminal");
	screen = open(ptsname(keys), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (screen < 0 || ioctl(screen, TIOCSWINSZ, &size) < 0)
		err(111, "cannot open the terminal");
}

static void start(char **argv)
{
	command = fork();
	if (command < 0)
		err(111, "cannot fork");
	if (command)
		return;
	/* Who runs tests in the background has these ignored. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (setsid() < 0 || ioctl(screen, TIOCSCTTY, 0) < 0)
		err(111, "cannot take the terminal");
	for (; *standard; standard++)
		if (dup2(screen, *standard - '0') < 0)
			err(111, "cannot give it the terminal");
	execvp(argv[0], argv);
	err(127, "cannot run '%s'", argv[0]);
}

/* Takes what is on the screen; false at its end or after @patience. */
static bool take(int patience)
{
	struct pollfd ready = { .fd = keys, .events = POLLIN };
	ssize_t got;

	if (poll(&ready, 1, patience) <= 0)
		return false;
	if (seen_len == SEEN_MAX) {
		memmove(seen, seen + SEEN_MAX / 2, SEEN_MAX / 2);
		seen_len -= SEEN_MAX / 2;
		looked_at -= looked_at < SEEN_MAX / 2 ? looked_at
						      : SEEN_MAX / 2;
	}
	got = read(keys, seen + seen_len, SEEN_MAX - seen_len);
	if (got <= 0)
		return false;
	if (write(transcript, seen + seen_len, (size_t)got) != got)
		err(111, "cannot write the transcript");
	seen_len += (size_t)got;
	return true;
}

static void see(const char *text)
{
	char *found;

	for (;;) {
		found = memmem(seen + looked_at, seen_len - looked_at, text,
			       strlen(text));
		if (found)
			break;
		if (!take(PATIENCE)) {
			kill(command, SIGKILL);
			errx(98, "did not see '%s'", text);
		}
	}
	looked_at = (size_t)(found - seen) + strlen(text);
}

/* In one write, so that what is typed ahead is there before it is read. */
static void type(const char *text)
{
	char bytes[256];
	size_t len = 0;
	char *end;

	for (; *text && len < sizeof(bytes); text++) {
		bytes[len] = *text;
		if (*text == '\\' && text[1] == 'r') {
			bytes[len] = '\r';
			text++;
		} else if (*text == '\\') {
			bytes[len] = (char)strtol(text + 1, &end, 8);
			text = end - 1;
		}
		len++;
	}
	if (write(keys, bytes, len) != (ssize_t)len)
		err(111, "cannot type");
}

/* Both ways at once, as a terminal does: a person reads while they paste. */
static void paste(const char *path)
{
	struct pollfd ready = { .fd = keys, .events = POLLIN | POLLOUT };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[4096];
	ssize_t len, put;
	size_t from = 0;

	if (fd < 0 || fcntl(keys, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		err(111, "cannot paste '%s'", path);
	while ((len = pread(fd, bytes, sizeof(bytes), (off_t)from)) > 0) {
		if (poll(&ready, 1, PATIENCE) <= 0)
			errx(98, "the paste was not taken");
		if (ready.revents & POLLIN)
			take(0);
		put = write(keys, bytes, (size_t)len);
		from += put > 0 ? (size_t)put : 0;
	}
	close(fd);
	if (fcntl(keys, F_SETFL, O_RDWR) < 0)
		err(111, "cannot go on");
}

static bool are_as_before(void)
{
	struct termios now = { 0 };

	return tcgetattr(screen, &now) >= 0 &&
	       memcmp(&now, &before, sizeof(now)) == 0;
}

/* Nothing tells of a change of settings. */
static void await_settings(bool as_before)
{
	int left = PATIENCE;

	while (are_as_before() != as_before) {
		if (left-- == 0)
			errx(99, "the terminal has the wrong settings");
		poll(NULL, 0, 1);
	}
}

static void resize(const char *text)
{
	struct winsize size = { 0 };
	char *end;

	size.ws_row = (unsigned short)strtol(text, &end, 10);
	size.ws_col = (unsigned short)strtol(end + 1, NULL, 10);
	if (ioctl(keys, TIOCSWINSZ, &size) < 0)
		err(111, "cannot change the size");
}

/* Elsewhere: not in the session that has the terminal. */
static void run_script(const char *script)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setsid();
		execl("/bin/sh", "sh", "-ec", script, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		err(111, "cannot run '%s'", script);
	if (status != 0)
		errx(97, "'%s' failed", script);
}

static void step(const char *word)
{
	if (!strncmp(word, "see=", 4)) {
		see(word + 4);
	} else if (!strncmp(word, "type=", 5)) {
		type(word + 5);
	} else if (!strncmp(word, "paste=", 6)) {
		paste(word + 6);
	} else if (!strncmp(word, "sh=", 3)) {
		run_script(word + 3);
	} else if (!strncmp(word, "size=", 5)) {
		resize(word + 5);
	} else if (!strncmp(word, "standard=", 9)) {
		standard = word + 9;
	} else if (!strcmp(word, "raw")) {
		await_settings(false);
	} else if (!strcmp(word, "restored")) {
		await_settings(true);
	} else if (!strcmp(word, "go")) {
		if (tcflow(screen, TCOON) < 0)
			err(111, "cannot start the terminal");
	} else if (!strcmp(word, "hangup")) {
		close(keys);
		keys = -1;
	} else if (!strncmp(word, "kill=", 5)) {
		kill(command, atoi(word + 5));
	} else if (!strcmp(word, "stop")) {
		if (tcflow(screen, TCOOFF) < 0)
			err(111, "cannot stop the terminal");
	} else {
		errx(100, "no step '%s'", word);
	}
}

static int end(void)
{
	int status;

	if (waitpid(command, &status, 0) < 0)
		err(111, "cannot wait");
	while (keys >= 0 && take(0))
		continue;
	if (keys >= 0 && !are_as_before())
		errx(99, "the terminal was left with other settings");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int last = 2;
	int i;

	while (last < argc && strcmp(argv[last], "--") != 0)
		last++;
	if (last + 1 >= argc)
		errx(100, "usage: terminal TRANSCRIPT STEP... -- COMMAND...");
	transcript =
		open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (transcript < 0)
		err(111, "cannot open '%s'", argv[1]);
	alarm(3 * PATIENCE / 1000);
	open_terminal();
	if (tcgetattr(screen, &before) < 0)
		err(111, "cannot read the settings");
	for (i = 2; i < last && strcmp(argv[i], "start") != 0; i++)
		if (!strncmp(argv[i], "standard=", 9))
			step(argv[i]);
	if (i == last)
		start(argv + last + 1);
	for (i = 2; i < last; i++) {
		if (!strcmp(argv[i], "start"))
			start(argv + last + 1);
		else
			step(argv[i]);
	}
	return end();
}
