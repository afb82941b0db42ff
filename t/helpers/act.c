/* SPDX-License-Identifier: ISC */
/*
 * act - do one thing, and say how it went
 *
 *	act [self] ACT [WORD...]
 *
 * Prints "ok" and exits 0, or the name of the errno and exits 1.  With `self`
 * in front it holds itself to confine_self() first.  The acts:
 *
 *	landlock-abi             print it; ENOSYS where there is none
 *	call NAME [ARGUMENT...]  a system call, by name or number
 *	connect SOCKET...        to tcp PORT, udp PORT, unix PATH, abstract NAME
 *	bind SOCKET...           the same
 *	serve SOCKET...          listen, print "ready", wait for the end of input
 *	exec-memfd HOW           a program in memory, by `fd` or by `proc`
 *	foreign HOW              getpid by `i386` or `x32` numbers
 *	forks COUNT              that many children at once
 *	write-file PATH BYTES    that many, in a new file
 *
 * An argument of a call is a number; `s:TEXT`, a string; `page`, 4096 bytes of
 * memory that can be read and written; `-1`.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "sandbox/landlock.h"
#include "sandbox/seccomp.h"
#include "sandbox/self.h"

#define CALLS_MAX 1024
#define PAGE 4096

static uint64_t number(const char *word)
{
	uint64_t value;

	if (!strcmp(word, "-1"))
		return UINT64_MAX;
	if (num_read(&value, span_of(word), UINT64_MAX) < 0)
		die(EXIT_MISUSE, "'%s' is no number", word);
	return value;
}

static uint64_t argument(const char *word)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));

	if (!strcmp(word, "page"))
		return (uintptr_t)page;
	if (span_starts(span_of(word), "s:"))
		return (uintptr_t)(word + 2);
	return number(word);
}

static long call_number(const char *name)
{
	const char *known;
	int i;

	for (i = 0; i < CALLS_MAX; i++) {
		known = seccomp_call_name(i);
		if (known && !strcmp(known, name))
			return i;
	}
	return (long)number(name);
}

static bool act_landlock_abi(char **words)
{
	(void)words;
	if (!landlock_abi()) {
		errno = ENOSYS;
		return false;
	}
	printf("%d\n", landlock_abi());
	exit(fflush(stdout) == 0 ? EXIT_ALLOW : EXIT_SYSTEM);
}

static bool act_call(char **words)
{
	uint64_t args[6] = { 0 };
	size_t i;
	long nr = call_number(words[0]);
	long r;

	for (i = 0; i < 6 && words[i + 1]; i++)
		args[i] = argument(words[i + 1]);
	r = syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
	if (nr == SYS_clone) {
		if (!r)
			_exit(0);
		if (r > 0)
			(void)waitpid((pid_t)r, NULL, __WALL);
	}
	return r >= 0 || r < -4095;
}

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_un un;
	} u;
	socklen_t len;
	int type;
};

static struct address address(const char *kind, const char *where)
{
	struct address a = { .type = SOCK_STREAM };
	size_t len = strlen(where);
	bool abstract = !strcmp(kind, "abstract");

	if (!strcmp(kind, "tcp") || !strcmp(kind, "udp")) {
		a.type = *kind == 't' ? SOCK_STREAM : SOCK_DGRAM;
		a.u.in.sin_family = AF_INET;
		a.u.in.sin_port = htons((uint16_t)number(where));
		a.u.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		a.len = sizeof(a.u.in);
		return a;
	}
	if (len + 1 >= sizeof(a.u.un.sun_path))
		die(EXIT_MISUSE, "'%s' is too long", where);
	a.u.un.sun_family = AF_UNIX;
	memcpy(a.u.un.sun_path + abstract, where, len);
	a.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	return a;
}

static bool with_socket(char **words,
			int (*act)(int, const struct sockaddr *, socklen_t))
{
	struct address a;
	int fd;

	if (!words[0] || !words[1])
		die(EXIT_MISUSE, "which socket?");
	a = address(words[0], words[1]);
	fd = socket(a.u.any.sa_family, a.type | SOCK_CLOEXEC, 0);
	return fd >= 0 && act(fd, &a.u.any, a.len) == 0;
}

static bool act_connect(char **words)
{
	return with_socket(words, connect);
}

static bool act_bind(char **words)
{
	return with_socket(words, bind);
}

static int serve(int fd, const struct sockaddr *any, socklen_t len)
{
	char byte;

	if (bind(fd, any, len) < 0 || listen(fd, 8) < 0)
		return -1;
	printf("ready\n");
	if (fflush(stdout) != 0)
		return -1;
	return read(STDIN_FILENO, &byte, 1) < 0 ? -1 : 0;
}

static bool act_serve(char **words)
{
	return with_socket(words, serve);
}

/* A copy of true(1) in memory; it prints nothing, so the "ok" is ours. */
static bool act_exec_memfd(char **words)
{
	static char *const argv[] = { (char *)"true", NULL };
	static char *const env[] = { NULL };
	int fd = memfd_create("true", 0);
	int from = open("/bin/true", O_RDONLY | O_CLOEXEC);
	char path[64], bytes[PAGE];
	ssize_t got;

	if (fd < 0 || from < 0)
		return false;
	while ((got = read(from, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)got) != got)
			return false;
	if (words[0] && !strcmp(words[0], "fd")) {
		(void)syscall(SYS_execveat, fd, "", argv, env, AT_EMPTY_PATH);
		return false;
	}
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	(void)execve(path, argv, env);
	return false;
}

static bool act_foreign(char **words)
{
#ifdef __x86_64__
	long r = 20; /* getpid of i386 */

	if (words[0] && !strcmp(words[0], "i386"))
		__asm__ volatile("int $0x80"
				 : "+a"(r)
				 :
				 : "memory", "r8", "r9", "r10", "r11");
	else
		r = syscall(0x40000000 | SYS_getpid);
	if (r >= 0)
		return true;
	errno = r < -1 ? (int)-r : errno;
#else
	(void)words;
	errno = ENOSYS;
#endif
	return false;
}

/* Each waits on a pipe that closes when the last of us is gone. */
static bool act_forks(char **words)
{
	uint64_t count = number(words[0]);
	int pair[2], failed = 0;
	char byte;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return false;
	while (count-- && !failed) {
		pid = fork();
		if (!pid) {
			(void)close(pair[1]);
			_exit(read(pair[0], &byte, 1) == 0 ? 0 : 1);
		}
		failed = pid < 0 ? errno : 0;
	}
	(void)close(pair[1]);
	while (wait(NULL) > 0)
		continue;
	errno = failed;
	return !failed;
}

static bool act_write_file(char **words)
{
	static char bytes[1 << 16];
	uint64_t left;
	ssize_t done;
	int fd;

	if (!words[0] || !words[1])
		die(EXIT_MISUSE, "which file, and how much?");
	left = number(words[1]);
	(void)signal(SIGXFSZ, SIG_IGN);
	fd = open(words[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	while (left) {
		done = write(fd, bytes,
			     left < sizeof(bytes) ? left : sizeof(bytes));
		if (done < 0)
			return false;
		left -= (uint64_t)done;
	}
	return true;
}

static const struct act {
	const char *name;
	bool (*act)(char **words);
} acts[] = {
	{ "landlock-abi", act_landlock_abi },
	{ "call", act_call },
	{ "connect", act_connect },
	{ "bind", act_bind },
	{ "serve", act_serve },
	{ "exec-memfd", act_exec_memfd },
	{ "foreign", act_foreign },
	{ "forks", act_forks },
	{ "write-file", act_write_file },
};

static const struct act *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (!strcmp(acts[i].name, name))
			return &acts[i];
	die(EXIT_MISUSE, "no act '%s'", name);
}

static int say(bool done)
{
	const char *name = done ? "ok" : strerrorname_np(errno);

	printf("%s\n", name ? name : "unknown errno");
	if (fflush(stdout) != 0)
		return EXIT_SYSTEM;
	return done ? EXIT_ALLOW : EXIT_DENY;
}

int main(int argc, char **argv)
{
	struct why why = { 0 };
	const struct act *act;
	bool held;

	report_name("act");
	held = argc > 1 && !strcmp(argv[1], "self");
	argv += held;
	if (argc - held < 2)
		die(EXIT_MISUSE, "usage: act [self] ACT [WORD...]");
	act = find(argv[1]);
	if (argv[1] && !argv[2] && act->act != act_landlock_abi)
		die(EXIT_MISUSE, "act '%s' needs more words", argv[1]);
	if (held && confine_self(&why) < 0)
		die_why(&why);
	return say(act->act(argv + 2));
}
