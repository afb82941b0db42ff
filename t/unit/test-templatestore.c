/* SPDX-License-Identifier: ISC */
/* Who needs a template is told, and who cannot be told of counts. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "failing.h"
#include "scratch.h"
#include "tap.h"
#include "workspace/templatestore.h"

/* As many as there are where no directory can be listed. */
static int users_unlisted(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(failing_call(SYS_getdents64, BPF_JGE, 0, EIO)
			      ? 255
			      : (int)templatestore_users("t"));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int main(void)
{
	struct why why = { 0 };

	scratch_enter();
	ok(!mkdir("t", 0700) && !templatestore_users("t"),
	   "nobody needs a new one");
	ok(!mkdir("t/users", 0700) && !templatestore_use("t", "gone", &why) &&
		   !templatestore_users("t"),
	   "a workspace that is gone needs none");
	ok(!mkdir("w", 0700) && !close(creat("w/state", 0600)) &&
		   !templatestore_use("t", "w", &why) &&
		   templatestore_users("t") == 1,
	   "one whose state cannot be read may need it");
	ok(!unlink("w/state") && !templatestore_users("t"),
	   "and one without does not");
	ok(!chmod("t/users", 0) && templatestore_users("t") == 1,
	   "users that may not be looked at count as one");
	ok(!chmod("t/users", 0700) && users_unlisted() == 1,
	   "and so do those that cannot be listed");
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
