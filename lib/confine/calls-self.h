/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_CALLS_SELF_H
#define CHOCK_CONFINE_CALLS_SELF_H

/*
 * calls-self - what our own programs may call that read what is hostile
 *
 * Only confine/filter-lists.h includes this.
 */

#include "confine/calls.h"

/* clang-format off */

/*
 * Our own programs, after confine_self().  What libc may do of its own accord
 * and can go on without fails with EPERM; every other call can only be made
 * by somebody who took the program over, and ends it.
 */
static const struct call_row self_calls[] = {
	ROW("read write readv writev pread64 pwrite64 preadv pwritev lseek "
	    "close fstat fsync fdatasync ftruncate fallocate flock poll ppoll "
	    "select pselect6",
	    ALLOW, "works on what is open"),
	ROW_IF("newfstatat", ALLOW, "how libc spells fstat",
	       ANY(3, AT_EMPTY_PATH)),
	ROW("newfstatat stat lstat statx open openat access faccessat "
	    "faccessat2 readlink readlinkat",
	    FAIL(EPERM),
	    "libc looks for time zones, locales and settings of the kernel"),
	ROW_IF("fcntl", ALLOW, "flags", IS(1, F_GETFD)),
	ROW_IF("fcntl", ALLOW, "flags", IS(1, F_SETFD)),
	ROW_IF("fcntl", ALLOW, "flags", IS(1, F_GETFL)),
	ROW_IF("fcntl", ALLOW, "flags", IS(1, F_SETFL)),
	ROW_IF("fcntl", ALLOW, "locks", IS(1, F_GETLK)),
	ROW_IF("fcntl", ALLOW, "locks", IS(1, F_SETLK)),
	ROW_IF("fcntl", ALLOW, "locks", IS(1, F_SETLKW)),
	ROW_IF("fcntl", ALLOW, "locks", IS(1, F_OFD_GETLK)),
	ROW_IF("fcntl", ALLOW, "locks", IS(1, F_OFD_SETLK)),
	ROW_IF("fcntl", ALLOW, "locks", IS(1, F_OFD_SETLKW)),
	ROW("fcntl", FAIL(EPERM), "owners of signals, leases, seals"),
	ROW_IF("ioctl", ALLOW, "is it a terminal", IS(1, TCGETS)),
	ROW_IF("ioctl", ALLOW, "is it a terminal", IS(1, TERMIOS2_GET)),
	ROW_IF("ioctl", ALLOW, "echo and lines", IS(1, TCSETS)),
	ROW_IF("ioctl", ALLOW, "echo and lines", IS(1, TCSETSW)),
	ROW_IF("ioctl", ALLOW, "echo and lines", IS(1, TCSETSF)),
	ROW_IF("ioctl", ALLOW, "echo and lines", IS(1, TERMIOS2_SET)),
	ROW_IF("ioctl", ALLOW, "echo and lines", IS(1, TERMIOS2_SETW)),
	ROW_IF("ioctl", ALLOW, "echo and lines", IS(1, TERMIOS2_SETF)),
	ROW_IF("ioctl", ALLOW, "what was typed before", IS(1, TCFLSH)),
	ROW_IF("ioctl", ALLOW, "how wide it is", IS(1, TIOCGWINSZ)),
	ROW_IF("ioctl", ALLOW, "who is in front", IS(1, TIOCGPGRP)),
	ROW("ioctl", FAIL(ENOTTY), "no such device, as far as we go"),
	ROW_IF("mmap mprotect", KILL, "new code", ANY(2, PROT_EXEC)),
	ROW("brk mmap munmap mremap mprotect madvise", ALLOW, "memory"),
	ROW("futex sched_yield restart_syscall rt_sigaction rt_sigprocmask "
	    "rt_sigreturn sigaltstack exit exit_group",
	    ALLOW, "signals and the end"),
	ROW("time gettimeofday clock_gettime clock_getres clock_nanosleep "
	    "nanosleep getrandom",
	    ALLOW, "clocks and random numbers"),
	ROW("getpid getppid gettid getuid geteuid getgid getegid getpgrp "
	    "getpgid",
	    ALLOW, "who it is"),
	ROW("sysinfo uname getrlimit getrusage sched_getaffinity prctl "
	    "prlimit64 set_robust_list rseq getcpu",
	    FAIL(EPERM), "libc asks, to choose between ways of doing the same"),
};

/* clang-format on */

#endif /* CHOCK_CONFINE_CALLS_SELF_H */
