/* SPDX-License-Identifier: ISC */
/*
 * act - what is done to programs, with programs, and to what holds them
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"

#define PAGE 4096

/* A copy of true(1) in memory; it prints nothing, so the "ok" is ours. */
bool act_exec_memfd(char **words)
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

bool act_foreign(char **words)
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
bool act_forks(char **words)
{
	uint64_t count = act_number(words[0]);
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

/*
 * Has the kernel send a signal for us: it looks at who asked when there is
 * something to tell, so that what became of it is to be seen at the process.
 */
bool act_sigio(char **words)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		unmeasured("no socketpair");
	if (fcntl(pair[0], F_SETOWN, (int)act_number(words[0])) < 0 ||
	    fcntl(pair[0], F_SETFL, O_ASYNC) < 0)
		return false;
	return write(pair[1], "x", 1) == 1;
}

static int nothing_of_note(void)
{
	return 0;
}

/* Code that is neither writable nor changed by it, through a file. */
bool act_write_code(char **words)
{
	autoclose int fd = open(words[0], O_RDWR | O_CLOEXEC);
	off_t where = (off_t)(uintptr_t)nothing_of_note;
	char code;

	return fd >= 0 && pread(fd, &code, 1, where) == 1 &&
	       pwrite(fd, &code, 1, where) == 1;
}

/* Answer @answer to the call @nr, and allow all others. */
static int filter(unsigned int flags, uint32_t nr, uint32_t answer)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = rows };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		unmeasured("cannot give up privileges");
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
			    &program);
}

/* A filter that allows everything is no way out of one that does not. */
bool act_filtered(char **words)
{
	if (filter(0, 0, SECCOMP_RET_ALLOW) < 0)
		unmeasured("cannot load a filter");
	return act_call(words);
}

/* Who listens to a call could tell the kernel to go on with it. */
bool act_listen(char **words)
{
	return filter(SECCOMP_FILTER_FLAG_NEW_LISTENER,
		      (uint32_t)act_call_number(words[0]),
		      SECCOMP_RET_USER_NOTIF) >= 0;
}

/* A ruleset that grants all that is below the root, and then a call. */
bool act_ruled(char **words)
{
	struct landlock_ruleset_attr all = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE |
				     LANDLOCK_ACCESS_FS_WRITE_FILE
	};
	struct landlock_path_beneath_attr root = {
		.allowed_access = all.handled_access_fs,
		.parent_fd = open("/", O_PATH | O_CLOEXEC),
	};
	int fd =
		(int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH,
		    &root, 0) < 0 ||
	    syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		unmeasured("cannot make a ruleset");
	return act_call(words);
}

/* A key in a session keyring of our own, which a command then has. */
bool act_keyed(char **words)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
	    syscall(SYS_add_key, "user", "chock-act", "secret", 6,
		    KEY_SPEC_SESSION_KEYRING) < 0)
		unmeasured("no keyrings");
	(void)execvp(words[0], words);
	return false;
}

bool act_find_key(char **words)
{
	return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING,
		       "user", words[0], 0) >= 0;
}

bool act_securebits(char **words)
{
	int bits = prctl(PR_GET_SECUREBITS);

	if (bits < 0 || !words[0])
		unmeasured("nothing to compare");
	errno = ERANGE;
	return (uint64_t)bits == act_number(words[0]);
}
