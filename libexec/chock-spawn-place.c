/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that knows where it was called, and for what project
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "chock-spawn.h"
#include "tree/spot.h"

const char *spawn_absolute(const struct spawn *spawn, const char *path)
{
	if (*path == '/')
		return path;
	if (!*path)
		die(EXIT_MISUSE, "an empty path names nothing");
	if (!spawn->cwd)
		die(EXIT_MISUSE, "'%s' is relative, and %s", path,
		    spawn->sandbox.workdir_lost);
	return alloc_text("%s/%s", spawn->cwd, path);
}

/*
 * The name that it has in the kernel; libc would put one together that is too
 * long to be used, and takes what has none for what was removed (getcwd(3)).
 */
static const char *physical_cwd(const char **lost)
{
	char path[PATH_MAX];
	long len = syscall(SYS_getcwd, path, sizeof(path));

	if (len > 0 && *path == '/')
		return alloc_copy(path, strlen(path));
	if (len > 0) /* "(unreachable)" */
		*lost = "the working directory is outside of the root "
			"directory";
	else if (errno == ENOENT)
		*lost = "the working directory was removed";
	else if (errno == ENAMETOOLONG)
		*lost = "the path of the working directory is longer than "
			"4095 bytes";
	else
		*lost = "the working directory cannot be found";
	return NULL;
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
		spawn->cwd = physical_cwd(&spawn->sandbox.workdir_lost);
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

/* What is called by a path of the project is in the copy, if that is moved. */
static const char *in_copy(const struct spawn *spawn, const char *dir)
{
	autofree char *from = realpath(spawn->moved_from, NULL);
	autofree char *found = realpath(dir, NULL);
	const char *rest = from && found ? path_below(found, from) : NULL;

	if (!rest)
		return dir;
	return alloc_text("%s%s%s", spawn->project, *rest ? "/" : "", rest);
}

/* What was given is in our arguments, which process 1 wipes. */
void spawn_find_workdir(struct spawn *spawn)
{
	const char **named = &spawn->options.workdir;
	const char *dir = spawn->cwd;

	spawn->sandbox.workdir_named = *named != NULL;
	if (*named)
		dir = *named = **named == '/'
				       ? alloc_copy(*named, strlen(*named))
				       : spawn_absolute(spawn, *named);
	spawn->sandbox.workdir = dir && spawn->moved_from ? in_copy(spawn, dir)
							  : dir;
}

/* Keys and settings that run are in a home, which nobody calls a project. */
void spawn_check_project(const struct spawn *spawn, const char *by)
{
	const char *home = getenv("HOME");
	autofree char *at = spawn->project ? realpath(spawn->project, NULL)
					   : NULL;
	autofree char *found = home && *home == '/' ? realpath(home, NULL)
						    : NULL;

	if (spawn->options.project || !at || !found || !path_below(found, at))
		return;
	die(EXIT_MISUSE,
	    "%s: the project would be '%s', which has the whole home in it; "
	    "run it in a directory below '%s', or say --project if it is meant",
	    by, at, found);
}
