/* SPDX-License-Identifier: ISC */
/*
 * chock-sessions - the part that finds sessions by their logs
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/dir.h"
#include "base/exitcode.h"
#include "base/line.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-sessions.h"
#include "log/logfile.h"

struct finding {
	struct logged_list *list;
	const char *id;  /* NULL: all */
	const char *dir; /* that is looked through */
	int fd;          /* borrowed */
};

/* Whether @name is that of a session's log, with its id put into @id. */
static bool is_log(char id[SESSION_ID_LEN + 1], const char *name)
{
	uint64_t ms;

	if (strlen(name) != SESSION_ID_LEN + strlen(LOGFILE_SUFFIX) ||
	    strcmp(name + SESSION_ID_LEN, LOGFILE_SUFFIX) != 0)
		return false;
	memcpy(id, name, SESSION_ID_LEN);
	id[SESSION_ID_LEN] = '\0';
	return !session_id_started(&ms, span_of(id));
}

static int find_one(void *context, const struct dirent *entry)
{
	const struct finding *finding = context;
	struct logged_list *list = finding->list;
	char id[SESSION_ID_LEN + 1];
	struct logged *logged;
	struct stat st;

	if (!is_log(id, entry->d_name) ||
	    (finding->id && strcmp(finding->id, id) != 0))
		return 0;
	list->items =
		alloc_array(list->items, list->count, sizeof(*list->items));
	logged = &list->items[list->count++];
	*logged = (struct logged){ .dir = alloc_copy(finding->dir,
						     strlen(finding->dir)) };
	memcpy(logged->id, id, sizeof(logged->id));
	logged->log = alloc_text("%s/%s", finding->dir, entry->d_name);
	(void)session_id_started(&logged->started, span_of(id));
	logged->kept = !fstatat(finding->fd, id, &st, AT_SYMLINK_NOFOLLOW);
	return 0;
}

/* One place that cannot be listed hides no other, and is no empty one. */
static int find_in(void *context, const struct dirent *entry)
{
	struct finding here = *(const struct finding *)context;
	autofree char *path = alloc_text("%s/%s", here.dir, entry->d_name);
	autoclose int fd = -1;
	int r;

	if (entry->d_name[0] == '.')
		return 0;
	fd = dir_open_own(path, 022);
	here.dir = path;
	here.fd = fd;
	r = fd < 0 ? fd : dir_each(fd, find_one, &here);
	if (r < 0 && r != -ENOTDIR && r != -ENOENT)
		warn("cannot list '%s': %s", path, strerror(-r));
	return 0;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct logged *)a)->id,
		      ((const struct logged *)b)->id);
}

void logged_find(struct logged_list *list, const char *id)
{
	autobuf struct buf path = { 0 };
	struct finding finding = { .list = list, .id = id };
	const size_t before = list->count;
	struct why why = { 0 };
	int r;

	if (place_state(&path, &why) < 0)
		die_why(&why);
	buf_adds(&path, "/sessions");
	finding.dir = buf_str(&path);
	autoclose int fd = dir_open_own(finding.dir, 022);
	r = fd < 0 ? fd : dir_each(fd, find_in, &finding);
	if (r < 0 && (fd >= 0 || r != -ENOENT)) {
		(void)why_sys(&why, -r, "cannot list '%s'", finding.dir);
		(void)place_blame_state(&why);
		die_why(&why);
	}
	if (id && list->count == before)
		die(EXIT_MISUSE,
		    "there is no log of a session '%s'; see 'chock sessions "
		    "list'",
		    id);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_id);
}

char *logged_beside(const struct logged *logged, const char *suffix)
{
	return alloc_text("%s/%s%s", logged->dir, logged->id, suffix);
}

static void count_one(struct logged *logged)
{
	autoclose int fd =
		open(logged->log,
		     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	autolines struct lines lines = { .fd = fd };
	struct why why = { 0 };
	struct span line;
	int r;

	if (fd < 0) {
		warn("cannot open '%s': %s", logged->log, strerror(errno));
		return;
	}
	r = logfile_running(fd);
	/* One of which nobody can tell is not one that may be removed. */
	logged->running = r != 0;
	while ((r = lines_next(&lines, &line, &why)) > 0)
		tally_line(&logged->tally, line);
	if (r < 0 && r != -EBADMSG)
		warn("cannot read '%s': %s", logged->log, why.text);
}

void logged_count(struct logged_list *list)
{
	autoprogress struct progress progress = { 0 };
	size_t i;

	progress_begin(&progress, "reading logs");
	for (i = 0; i < list->count; i++)
		count_one(&list->items[i]);
}

void logged_list_drop(struct logged_list *list)
{
	while (list->count) {
		struct logged *logged = &list->items[--list->count];

		free(logged->dir);
		free(logged->log);
		tally_drop(&logged->tally);
	}
	free(list->items);
	*list = (struct logged_list){ 0 };
}
