/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_CALLS_HOST_H
#define CHOCK_CONFINE_CALLS_HOST_H

/*
 * calls-host - what comes on top where a layer of namespaces is missing
 *
 * Filters add up: of several the strictest answer holds, seccomp(2).  So these
 * lists name only what they refuse, and allow every other call.
 *
 * Only confine/gen-filters.c includes this.
 */

#include <linux/ioprio.h>
#include <sys/resource.h>

#include "confine/calls.h"

#define FAT_SETATTR 0x40047211U /* FAT_IOCTL_SET_ATTRIBUTES, msdos_fs.h */

/*
 * In the host's own namespaces.  What acts on another process is held by
 * Landlock where it is a signal or ptrace(2) access, and by nothing else.  What
 * changes metadata is not held by Landlock at all (Documentation/userspace-api/
 * landlock.rst, "Filesystem actions"), and no mount is read-only here.
 */
static const struct call_row host_calls[] = {
	ROW_IF("sched_setparam sched_setscheduler sched_setattr "
	       "sched_setaffinity",
	       ALLOW, "its own", IS(0, 0)),
	ROW("sched_setparam sched_setscheduler sched_setattr sched_setaffinity",
	    FAIL(EPERM), "schedules others, of the host too"),
	ROW_IF("setpriority", ALLOW, "its own", IS(0, PRIO_PROCESS), IS(1, 0)),
	ROW("setpriority", FAIL(EPERM), "schedules others, of the host too"),
	ROW_IF("ioprio_set", ALLOW, "its own", IS(0, IOPRIO_WHO_PROCESS),
	       IS(1, 0)),
	ROW("ioprio_set", FAIL(EPERM), "schedules others, of the host too"),
	ROW("shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd "
	    "msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive "
	    "mq_notify mq_getsetattr",
	    FAIL(ENOSYS), "the host's own ipc namespace"),
	ROW("inotify_add_watch", FAIL(EACCES),
	    "hears of files in directories that it may not list"),
	ROW("setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr "
	    "fremovexattr removexattrat file_setattr",
	    FAIL(EOPNOTSUPP), "as on a file system that has none"),
	/* Others of this kind are refused in confine/calls.h already. */
	ROW_IF("ioctl", FAIL(ENOTTY), "attributes of files",
	       IS(1, FS_IOC_SETFLAGS)),
	ROW_IF("ioctl", FAIL(ENOTTY), "attributes of files",
	       IS(1, FS_IOC_FSSETXATTR)),
	ROW_IF("ioctl", FAIL(ENOTTY), "attributes of files",
	       IS(1, FS_IOC_SETVERSION)),
	ROW_IF("ioctl", FAIL(ENOTTY), "attributes of files",
	       IS(1, FAT_SETATTR)),
	ROW("ioctl", ALLOW, "the rest"),
};

#define METADATA                                                              \
	"chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime " \
	"utimes futimesat utimensat"

/* Where a clerk listens (sandbox/clerk.h), before all other rows. */
static const struct call_row clerk_calls[] = {
	ROW_IF("chmod fchmod", FAIL(EPERM), "a set-uid file",
	       ANY(1, S_ISUID | S_ISGID)),
	ROW_IF("fchmodat fchmodat2", FAIL(EPERM), "a set-uid file",
	       ANY(2, S_ISUID | S_ISGID)),
	ROW(METADATA, TELL, "done by the clerk, where it may be"),
};

/* And where none does. */
static const struct call_row no_metadata_calls[] = {
	ROW(METADATA, FAIL(EPERM), "Landlock does not hold it"),
};

/* Without a network, and without a network namespace that would have none. */
static const struct call_row no_inet_calls[] = {
	ROW_IF("socket", ALLOW, "held by Landlock", IS(0, AF_UNIX)),
	ROW("socket", FAIL(EAFNOSUPPORT), "as on a kernel without a network"),
};

/*
 * Below Landlock's ABI 9 nothing keeps a program from a socket that has a
 * path, such as the session's bus.  One of a pair can be sent anywhere as well
 * if it is a datagram socket; SOCK_RAW is one for the kernel, unix(7).
 */
static const struct call_row no_unix_calls[] = {
	ROW_IF("socket", FAIL(EACCES), "connects to sockets that have a path",
	       IS(0, AF_UNIX)),
	ROW("socket", ALLOW, "others decide"),
	ROW_IF("socketpair", ALLOW, "has no other end but its own",
	       UNDER(1, SOCK_TYPE_BITS, SOCK_STREAM)),
	ROW_IF("socketpair", ALLOW, "has no other end but its own",
	       UNDER(1, SOCK_TYPE_BITS, SOCK_SEQPACKET)),
	ROW("socketpair", FAIL(EACCES), "sends to sockets that have a path"),
};

#endif /* CHOCK_CONFINE_CALLS_HOST_H */
