/* SPDX-License-Identifier: ISC */
#include "workspace/fifos.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "cow/survey.h"
#include "workspace/quote.h"

static bool is_in_repository(const char *path)
{
	const char *at = path;

	while ((at = strstr(at, ".git/"))) {
		if (at == path || at[-1] == '/')
			return true;
		at++;
	}
	return false;
}

static bool is_opened_by_name(const char *name)
{
	static const char *const names[] = { ".gitignore", ".gitattributes",
					     ".gitmodules", ".mailmap" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int take(void *context, const struct survey_name *at)
{
	const bool inside = is_in_repository(at->path);
	struct buf *found = context;
	struct stat st;

	if ((!inside && !is_opened_by_name(at->name)) ||
	    fstatat(at->dir_fd, at->name, &st,
		    inside ? 0 : AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISFIFO(st.st_mode))
		return 0;
	quote_line(found, span_of(at->path));
	return 1;
}

int fifos_refuse(const char *copy, struct why *why)
{
	autoclose int fd =
		open(copy, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	autobuf struct buf found = { 0 };

	if (fd < 0 || survey(fd, take, &found) != 1)
		return 0;
	return why_set(why, EBADMSG,
		       "'%.*s' in the copy is a FIFO, for which git would wait",
		       WHY_PART_MAX, buf_str(&found));
}
