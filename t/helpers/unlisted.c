/* SPDX-License-Identifier: ISC */
/*
 * unlisted COMMAND... - run it where no directory can be listed
 *
 * getdents64(2) fails with EIO, as that of a broken disk does.
 */

#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../unit/failing.h"

int main(int argc, char **argv)
{
	if (argc < 2 || failing_call(SYS_getdents64, BPF_JGE, 0, EIO)) {
		(void)fputs("unlisted: nothing measured\n", stderr);
		return 125;
	}
	(void)execvp(argv[1], argv + 1);
	return 127;
}
