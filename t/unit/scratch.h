/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_SCRATCH_H
#define CHOCK_UNIT_SCRATCH_H

/*
 * scratch - a directory of a test's own, entered as an ordinary user
 *
 * What a mode refuses, it does not refuse root, so a test that is started by
 * root gives that up: it goes on as the user "nobody", who owns the directory.
 */

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/why.h"

#define SCRATCH_UID 65534

static char scratch_path[4096];

/* scratch_enter - make it and work in it; ends the test where it cannot */
static inline void scratch_enter(void)
{
	const char *tmp = getenv("TMPDIR");
	uid_t uid = getuid();

	(void)snprintf(scratch_path, sizeof(scratch_path),
		       "%s/chock-unit.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(scratch_path) || chdir(scratch_path) < 0)
		exit(111);
	if (uid == 0 && (chown(".", SCRATCH_UID, SCRATCH_UID) < 0 ||
			 setgroups(0, NULL) < 0 ||
			 setresgid(SCRATCH_UID, SCRATCH_UID, SCRATCH_UID) < 0 ||
			 setresuid(SCRATCH_UID, SCRATCH_UID, 0) < 0))
		exit(111);
}

/* scratch_leave - remove it, as whoever made it; returns whether that went */
static inline int scratch_leave(void)
{
	struct why why = { 0 };

	if (chdir("/") < 0)
		return 0;
	/* For a test that root started; in any other this fails, and may. */
	(void)!seteuid(0);
	return file_remove_tree(AT_FDCWD, scratch_path, &why) == 0;
}

#endif /* CHOCK_UNIT_SCRATCH_H */
