/* SPDX-License-Identifier: ISC */
/*
 * act - one system call, alone or on what was opened for it
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"
#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"
#include "base/span.h"
#include "confine/seccomp.h"

#define CALLS_MAX 1024
#define PAGE 4096
#define BYTES_MAX (2 * PAGE) /* of all the x:HEX of one call, and behind them */

uint64_t act_number(const char *word)
{
	uint64_t value;

	if (!word)
		die(EXIT_MISUSE, "a number is missing");
	if (!strcmp(word, "-1"))
		return UINT64_MAX;
	if (num_read(&value, span_of(word), UINT64_MAX) < 0)
		die(EXIT_MISUSE, "'%s' is no number", word);
	return value;
}

static unsigned int digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *found = c ? strchr(digits, c) : NULL;

	if (!found)
		die(EXIT_MISUSE, "'%c' is no hexadecimal digit", c);
	return (unsigned int)(found - digits);
}

/* The bytes that @hex spells, at an address that suits every struct. */
static uint64_t bytes(const char *hex)
{
	static uint8_t room[BYTES_MAX] __attribute__((aligned(16)));
	static size_t used;
	size_t start = (used + 15) & ~(size_t)15;

	for (used = start; *hex; hex += 2) {
		if (used == sizeof(room))
			die(EXIT_MISUSE, "too many bytes");
		room[used++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	}
	return (uintptr_t)(room + start);
}

static uint64_t argument(const char *word, int fd)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));

	if (!strcmp(word, "page"))
		return (uintptr_t)page;
	if (!strcmp(word, "here"))
		return (uint64_t)AT_FDCWD;
	if (!strcmp(word, "fd") && fd >= 0)
		return (uint64_t)fd;
	if (span_starts(span_of(word), "s:"))
		return (uintptr_t)(word + 2);
	if (span_starts(span_of(word), "x:"))
		return bytes(word + 2);
	return act_number(word);
}

long act_call_number(const char *name)
{
	const char *known;
	int i;

	for (i = 0; i < CALLS_MAX; i++) {
		known = seccomp_call_name(i);
		if (known && !strcmp(known, name))
			return i;
	}
	return (long)act_number(name);
}

static bool call(char **words, int fd)
{
	uint64_t args[6] = { 0 };
	size_t i;
	long nr, r;

	if (!words[0])
		die(EXIT_MISUSE, "which call?");
	nr = act_call_number(words[0]);
	for (i = 0; i < 6 && words[i + 1]; i++)
		args[i] = argument(words[i + 1], fd);
	r = syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
	if (nr == SYS_clone) {
		if (!r)
			_exit(0);
		if (r > 0)
			(void)waitpid((pid_t)r, NULL, __WALL);
	}
	return r >= 0 || r < -4095;
}

bool act_call(char **words)
{
	return call(words, -1);
}

bool act_on(char **words)
{
	int fd;

	if (!words[0] || !words[1])
		die(EXIT_MISUSE, "on which file, and how open?");
	fd = open(words[0], (int)act_number(words[1]) | O_CLOEXEC);
	if (fd < 0)
		unmeasured("cannot open it");
	return call(words + 2, fd);
}

bool act_on_socket(char **words)
{
	int fd;

	if (!words[0] || !words[1] || !words[2])
		die(EXIT_MISUSE, "which family, type and protocol?");
	fd = socket((int)act_number(words[0]),
		    (int)act_number(words[1]) | SOCK_CLOEXEC,
		    (int)act_number(words[2]));
	if (fd < 0)
		unmeasured("cannot make the socket");
	return call(words + 3, fd);
}
