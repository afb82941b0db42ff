/* SPDX-License-Identifier: ISC */
#include "confine/self.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"

#ifdef CHOCK_SANITIZED

/*
 * A sanitizer writes its report by means that the allowlist ends a program
 * for: it reads /proc, runs a symbolizer, and traces its own threads to find
 * leaks.  Such a build may read, execute and be traced, and still not write.
 */
static int grant(struct landlock *ruleset, struct why *why)
{
	autoclose int root_fd = open("/", O_PATH | O_CLOEXEC);

	if (root_fd < 0)
		return why_sys(why, errno, "cannot open '/'");
	return landlock_allow(ruleset, root_fd, LANDLOCK_READ | LANDLOCK_EXEC,
			      why);
}

static int give_up_calls(struct why *why)
{
	(void)why;
	return 0;
}

#else

static int grant(struct landlock *ruleset, struct why *why)
{
	(void)ruleset;
	(void)why;
	return 0;
}

static int give_up_calls(struct why *why)
{
	/* Also keeps those who run as the same user from tracing us. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return why_sys(why, errno, "cannot give up core dumps");
	return seccomp_load(SECCOMP_SELF, why);
}

#endif

static int give_up_files(struct why *why)
{
	autolandlock struct landlock ruleset = LANDLOCK_CLOSED;
	int r = landlock_open(&ruleset, true, why);

	if (r == -ENOSYS || r == -EOPNOTSUPP)
		return 0;
	if (r < 0)
		return r;
	r = grant(&ruleset, why);
	return r < 0 ? r : landlock_enforce(&ruleset, why);
}

int confine_self(struct why *why)
{
	struct rlimit core;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return why_sys(why, errno, "cannot give up new privileges");
	if (getrlimit(RLIMIT_CORE, &core) < 0)
		return why_sys(why, errno, "cannot give up core dumps");
	/* One byte, not none: spec/limits.c says why. */
	core.rlim_max = core.rlim_max ? 1 : 0;
	core.rlim_cur = core.rlim_max;
	if (setrlimit(RLIMIT_CORE, &core) < 0)
		return why_sys(why, errno, "cannot give up core dumps");
	if (give_up_files(why) < 0 || give_up_calls(why) < 0)
		return why_within(why, "cannot confine itself");
	return 0;
}
