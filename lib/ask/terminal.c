/* SPDX-License-Identifier: ISC */
#include "ask/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

/* The keys that this mode hands over as bytes. */
enum key {
	KEY_BREAK = 3,     /* Ctrl-C */
	KEY_END = 4,       /* Ctrl-D */
	KEY_BACKSPACE = 8, /* Ctrl-H */
	KEY_RETURN = 13,   /* Return; ICRNL makes it a newline mostly */
	KEY_ERASE = 21,    /* Ctrl-U */
	KEY_QUIT = 28,     /* Ctrl-\ */
	KEY_DELETE = 127,  /* Backspace on most keyboards */
};

/* Apart from the objects, for a handler of signals has to reach it. */
static struct {
	struct termios settings;
	volatile sig_atomic_t fd; /* borrowed; -1 while nothing is changed */
} saved = { .fd = -1 };

void terminal_restore(void)
{
	int fd = saved.fd;

	if (fd < 0)
		return;
	(void)tcsetattr(fd, TCSANOW, &saved.settings);
	saved.fd = -1;
}

/* Each key at once, none echoed, none a signal; newlines as usual. */
static int change_settings(int fd)
{
	struct termios settings;

	if (tcgetattr(fd, &saved.settings) < 0)
		return -errno;
	settings = saved.settings;
	settings.c_iflag &= ~(tcflag_t)(IGNCR | INLCR | ISTRIP | IXON | IXOFF);
	settings.c_iflag |= ICRNL;
	settings.c_oflag |= OPOST | ONLCR;
	settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	saved.fd = fd;
	if (tcsetattr(fd, TCSANOW, &settings) < 0) {
		saved.fd = -1;
		return -errno;
	}
	return 0;
}

/*
 * What a program before us may have left is put back: the other screen,
 * margins, origin, insertion, no wrapping, other characters, an attribute.
 * With margins of three lines that stay, a question scrolls by below one that
 * somebody drew.  Nothing stands beneath ours.  The sequences are those of
 * xterm's ctlseqs; ?1049 would put the cursor where that program had saved it.
 */
static const char plain_screen[] = "\033[?47l"  /* the usual screen */
				   "\033[!p"    /* DECSTR, soft reset */
				   "\0337"      /* what follows goes home */
				   "\033[?69l"  /* no margins at the sides */
				   "\033[?6l"   /* no origin in margins */
				   "\033[r"     /* no margins */
				   "\0338"      /* back */
				   "\033[4l"    /* no insertion */
				   "\033[?7h"   /* wrap long lines */
				   "\033(B\017" /* ASCII */
				   "\033[0m"    /* no attribute */
				   "\033[?25h"  /* a cursor */
				   "\r\n"
				   "\033#5"  /* a line of plain width */
				   "\033[J"; /* and nothing beneath */

/* Whether the terminal is one of those that know such sequences. */
static bool has_sequences(void)
{
	const char *kind = getenv("TERM");

	return kind && *kind && strcmp(kind, "dumb") != 0 &&
	       strcmp(kind, "unknown") != 0;
}

int terminal_open(struct terminal *terminal)
{
	struct winsize size;
	int fd;

	*terminal = TERMINAL_NONE;
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (signal(SIGTTIN, SIG_IGN) == SIG_ERR ||
	    signal(SIGTTOU, SIG_IGN) == SIG_ERR) {
		int errnum = errno;

		(void)close(fd);
		return -errnum;
	}
	terminal->fd = fd;
	terminal->group = getpgrp();
	/* Who held the terminal before may have called it wider than it is. */
	terminal->columns = TERMINAL_COLUMNS;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col &&
	    size.ws_col < TERMINAL_COLUMNS)
		terminal->columns = size.ws_col;
	return 0;
}

void terminal_close(struct terminal *terminal)
{
	if (terminal->fd >= 0) {
		terminal_restore();
		(void)close(terminal->fd);
	}
	*terminal = TERMINAL_NONE;
}

/* Waits until @fd is ready for @events; REPLY_LINE when it is. */
static enum reply wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd ready = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = deadline ? deadline - clock_ms() : -1;
		int r;

		if (deadline && left <= 0)
			return REPLY_LATE;
		if (left > INT32_MAX)
			left = INT32_MAX;
		r = poll(&ready, 1, (int)left);
		if (r > 0)
			return ready.revents & events ? REPLY_LINE : REPLY_GONE;
		if (r < 0 && errno != EINTR)
			return REPLY_GONE;
	}
}

static enum reply show(int fd, struct span text, int64_t deadline)
{
	while (text.len) {
		ssize_t put = write(fd, text.data, text.len);
		enum reply reply;

		if (put > 0) {
			text = span_from(text, (size_t)put);
			continue;
		}
		if (put < 0 && errno != EAGAIN && errno != EINTR)
			return REPLY_GONE;
		reply = wait_for(fd, POLLOUT, deadline);
		if (reply != REPLY_LINE)
			return reply;
	}
	return REPLY_LINE;
}

bool terminal_said_yes(const struct terminal *terminal)
{
	return !strcasecmp(terminal->answer, "y") ||
	       !strcasecmp(terminal->answer, "yes");
}

void terminal_say(struct terminal *terminal, const char *text)
{
	while (write(terminal->fd, text, strlen(text)) < 0 && errno == EINTR)
		continue;
}

/* The next byte that was typed. */
static enum reply next_key(int fd, unsigned char *key, int64_t deadline)
{
	for (;;) {
		enum reply reply = wait_for(fd, POLLIN, deadline);
		ssize_t got;

		if (reply != REPLY_LINE)
			return reply;
		got = read(fd, key, 1);
		if (got > 0)
			return REPLY_LINE;
		if (!got || (errno != EAGAIN && errno != EINTR))
			return REPLY_GONE;
	}
}

static void erase(struct terminal *terminal, size_t *len, size_t count)
{
	for (; *len && count; (*len)--, count--)
		terminal_say(terminal, "\b \b");
}

/*
 * Puts @key behind the answer.  What we cannot show keeps its place in it, so
 * that an arrow key in front of "y" does not make it a yes.
 */
static void take(struct terminal *terminal, size_t *len, unsigned char key)
{
	char shown[2] = { key < ' ' || key > '~' ? '?' : (char)key, '\0' };

	if (*len == TERMINAL_ANSWER_MAX)
		return;
	terminal->answer[(*len)++] = shown[0];
	terminal_say(terminal, shown);
}

static enum reply read_answer(struct terminal *terminal, int64_t deadline)
{
	size_t len = 0;

	for (;;) {
		unsigned char key;
		enum reply reply = next_key(terminal->fd, &key, deadline);

		if (reply != REPLY_LINE)
			return reply;
		terminal->answer[len] = '\0';
		switch (key) {
		case '\n':
		case KEY_RETURN:
			return REPLY_LINE;
		case KEY_BREAK:
		case KEY_END:
		case KEY_QUIT:
			return REPLY_BREAK;
		case KEY_BACKSPACE:
		case KEY_DELETE:
			erase(terminal, &len, 1);
			break;
		case KEY_ERASE:
			erase(terminal, &len, len);
			break;
		default:
			take(terminal, &len, key);
		}
	}
}

enum reply terminal_ask(struct terminal *terminal, struct span question,
			struct span prompt, unsigned int seconds)
{
	int64_t deadline = seconds ? clock_ms() + (int64_t)seconds * 1000 : 0;
	enum reply reply;

	if (terminal->fd < 0)
		return REPLY_GONE;
	terminal->answer[0] = '\0';
	if (tcgetpgrp(terminal->fd) != terminal->group)
		return REPLY_BACKGROUND;
	if (change_settings(terminal->fd) < 0)
		return REPLY_GONE;
	reply = REPLY_LINE;
	if (has_sequences())
		reply = show(terminal->fd, span_of(plain_screen), deadline);
	if (reply == REPLY_LINE)
		reply = show(terminal->fd, question, deadline);
	/* Only now: a person cannot have meant a question that they had not
	 * seen, and a program that can write to the terminal's input must not
	 * answer ahead.  Before the prompt, so that who waits for that can
	 * answer as fast as they like. */
	if (reply == REPLY_LINE && tcflush(terminal->fd, TCIFLUSH) < 0)
		reply = REPLY_GONE;
	if (reply == REPLY_LINE)
		reply = show(terminal->fd, prompt, deadline);
	if (reply == REPLY_LINE)
		reply = read_answer(terminal, deadline);
	terminal_say(terminal, "\n");
	terminal_restore();
	return reply;
}

int terminal_confirm(struct span question, struct span prompt)
{
	autoterminal struct terminal terminal = TERMINAL_NONE;
	const int r = terminal_open(&terminal);

	if (r < 0)
		return r;
	return terminal_ask(&terminal, question, prompt, 0) == REPLY_LINE &&
	       terminal_said_yes(&terminal);
}
