/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_REPOSITORY_H
#define CHOCK_UNIT_REPOSITORY_H

/*
 * repository - a small git project in a test's own directory, made by git
 *
 *	p/    a, d/b, on branch main; one commit
 *	w/    a workspace of it, with its quarantine
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"
#include "scratch.h"
#include "workspace/git.h"
#include "workspace/project.h"
#include "workspace/space.h"

/* DO - git in the directory @dir; whether it succeeded */
#define DO(dir, ...)                                                         \
	repository_do(dir, (const char *const[]){ "-c", "user.name=T", "-c", \
						  "user.email=t@t.t",        \
						  __VA_ARGS__, NULL })

static inline bool repository_do(const char *dir, const char *const *args)
{
	struct git git = GIT_CALL(.dir = dir);
	struct why why = { 0 };

	return !git_run(&git, args, &why);
}

/* repository_put - have @text in the file @path */
static inline bool repository_put(const char *path, const char *text)
{
	autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return fd >= 0 && !file_write(fd, span_of(text));
}

/* repository_make - p, in a directory of the test's own, and nobody's home */
static inline bool repository_make(void)
{
	scratch_enter();
	return !setenv("HOME", scratch_path, 1) &&
	       !unsetenv("XDG_CONFIG_HOME") && !mkdir("p", 0755) &&
	       !mkdir("p/d", 0755) && DO("p", "init", "-q", "-b", "main") &&
	       repository_put("p/a", "a\n") && repository_put("p/d/b", "b\n") &&
	       DO("p", "add", "-A") && DO("p", "commit", "-q", "-m", "first");
}

/* repository_space - w, of what p is now */
static inline bool repository_space(struct space *space,
				    struct project *project)
{
	struct why why = { 0 };

	project_drop(project);
	space_drop(space);
	(void)file_remove_tree(AT_FDCWD, "w", &why);
	if (!project_open(project, "p", &why) &&
	    !space_start(space, project, "s", "w", &why) &&
	    !space_quarantine(space, project, &why))
		return true;
	printf("# %s\n", why.text);
	return false;
}

#endif /* CHOCK_UNIT_REPOSITORY_H */
