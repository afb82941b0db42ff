/* SPDX-License-Identifier: ISC */
#include "sandbox/workdir.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

/* A shell takes no other one for PWD (POSIX.1, sh, "Shell Variables"). */
static bool is_plain(const char *path)
{
	size_t len;

	if (*path != '/')
		return false;
	for (; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if ((len == 1 && !strncmp(path, ".", len)) ||
		    (len == 2 && !strncmp(path, "..", len)))
			return false;
	}
	return true;
}

static const char *name_of(const struct sandbox *sandbox,
			   const struct outcome *outcome, char *room)
{
	const char *dir = outcome->at_home ? NULL : sandbox->workdir;

	if (!dir)
		return sandbox->home;
	return is_plain(dir) ? dir : getcwd(room, PATH_MAX);
}

const char *const *workdir_env(const struct sandbox *sandbox,
			       const struct outcome *outcome)
{
	char room[PATH_MAX];
	const char *name = name_of(sandbox, outcome, room);
	const char **env;
	size_t count;

	for (count = 0; sandbox->env[count]; count++)
		if (!strncmp(sandbox->env[count], "PWD=", 4))
			return sandbox->env;
	if (!name)
		return sandbox->env;
	env = alloc_zero(count + 2, sizeof(*env));
	memcpy(env, sandbox->env, count * sizeof(*env));
	env[count] = alloc_text("PWD=%s", name);
	return env;
}
