/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_CALLS_STRICT_H
#define CHOCK_CONFINE_CALLS_STRICT_H

/*
 * calls-strict - what programs need that build and test, and nothing else
 *
 * The allowlist of `syscalls strict`.  What confine/calls.h allows, with its
 * conditions, stays allowed for the calls that are named here; for all others
 * it allows the answer is ENOSYS, as on a kernel without them, and what it
 * refuses or kills for it still does.  A call that is new there is therefore
 * not in strict mode until somebody puts it here.
 *
 * Left out, for no shell, compiler, interpreter or git needs them: asynchronous
 * input and output in the kernel (io_setup), System V's and POSIX's queues and
 * semaphores, memory policies of NUMA, protection keys, vmsplice and its kin,
 * memfd_create, execveat, scheduling but for niceness, file handles, fanotify,
 * statmount, and filters or rulesets of a program's own.
 *
 * Only confine/gen-names.c includes this; t/data/calls-strict says the same
 * a second time.
 */

static const char *const strict_calls[] = {
	"read write readv writev pread64 pwrite64 preadv pwritev preadv2 "
	"pwritev2 lseek sendfile copy_file_range",
	"open openat creat close close_range dup dup2 dup3 pipe pipe2 fcntl "
	"flock ioctl",
	"stat fstat lstat newfstatat statx statfs fstatfs access faccessat "
	"faccessat2 readlink readlinkat getdents getdents64 getcwd chdir "
	"fchdir getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
	"inotify_init inotify_init1 inotify_add_watch inotify_rm_watch",
	"truncate ftruncate rename renameat renameat2 mkdir mkdirat rmdir link "
	"linkat unlink unlinkat symlink symlinkat mknod mknodat chmod fchmod "
	"fchmodat fchmodat2 chown fchown lchown fchownat umask utime utimes "
	"futimesat utimensat setxattr lsetxattr fsetxattr removexattr "
	"lremovexattr fremovexattr fallocate",
	"fsync fdatasync sync syncfs sync_file_range fadvise64 readahead",
	"poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl "
	"epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd "
	"signalfd4 timerfd_create timerfd_settime timerfd_gettime",
	"brk mmap munmap mremap mprotect msync madvise mlock mlock2 munlock "
	"mlockall munlockall mseal map_shadow_stack",
	"clone fork vfork execve exit exit_group wait4 waitid set_tid_address "
	"arch_prctl prctl personality uretprobe uprobe",
	"kill tkill tgkill pidfd_open pidfd_send_signal rt_sigaction "
	"rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait "
	"rt_sigqueueinfo rt_tgsigqueueinfo rt_sigsuspend sigaltstack pause "
	"restart_syscall",
	"futex futex_waitv futex_wake futex_wait futex_requeue set_robust_list "
	"rseq rseq_slice_yield membarrier sched_yield",
	"sched_getparam sched_getscheduler sched_get_priority_max "
	"sched_get_priority_min sched_setaffinity sched_getaffinity "
	"sched_getattr setpriority getpriority getcpu",
	"getpid getppid gettid getpgid getpgrp setpgid getsid setsid getuid "
	"geteuid getgid getegid getresuid getresgid getgroups setuid setgid "
	"setreuid setregid setresuid setresgid setfsuid setfsgid setgroups "
	"capget",
	"getrlimit setrlimit prlimit64 getrusage sysinfo times uname",
	"time gettimeofday clock_gettime clock_getres clock_nanosleep "
	"nanosleep alarm getitimer setitimer timer_create timer_settime "
	"timer_gettime timer_getoverrun timer_delete getrandom",
	"socket socketpair connect accept accept4 bind listen shutdown "
	"getsockname getpeername setsockopt getsockopt sendto sendmsg sendmmsg "
	"recvfrom recvmsg recvmmsg",
};

#endif /* CHOCK_CONFINE_CALLS_STRICT_H */
