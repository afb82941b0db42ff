/* SPDX-License-Identifier: ISC */
/*
 * terminal - run a command on a terminal of its own, and play the person
 *
 *	terminal TRANSCRIPT STEP... -- COMMAND...
 *
 * The command gets our descriptors 0, 1 and 2 as they are; the terminal is
 * only what controls it.  All that appears on the terminal goes into the file
 * TRANSCRIPT.  The steps are taken in order:
 *
 *	type=TEXT    type TEXT; \r in it is Return, \NNN any other byte
 *	start        start the command (left out: before the first step)
 *	see=TEXT     wait until TEXT appears behind what was seen last
 *	hangup       close the terminal
 *	kill=N       send the command signal N
 *	stop         make the terminal take no more output
 *
 * Ends with the command's status; 128 + N if signal N ended it; 98 if a text
 * did not appear; 99 if the terminal was left with other settings.
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

static void step(const char *word)
{
	if (!strncmp(word, "see=", 4)) {
		see(word + 4);
	} else if (!strncmp(word, "type=", 5)) {
		type(word + 5);
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

static int end(const struct termios *before)
{
	struct termios after;
	int status;

	if (waitpid(command, &status, 0) < 0)
		err(111, "cannot wait");
	while (keys >= 0 && take(0))
		continue;
	if (keys >= 0 && (tcgetattr(screen, &after) < 0 ||
			  memcmp(&after, before, sizeof(after)) != 0))
		errx(99, "the terminal was left with other settings");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct termios before = { 0 };
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
		continue;
	if (i == last)
		start(argv + last + 1);
	for (i = 2; i < last; i++) {
		if (!strcmp(argv[i], "start"))
			start(argv + last + 1);
		else
			step(argv[i]);
	}
	return end(&before);
}
