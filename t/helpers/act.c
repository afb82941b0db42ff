/* SPDX-License-Identifier: ISC */
/*
 * act - do one thing, and say how it went
 *
 *	act [self] ACT [WORD...]
 *
 * Its status is a contract, on which every test of an escape stands:
 *
 *	0       it got through; prints "ok"
 *	1       it was refused; prints the name of the errno
 *	signal  it was refused, with its life
 *	100     nothing was measured: the words are wrong, this machine has no
 *	        such call, or what the act is done with could not be had
 *	111     nothing was measured: nobody could be told
 *
 * So a test names the one status and errno that it expects, and a control run
 * without the layer has to end with 0, or there is nothing to refuse.  With
 * `self` in front it holds itself to confine_self() first.  The acts:
 *
 *	landlock-abi             print it; ENOSYS where there is none
 *	call NAME [ARGUMENT...]  a system call, by name or number
 *	on PATH FLAGS NAME [ARGUMENT...]
 *	                         the same with that file open
 *	on-socket FAMILY TYPE PROTOCOL NAME [ARGUMENT...]
 *	                         the same with such a socket
 *	connect SOCKET           tcp PORT, udp PORT, unix PATH, abstract NAME,
 *	                         unix-dgram PATH, abstract-dgram NAME
 *	bind SOCKET              the same
 *	serve SOCKET             listen, print "ready", wait for end of input
 *	sockets FILE             a line for each family, type, protocol there:
 *	                         the answer, or `killed`
 *	send HOW SOCKET          one datagram, by `sendto` or by `sendmsg`
 *	link-down NAME           take down a network interface
 *	interface HOW            find one that is no loopback, by `netlink` or
 *	                         by `ioctl`
 *	exec-memfd HOW           a program in memory, by `fd` or by `proc`
 *	foreign HOW              getpid by `i386` or `x32` numbers
 *	forks COUNT              that many children at once
 *	sigio PID                have it sent a SIGIO: "ok" says only that
 *	                         nobody minded, look at the process
 *	write-code FILE          into our own code, through /proc/.../mem
 *	filtered NAME [ARGUMENT...]
 *	                         a call, below a filter of ours that allows all
 *	listen NAME              be asked what becomes of that call
 *	ruled NAME [ARGUMENT...] a call, below a ruleset of ours that grants all
 *	write-file PATH BYTES    that many, in a new file
 *	keyed COMMAND...         become that, with the key `chock-act` in a new
 *	                         session keyring
 *	find-key NAME            a key of the session keyring
 *	securebits VALUE         have these, and no others: else ERANGE
 *
 * An argument of a call is a number; `s:TEXT`, a string; `x:HEX`, bytes;
 * `page`, 4096 bytes of memory that can be read and written; `-1`; `fd`, what
 * is open for it; `here`, the working directory of openat() and its like.
 */
#include "act.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/self.h"

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

static bool act_write_file(char **words)
{
	static char bytes[1 << 16];
	uint64_t left;
	ssize_t done;
	int fd;

	if (!words[0] || !words[1])
		die(EXIT_MISUSE, "which file, and how much?");
	left = act_number(words[1]);
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

void unmeasured(const char *what)
{
	die_errno(EXIT_MISUSE, "nothing measured: %s", what);
}

static const struct act {
	const char *name;
	bool (*act)(char **words);
} acts[] = {
	{ "landlock-abi", act_landlock_abi },
	{ "call", act_call },
	{ "on", act_on },
	{ "on-socket", act_on_socket },
	{ "connect", act_connect },
	{ "bind", act_bind },
	{ "serve", act_serve },
	{ "sockets", act_sockets },
	{ "send", act_send },
	{ "link-down", act_link_down },
	{ "interface", act_interface },
	{ "exec-memfd", act_exec_memfd },
	{ "foreign", act_foreign },
	{ "forks", act_forks },
	{ "sigio", act_sigio },
	{ "write-code", act_write_code },
	{ "filtered", act_filtered },
	{ "listen", act_listen },
	{ "ruled", act_ruled },
	{ "write-file", act_write_file },
	{ "keyed", act_keyed },
	{ "find-key", act_find_key },
	{ "securebits", act_securebits },
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
