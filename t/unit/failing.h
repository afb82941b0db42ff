/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_FAILING_H
#define CHOCK_UNIT_FAILING_H

/*
 * failing - a system call that fails from here on, for this process alone
 *
 * For an error that no file system gives when it is wanted.  The process is
 * one that a test has forked: the filter cannot be taken off again.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * failing_call - have call @number fail with @errnum where its third argument
 * compares with @value as @jump says: BPF_JEQ, BPF_JSET, or BPF_JGE with 0 for
 * any
 *
 * Returns 0, or not if that cannot be had.
 */
static inline int failing_call(int number, unsigned int jump,
			       unsigned int value, int errnum)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP((unsigned short)(BPF_JMP | jump | BPF_K), value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | (unsigned int)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

#endif /* CHOCK_UNIT_FAILING_H */
