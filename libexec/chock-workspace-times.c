/* SPDX-License-Identifier: ISC */
/*
 * No file gets other times by its name from here on, also by what is started.
 *
 * git, about to write an object that is there already, sets the time of the
 * file that has it (object-file.c, check_and_freshen()), also in a store that
 * it only borrows: making a merge in the quarantine would change times of the
 * project's files before anybody said yes.  Where it cannot, it writes the
 * object again, where it was to be written.  futimens(3) has no name, and
 * stays.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/why.h"
#include "chock-workspace.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the kernel's name of this architecture is not known here"
#endif

#define FIELD(name) ((unsigned int)offsetof(struct seccomp_data, name))
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), yes, no)
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, (what))

int keep_times(struct why *why)
{
	/* A jump counts the lines behind it. */
	struct sock_filter lines[] = {
		LOAD(FIELD(arch)),
		IF(ARCH, 1, 0),
		GIVE(SECCOMP_RET_ALLOW),
		LOAD(FIELD(nr)),
#ifdef __x86_64__
		IF(SYS_utime, 7, 0),
		IF(SYS_utimes, 6, 0),
		IF(SYS_futimesat, 5, 0),
#endif
		IF(SYS_utimensat, 0, 5),
		/* Its second argument is the name, of two words. */
		LOAD(FIELD(args[1])),
		IF(0, 0, 2),
		LOAD(FIELD(args[1]) + 4),
		IF(0, 1, 0),
		GIVE(SECCOMP_RET_ERRNO | EPERM),
		GIVE(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {
		.len = sizeof(lines) / sizeof(*lines),
		.filter = lines,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
		return why_sys(why, errno,
			       "cannot keep the times of the project's files");
	return 0;
}
