/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_CALLS_H
#define CHOCK_CONFINE_CALLS_H

/*
 * calls - every system call, and what becomes of it
 *
 * A row holds for all calls that it names.  For one call the rows are read
 * from the top, and the first whose conditions all hold answers; the last row
 * of a call has none.  A call that no row names is one that this version of
 * chock does not know, and fails with ENOSYS, as on a kernel that does not
 * have it: libraries know what to do then.  For our own programs it kills.
 *
 * Arguments are compared as the kernel reads them: it takes an int out of a
 * 64-bit register and ignores the upper half, and so do these rows.  All of
 * the arguments below are 32 bits wide in the kernel, or have no meaning
 * above that, but for a pointer that is compared with NULL.  What a pointer
 * points at cannot be compared: it can change before the kernel reads it.
 *
 * Only confine/gen-filters.c includes this.  t/data/calls says the same a
 * second time, a line a call, for the test that compares the two.
 */

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <linux/fcntl.h>
#include <linux/in.h>
#include <linux/ioprio.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/shm.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "confine/calls-files.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "nobody has held these lists against this machine's system calls yet"
#endif

#define CALL_ARGS_MAX 3
#define ARG_UPPER 8U /* added to an index */

struct call_arg {
	enum { ARG_ABSENT, ARG_EQUALS, ARG_ANY_OF } test;
	unsigned int index;
	uint32_t mask;
	uint32_t value; /* of ARG_EQUALS */
};

struct call_row {
	const char *names; /* separated by blanks */
	uint32_t action;   /* SECCOMP_RET_... */
	const char *reason;
	struct call_arg args[CALL_ARGS_MAX];
	bool not_jit; /* the row is not in SECCOMP_SANDBOX_JIT */
};

#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_PROCESS
#define TELL SECCOMP_RET_USER_NOTIF /* KILL where somebody listens */
#define FAIL(errnum) (SECCOMP_RET_ERRNO | (errnum))
#define DONE FAIL(0) /* not made, and 0 for an answer */

/* clang-format off */

/* The argument @i is @v; is @v under @mask; has one of @bits; has all. */
#define IS(i, v) { ARG_EQUALS, i, UINT32_MAX, v }
#define UNDER(i, mask, v) { ARG_EQUALS, i, mask, v }
#define ANY(i, bits) { ARG_ANY_OF, i, bits, 0 }
#define ALL(i, bits) { ARG_EQUALS, i, bits, bits }

/* The same of the upper half, where the argument is a pointer. */
#define UPPER_IS(i, v) { ARG_EQUALS, ARG_UPPER | (i), UINT32_MAX, v }

#define ROW(calls, answer, why) \
	{ .names = (calls), .action = (answer), .reason = (why) }
#define ROW_IF(calls, answer, why, ...) \
	{ .names = (calls), .action = (answer), .reason = (why), \
	  .args = { __VA_ARGS__ } }
#define ROW_UNLESS_JIT(calls, answer, why, ...) \
	{ .names = (calls), .action = (answer), .reason = (why), \
	  .args = { __VA_ARGS__ }, .not_jit = true }
#define OF_TYPE(type) UNDER(1, 0xff00U, (type) << 8) /* of an ioctl */
#define SOCKET(family, type, protocol, why) \
	ROW_IF("socket", ALLOW, why, IS(0, family), \
	       UNDER(1, SOCK_TYPE_BITS, type), IS(2, protocol))

/* clang-format on */

#define NAMESPACE_FLAGS                                                \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define SOCK_TYPE_BITS 0xf        /* the rest of a socket's type is flags */
#define FASTOPEN 0x20000000       /* MSG_FASTOPEN */
#define SETDELEG 1040             /* F_SETDELEG, of Linux 6.19 */
#define TERMIOS2_GET 0x802c542aU  /* TCGETS2 and its three setters, whose */
#define TERMIOS2_SET 0x402c542bU  /* size is that of a struct which no */
#define TERMIOS2_SETW 0x402c542cU /* header of libc has */
#define TERMIOS2_SETF 0x402c542dU

static const struct call_row sandbox_calls[] = {
	/* ---- killed: nothing that belongs in a sandbox makes them ---- */
	ROW("unshare setns", KILL,
	    "other namespaces, and capabilities in them"),
	ROW_IF("clone", KILL, "a new namespace, and capabilities in it",
	       ANY(0, NAMESPACE_FLAGS)),
	ROW("mount umount2 move_mount open_tree open_tree_attr fsopen fsconfig "
	    "fsmount fspick mount_setattr pivot_root chroot fchroot",
	    KILL, "the mount tree is the policy"),
	ROW("init_module finit_module delete_module kexec_load kexec_file_load",
	    KILL, "code in the kernel"),
	ROW("add_key keyctl request_key", KILL,
	    "keyrings are not in any namespace"),
	/*
	 * LeakSanitizer attaches to its own process and waits for the task
	 * that does so; if that is killed it waits for ever, and an error
	 * ends it.
	 */
	ROW_IF("ptrace", FAIL(EPERM), "the memory of other processes",
	       IS(0, PTRACE_ATTACH)),
	ROW("ptrace process_vm_readv process_vm_writev", KILL,
	    "the memory of other processes"),
	ROW("bpf userfaultfd", KILL, "the means of most attacks on the kernel"),
	ROW("reboot syslog sethostname setdomainname swapon swapoff acct "
	    "settimeofday clock_settime",
	    KILL, "the whole machine's"),
	ROW("open_by_handle_at", KILL, "opens a file past every path rule"),
	ROW_IF("execveat", KILL, "executes what has no path, a memfd",
	       ANY(4, AT_EMPTY_PATH)),
	ROW_IF("socket", KILL, "reaches the host of a virtual machine",
	       IS(0, AF_VSOCK)),

	/* ---- refused with EPERM: ordinary programs probe for them ---- */
	ROW("io_uring_setup io_uring_enter io_uring_register", FAIL(EPERM),
	    "acts in the kernel where no filter sees it"),
	ROW("perf_event_open fanotify_init", FAIL(EPERM),
	    "watches other programs"),
	ROW("pidfd_getfd kcmp process_madvise", FAIL(EPERM),
	    "reaches into other processes"),
	ROW("quotactl quotactl_fd", FAIL(EPERM), "the file system's own"),
	ROW("iopl ioperm modify_ldt", FAIL(EPERM), "the processor's own"),
	ROW("lookup_dcookie vhangup", FAIL(EPERM), "the whole machine's"),
	ROW("memfd_secret", FAIL(EPERM),
	    "memory that no limit's watch can see"),
	ROW("listns", FAIL(EPERM), "lists what namespaces there are outside"),
	ROW("adjtimex clock_adjtime", FAIL(EPERM),
	    "sets the clock; whether it does is behind a pointer"),
	ROW_IF("personality", ALLOW, "only asks", IS(0, UINT32_MAX)),
	ROW_IF("personality", FAIL(EPERM), "makes what is readable executable",
	       ANY(0, READ_IMPLIES_EXEC)),
	ROW_IF("shmat", FAIL(EPERM), "executable shared memory",
	       ANY(2, SHM_EXEC)),
	ROW_UNLESS_JIT("mmap mprotect pkey_mprotect", FAIL(EPERM),
		       "memory that is writable and executable at once",
		       ALL(2, PROT_WRITE | PROT_EXEC)),
	ROW_IF("ioctl", FAIL(EPERM), "types into the terminal of the caller",
	       IS(1, TIOCSTI)),
	ROW_IF("ioctl", FAIL(EPERM), "pastes into the console of the caller",
	       IS(1, TIOCLINUX)),

	ROW_IF("ioctl", FAIL(EPERM), "locks a terminal", IS(1, TIOCEXCL)),
	ROW_IF("ioctl", FAIL(EPERM), "changes a terminal", IS(1, TIOCSETD)),
	/* A set-uid file is one outside as well: nosuid holds inside only. */
	ROW_IF("chmod fchmod creat mknod", FAIL(EPERM), "a set-uid file",
	       ANY(1, S_ISUID | S_ISGID)),
	ROW_IF("fchmodat fchmodat2 mknodat", FAIL(EPERM), "a set-uid file",
	       ANY(2, S_ISUID | S_ISGID)),
	ROW_IF("open", FAIL(EPERM), "a set-uid file",
	       ANY(1, O_CREAT | __O_TMPFILE), ANY(2, S_ISUID | S_ISGID)),
	ROW_IF("openat", FAIL(EPERM), "a set-uid file",
	       ANY(2, O_CREAT | __O_TMPFILE), ANY(3, S_ISUID | S_ISGID)),
	ROW("openat2", FAIL(ENOSYS), "the mode is behind a pointer"),
	/*
	 * A core limit of 0 is worth less than the 1 that a sandbox has
	 * (spec/limits.c), and what makes it 0 for its secrets' sake, gpg
	 * and ssh-agent, gives up if that fails.  It is told that it is done.
	 */
	ROW_IF("prlimit64", ALLOW, "only asks for its own limits", IS(0, 0),
	       IS(2, 0), UPPER_IS(2, 0)),
	ROW_IF("prlimit64", FAIL(EPERM), "a core limit and the one before",
	       IS(0, 0), IS(1, RLIMIT_CORE), ANY(3, UINT32_MAX)),
	ROW_IF("prlimit64", DONE, "a core limit that stops piped dumps",
	       IS(0, 0), IS(1, RLIMIT_CORE)),
	ROW_IF("setrlimit", DONE, "a core limit that stops piped dumps",
	       IS(0, RLIMIT_CORE)),
	/* Process 1 has the command's uid, and limits can end it. */
	ROW_IF("prlimit64", ALLOW, "its own limits", IS(0, 0)),
	ROW("prlimit64", FAIL(EPERM), "limits of others, process 1 among them"),
	/* It counts memory and processes where no cgroup does. */
	ROW_IF("sched_setparam sched_setscheduler sched_setattr "
	       "sched_setaffinity",
	       FAIL(EPERM), "slows process 1", IS(0, 1)),
	ROW_IF("setpriority ioprio_set", FAIL(EPERM), "slows process 1",
	       IS(1, 1)),
	ROW_IF("setpriority", FAIL(EPERM), "slows all of its user's",
	       IS(0, PRIO_USER)),
	ROW_IF("ioprio_set", FAIL(EPERM), "slows all of its user's",
	       IS(0, IOPRIO_WHO_USER)),

	/* ---- what a program can do without ---- */
	ROW("clone3", FAIL(ENOSYS),
	    "its flags are behind a pointer; libc goes on with clone"),
	ROW("_sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old "
	    "get_kernel_syms get_thread_area getpmsg nfsservctl putpmsg "
	    "query_module security set_thread_area sysfs tuxcall uselib vserver",
	    FAIL(ENOSYS), "of the past; most kernels do not have them either"),

	/* ---- sockets: families and types by list ---- */
	ROW_IF("socket", ALLOW,
	       "held by the mount tree, Landlock and its scopes",
	       IS(0, AF_UNIX)),
	SOCKET(AF_INET, SOCK_STREAM, 0, "the network layer decides"),
	SOCKET(AF_INET, SOCK_STREAM, IPPROTO_TCP, "the network layer decides"),
	SOCKET(AF_INET, SOCK_DGRAM, 0, "the network layer decides"),
	SOCKET(AF_INET, SOCK_DGRAM, IPPROTO_UDP, "the network layer decides"),
	SOCKET(AF_INET6, SOCK_STREAM, 0, "the network layer decides"),
	SOCKET(AF_INET6, SOCK_STREAM, IPPROTO_TCP, "the network layer decides"),
	SOCKET(AF_INET6, SOCK_DGRAM, 0, "the network layer decides"),
	SOCKET(AF_INET6, SOCK_DGRAM, IPPROTO_UDP, "the network layer decides"),
	SOCKET(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE,
	       "libc lists addresses by it"),
	SOCKET(AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE,
	       "libc lists addresses by it"),
	ROW_IF("socket", FAIL(EPERM),
	       "what the kernel says without capabilities", IS(0, AF_INET),
	       UNDER(1, SOCK_TYPE_BITS, SOCK_RAW)),
	ROW_IF("socket", FAIL(EPERM),
	       "what the kernel says without capabilities", IS(0, AF_INET6),
	       UNDER(1, SOCK_TYPE_BITS, SOCK_RAW)),
	ROW_IF("socket", FAIL(EPROTONOSUPPORT),
	       "MPTCP, SCTP, SMC, UDP-Lite, ping", IS(0, AF_INET)),
	ROW_IF("socket", FAIL(EPROTONOSUPPORT),
	       "MPTCP, SCTP, SMC, UDP-Lite, ping", IS(0, AF_INET6)),
	ROW_IF("socket", FAIL(EPROTONOSUPPORT), "the kernel's other services",
	       IS(0, AF_NETLINK)),
	ROW("socket", FAIL(EAFNOSUPPORT), "as on a kernel without the family"),
	ROW_IF("socketpair", ALLOW, "a pipe that goes both ways",
	       IS(0, AF_UNIX)),
	ROW("socketpair", FAIL(EAFNOSUPPORT),
	    "as on a kernel without the family"),
	ROW_IF("sendto", FAIL(EOPNOTSUPP), "connects past Landlock's rule",
	       ANY(3, FASTOPEN)),
	ROW_IF("sendmsg", FAIL(EOPNOTSUPP), "connects past Landlock's rule",
	       ANY(2, FASTOPEN)),
	ROW_IF("sendmmsg", FAIL(EOPNOTSUPP), "connects past Landlock's rule",
	       ANY(3, FASTOPEN)),

	ROW_IF("fcntl", FAIL(EPERM), "holds up who opens what it may read",
	       IS(1, F_SETLEASE)),
	ROW_IF("fcntl", FAIL(EPERM), "holds up who opens what it may read",
	       IS(1, SETDELEG)),
	ROW_IF("renameat2", FAIL(EINVAL), "makes a device past Landlock",
	       ANY(4, RENAME_WHITEOUT)),

	/* ---- file systems: what programs ask of a file, and no more ---- */
	ROW_IF("ioctl", ALLOW, "flags of a file", IS(1, FS_IOC_GETFLAGS)),
	ROW_IF("ioctl", ALLOW, "flags of a file", IS(1, FS_IOC_SETFLAGS)),
	ROW_IF("ioctl", ALLOW, "where it has holes", IS(1, FS_IOC_FIEMAP)),
	ROW_IF("ioctl", FAIL(ENOTTY), "keys, and with them all their files",
	       OF_TYPE(TYPE_EXT)),
	ROW_IF("ioctl", ALLOW, "flags of a file", IS(1, FS_IOC_FSGETXATTR)),
	ROW_IF("ioctl", ALLOW, "flags of a file", IS(1, FS_IOC_FSSETXATTR)),
	ROW_IF("ioctl", FAIL(ENOTTY), "freezes, and what is XFS's own",
	       OF_TYPE(TYPE_XFS)),
	ROW_IF("ioctl", ALLOW, "copies what is open", IS(1, FICLONE)),
	ROW_IF("ioctl", ALLOW, "copies what is open", IS(1, FICLONERANGE)),
	ROW_IF("ioctl", ALLOW, "compares what is open", IS(1, FIDEDUPERANGE)),
	ROW_IF("ioctl", FAIL(ENOTTY), "snapshots, which nothing covers",
	       OF_TYPE(TYPE_BTRFS)),
	ROW_IF("ioctl", FAIL(ENOTTY), "snapshots, which nothing covers",
	       OF_TYPE(TYPE_BCACHEFS)),
	ROW_IF("ioctl", FAIL(ENOTTY), "the file system's own",
	       OF_TYPE(TYPE_CEPH)),
	ROW_IF("ioctl", FAIL(ENOTTY), "the server's own", OF_TYPE(TYPE_CIFS)),
	ROW_IF("ioctl", FAIL(ENOTTY), "the file system's own",
	       OF_TYPE(TYPE_F2FS)),
	ROW_IF("ioctl", FAIL(ENOTTY), "checkpoints",
	       UNDER(1, NILFS_BITS, NILFS)),
	ROW_IF("ioctl", FAIL(ENOTTY), "links past Landlock",
	       IS(1, OCFS2_REFLINK)),

	/* ---- allowed ---- */
	ROW("read write readv writev pread64 pwrite64 preadv pwritev preadv2 "
	    "pwritev2 lseek sendfile copy_file_range splice tee vmsplice",
	    ALLOW, "reads and writes what is open"),
	ROW("open openat creat close close_range dup dup2 dup3 pipe "
	    "pipe2 fcntl flock ioctl name_to_handle_at",
	    ALLOW, "opens what the mount tree and Landlock show"),
	ROW("stat fstat lstat newfstatat statx statfs fstatfs statmount "
	    "listmount ustat access faccessat faccessat2 readlink readlinkat "
	    "getdents getdents64 getcwd chdir fchdir getxattr lgetxattr "
	    "fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat "
	    "file_getattr inotify_init inotify_init1 inotify_add_watch "
	    "inotify_rm_watch fanotify_mark",
	    ALLOW, "looks at what the mount tree shows"),
	ROW("truncate ftruncate rename renameat renameat2 mkdir mkdirat rmdir "
	    "link linkat unlink unlinkat symlink symlinkat mknod mknodat chmod "
	    "fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask utime "
	    "utimes futimesat utimensat setxattr lsetxattr fsetxattr setxattrat "
	    "removexattr lremovexattr fremovexattr removexattrat file_setattr "
	    "fallocate",
	    ALLOW, "changes what the mount tree and Landlock let it change"),
	ROW("fsync fdatasync sync syncfs sync_file_range fadvise64 readahead "
	    "cachestat",
	    ALLOW, "talks about caches"),
	ROW("poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl "
	    "epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd "
	    "signalfd4 timerfd_create timerfd_settime timerfd_gettime io_setup "
	    "io_destroy io_getevents io_pgetevents io_submit io_cancel",
	    ALLOW, "waits"),
	ROW("brk mmap munmap mremap mprotect pkey_mprotect pkey_alloc pkey_free "
	    "msync mincore madvise mlock mlock2 munlock mlockall munlockall "
	    "mseal map_shadow_stack remap_file_pages memfd_create "
	    "process_mrelease mbind set_mempolicy get_mempolicy "
	    "set_mempolicy_home_node migrate_pages move_pages",
	    ALLOW, "has memory"),
	ROW("clone fork vfork execve execveat exit exit_group wait4 waitid "
	    "set_tid_address arch_prctl prctl personality uretprobe uprobe",
	    ALLOW, "starts and ends processes"),
	ROW("kill tkill tgkill pidfd_open pidfd_send_signal rt_sigaction "
	    "rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait "
	    "rt_sigqueueinfo rt_tgsigqueueinfo rt_sigsuspend sigaltstack pause "
	    "restart_syscall",
	    ALLOW, "signals what the pid namespace shows"),
	ROW("futex futex_waitv futex_wake futex_wait futex_requeue "
	    "set_robust_list get_robust_list rseq rseq_slice_yield membarrier "
	    "sched_yield",
	    ALLOW, "runs threads"),
	ROW("sched_setparam sched_getparam sched_setscheduler "
	    "sched_getscheduler sched_get_priority_max sched_get_priority_min "
	    "sched_rr_get_interval sched_setaffinity sched_getaffinity "
	    "sched_setattr sched_getattr setpriority getpriority ioprio_set "
	    "ioprio_get getcpu",
	    ALLOW, "schedules what the pid namespace shows, but for process 1"),
	ROW("getpid getppid gettid getpgid getpgrp setpgid getsid setsid getuid "
	    "geteuid getgid getegid getresuid getresgid getgroups setuid setgid "
	    "setreuid setregid setresuid setresgid setfsuid setfsgid setgroups "
	    "capget capset",
	    ALLOW, "is somebody; without capabilities nobody else"),
	ROW("getrlimit setrlimit getrusage sysinfo times uname", ALLOW,
	    "limits can only be lowered"),
	ROW("time gettimeofday clock_gettime clock_getres clock_nanosleep "
	    "nanosleep alarm getitimer setitimer timer_create timer_settime "
	    "timer_gettime timer_getoverrun timer_delete",
	    ALLOW, "reads clocks"),
	ROW("getrandom", ALLOW, "reads random numbers"),
	ROW("connect accept accept4 bind listen shutdown getsockname "
	    "getpeername setsockopt getsockopt sendto sendmsg sendmmsg recvfrom "
	    "recvmsg recvmmsg",
	    ALLOW, "uses the sockets that it could make"),
	ROW("shmget shmat shmctl shmdt semget semop semctl semtimedop msgget "
	    "msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend "
	    "mq_timedreceive mq_notify mq_getsetattr",
	    ALLOW, "inside its own ipc namespace"),
	/*
	 * As the kernel answers while process 1 listens (seccomp(2)).  Where
	 * that was killed and a command is left for a moment, a listener of
	 * its own could let the calls go on that are to kill.
	 */
	ROW_IF("seccomp", FAIL(EBUSY), "a listener that answers calls",
	       IS(0, SECCOMP_SET_MODE_FILTER),
	       ANY(1, SECCOMP_FILTER_FLAG_NEW_LISTENER)),
	ROW("seccomp landlock_create_ruleset landlock_add_rule "
	    "landlock_restrict_self lsm_get_self_attr lsm_set_self_attr "
	    "lsm_list_modules",
	    ALLOW, "holds itself to more"),
};

#endif /* CHOCK_CONFINE_CALLS_H */
