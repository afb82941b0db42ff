/* SPDX-License-Identifier: ISC */
/*
 * chock-sessions - the part that copies logs elsewhere, and removes them
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-sessions.h"
#include "log/logfile.h"

/* The log first: without it the others say nothing. */
static const char *const suffixes[] = { LOGFILE_SUFFIX, LOGFILE_ANCHOR,
					LOGFILE_SEAL, LOGFILE_SIGNATURE,
					LOGFILE_TORN };
#define SUFFIXES (sizeof(suffixes) / sizeof(*suffixes))

static int open_one(const char *path)
{
	return open(path,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Takes nothing's place: a copy that is there may be the only one. */
static void copy_one(int to_fd, const char *from, const char *to)
{
	const char *name = strrchr(from, '/') + 1;
	autoclose int from_fd = open_one(from);
	autoclose int copy_fd = -1;
	int r;

	if (from_fd < 0 && errno == ENOENT)
		return;
	if (from_fd < 0)
		die_errno(EXIT_MISUSE, "cannot open '%s'", from);
	copy_fd = openat(to_fd, name,
			 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 0600);
	if (copy_fd < 0)
		die_errno(EXIT_MISUSE, "cannot make '%s/%s'", to, name);
	r = file_copy(copy_fd, from_fd);
	if (!r && fsync(copy_fd) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(to_fd, name, 0);
		errno = -r;
		die_errno(EXIT_SYSTEM, "cannot copy to '%s/%s'", to, name);
	}
}

void export_logs(const struct logged_list *list, const char *to)
{
	autoclose int to_fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t i, j;

	if (to_fd < 0)
		die_errno(EXIT_MISUSE, "cannot open '%s'", to);
	for (i = 0; i < list->count; i++)
		for (j = 0; j < SUFFIXES; j++) {
			autofree char *from =
				logged_beside(&list->items[i], suffixes[j]);

			copy_one(to_fd, from, to);
		}
	if (fsync(to_fd) < 0)
		die_errno(EXIT_SYSTEM, "cannot write to '%s'", to);
}

/* With the session's lock, so that none begins with what is being removed. */
static int remove_one(const struct logged *logged, struct why *why)
{
	autologfile struct logfile file = LOGFILE_CLOSED;
	autofree char *workspace = logged_beside(logged, "");
	size_t i = SUFFIXES;
	int r = logfile_create(&file, logged->log, why);

	if (r == -EAGAIN)
		return why_set(why, EAGAIN, "the session '%s' is in use",
			       logged->id);
	if (r < 0)
		return r;
	if (!access(workspace, F_OK))
		return why_set(why, EBUSY,
			       "what session '%s' left is kept; 'chock "
			       "workspace clear %s' removes it",
			       logged->id, logged->id);
	while (i-- > 0) {
		autofree char *path = logged_beside(logged, suffixes[i]);

		if (unlink(path) < 0 && errno != ENOENT)
			return why_sys(why, errno, "cannot remove '%s'", path);
	}
	return 0;
}

int remove_logs(const struct logged_list *list)
{
	int status = EXIT_ALLOW;
	size_t i;

	for (i = 0; i < list->count; i++) {
		autobuf struct buf text = { 0 };
		struct why why = { 0 };

		if (remove_one(&list->items[i], &why) < 0) {
			warn("%s", why.text);
			status = report_status(&why);
			continue;
		}
		buf_addf(&text, "removed %s\n", list->items[i].id);
		print(&text);
	}
	return status;
}
