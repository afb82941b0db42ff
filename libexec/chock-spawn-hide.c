/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that covers what is hidden, and says what a cover is
 * too little for
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/word.h"
#include "chock-spawn.h"
#include "policy/path.h"

static bool is_below(const char *path, const char *dir)
{
	const size_t len = dir ? strlen(dir) : 0;

	return len && !strncmp(path, dir, len) && path[len] == '/';
}

/*
 * A copy shows what its git objects have of a file, whatever covers the file.
 * One that is there but was never committed is not told apart.
 */
static void warn_of_objects(const struct spawn *spawn, const char *path,
			    const char *by)
{
	const char *copy = spawn->options.copy;
	const char *layers = spawn->options.layers;
	struct stat st;

	if (!copy || !is_below(path, spawn->project))
		return;
	autofree char *git = alloc_text("%s%s/.git", layers ? layers : copy,
					layers ? "/upper" : "");
	autofree char *file =
		alloc_text("%s%s", copy, path + strlen(spawn->project));
	if (lstat(git, &st) < 0 || lstat(file, &st) < 0)
		return;
	warn("%s: '%s' is hidden, but what was committed of it can still be "
	     "read from git's objects in the copy",
	     by, path);
}

/* A mount covers one name.  Where the others are only a look at each file of
 * its file system could tell. */
static void warn_of_names(const char *path, const char *by)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_nlink > 1)
		warn("%s: '%s' is hidden, but has %ju names, hard links: by "
		     "another one it can still be read",
		     by, path, (uintmax_t)st.st_nlink);
}

/* Whether whoever made the copy has left it out there. */
static bool is_left_out(const struct spawn *spawn, const char *pattern)
{
	return spawn->options.hidden_in_copy &&
	       (*pattern != '/' || is_below(pattern, spawn->project) ||
		is_below(pattern, spawn->moved_from));
}

/* Of a copy its maker has told.  With --check nothing is shown, and said. */
static void warn_of_nothing(const struct spawn *spawn, const char *path,
			    const char *pattern, const char *by)
{
	autobuf struct buf word = { 0 };
	struct stat st;

	word_policy(&word, span_of(pattern));
	if (spawn->options.cow && is_below(path, spawn->project) &&
	    lstat(path, &st) < 0 && errno == ENOENT)
		warn("%s: nothing matches 'hide %s'", by, buf_str(&word));
}

/* A relative path is in the project, or in the copy in the project's place. */
void spawn_hide(struct spawn *spawn, const char *pattern, const char *by,
		bool meant)
{
	const size_t len = path_hidden_len(pattern);
	const char *path;

	if (*pattern && is_left_out(spawn, pattern))
		return;
	/* One mount covers a path, or all of a directory. */
	if (!len || strcspn(pattern, "*?[") < len)
		die(EXIT_MISUSE,
		    "%s: cannot hide the pattern '%s', only a path or DIR/**; "
		    "a pattern is hidden in the copy that 'chock run' makes of "
		    "a project in git",
		    by, pattern);
	if (*pattern != '/' && !spawn->project)
		die(EXIT_MISUSE, "%s: no project for '%s': %s", by, pattern,
		    spawn->sandbox.workdir_lost);
	path = *pattern == '/' ? alloc_copy(pattern, len)
			       : alloc_text("%s/%.*s", spawn->project, (int)len,
					    pattern);
	if (meant)
		warn_of_nothing(spawn, path, pattern, by);
	warn_of_objects(spawn, path, by);
	warn_of_names(path, by);
	spawn_grant(spawn, GRANT_HIDE, path, by);
}
