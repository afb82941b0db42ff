/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that knows where it was called, and for what project
 */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "chock-spawn.h"

const char *spawn_absolute(const struct spawn *spawn, const char *path)
{
	if (*path == '/')
		return path;
	if (!*path)
		die(EXIT_MISUSE, "an empty path names nothing");
	if (!spawn->cwd)
		die(EXIT_MISUSE,
		    "'%s' is relative, and the working directory has no name",
		    path);
	return alloc_text("%s/%s", spawn->cwd, path);
}

/* The name that the caller's shell has for it, if that is right. */
static void find_cwd(struct spawn *spawn)
{
	const char *named = getenv("PWD");
	struct stat a, b;

	if (named && *named == '/' && !stat(named, &a) && !stat(".", &b) &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		spawn->cwd = alloc_copy(named, strlen(named));
	else
		spawn->cwd = getcwd(NULL, 0);
	if (spawn->cwd && *spawn->cwd != '/')
		spawn->cwd = NULL;
}

/* Misspelt, it would take what the project's own policy hides with it. */
void spawn_find_project(struct spawn *spawn)
{
	const char *given = spawn->options.project;
	struct stat st;

	find_cwd(spawn);
	spawn->project = given ? spawn_absolute(spawn, given) : spawn->cwd;
	spawn->options.project = given ? spawn->project : NULL;
	if (!given)
		return;
	if (stat(given, &st) < 0)
		die_errno(EXIT_MISUSE, "cannot find the project '%s'", given);
	if (!S_ISDIR(st.st_mode))
		die(EXIT_MISUSE, "the project '%s' is no directory", given);
}

void spawn_find_workdir(struct spawn *spawn)
{
	const char *dir =
		spawn->options.workdir
			? spawn_absolute(spawn, spawn->options.workdir)
			: spawn->cwd;
	const char *from = spawn->moved_from;
	size_t len = from ? strlen(from) : 0;

	if (dir && from && !strncmp(dir, from, len) &&
	    (!dir[len] || dir[len] == '/'))
		dir = alloc_text("%s%s", spawn->project, dir + len);
	spawn->sandbox.workdir = dir ? alloc_copy(dir, strlen(dir)) : NULL;
	spawn->sandbox.workdir_named = spawn->options.workdir != NULL;
}
