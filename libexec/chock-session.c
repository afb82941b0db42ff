/* SPDX-License-Identifier: ISC */
/*
 * chock-session - name a new session, or list those of a project
 *
 * See chock-session(1).
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "log/logfile.h"
#include "log/session.h"
#include "log/stamp.h"
#include "record/json.h"

static const struct opt_table options = {
	"chock-session",
	"new [DIR]\n"
	"list [DIR]",
	"name a new session, or list those of a project",
	(const struct opt[]){ { .name = NULL } },
};

/* The project's real path, and the directory of its sessions. */
struct place {
	char *project; /* owned */
	struct buf path;
	int fd; /* owned, -1 without such a directory */
};

static void close_place(struct place *place)
{
	free(place->project);
	buf_drop(&place->path);
	auto_close(&place->fd);
}

static void open_place(struct place *place, const char *dir, bool make)
{
	autoclose int fd = -1;
	struct why why = { 0 };
	int r;

	place->project = realpath(dir, NULL);
	if (place->project)
		fd = open(place->project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		die_errno(errno == ENOMEM ? EXIT_SYSTEM : EXIT_MISUSE,
			  "cannot find the project '%s'", dir);
	r = session_open_place(&place->path, span_of(place->project), make,
			       &why);
	if (r < 0 && (make || r != -ENOENT))
		die_why(&why);
	place->fd = r < 0 ? -1 : r;
}

static void add_path(struct buf *out, const char *name,
		     const struct place *place, const char *id,
		     const char *suffix)
{
	autobuf struct buf path = { 0 };

	buf_add(&path, buf_span(&place->path));
	buf_addc(&path, '/');
	buf_adds(&path, id);
	buf_adds(&path, suffix);
	json_str(out, name, buf_span(&path));
}

static void add_session(struct buf *out, const struct place *place,
			const char *id)
{
	char started[STAMP_LEN + 1];
	uint64_t ms = 0;

	(void)session_id_started(&ms, span_of(id));
	stamp_put(started, ms);
	json_str(out, "session", span_of(id));
	json_str(out, "started", span_of(started));
	json_str(out, "project", span_of(place->project));
	json_str(out, "dir", buf_span(&place->path));
	add_path(out, "log", place, id, LOGFILE_SUFFIX);
	add_path(out, "workspace", place, id, "");
}

static void make_session(const char *dir)
{
	autobuf struct buf out = { 0 };
	struct place place = { .fd = -1 };
	char id[SESSION_ID_LEN + 1];
	struct why why = { 0 };

	open_place(&place, dir, true);
	if (session_id_make(id, &why) < 0)
		die_why(&why);
	json_open(&out);
	add_session(&out, &place, id);
	json_close_line(&out);
	print(&out);
	close_place(&place);
}

/* Whether @entry is the log of a session. */
static int is_log(const struct dirent *entry)
{
	struct span name = span_of(entry->d_name);
	struct span suffix = span_of(LOGFILE_SUFFIX);
	uint64_t ms;

	return name.len == SESSION_ID_LEN + suffix.len &&
	       span_is(span_from(name, SESSION_ID_LEN), LOGFILE_SUFFIX) &&
	       !session_id_started(&ms,
				   (struct span){ name.data, SESSION_ID_LEN });
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_one(const struct place *place, const char *name)
{
	autoclose int fd = openat(place->fd, name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC);
	autobuf struct buf out = { 0 };
	char id[SESSION_ID_LEN + 1] = { 0 };
	int running;

	if (fd < 0 && errno == ENOENT)
		return;
	memcpy(id, name, SESSION_ID_LEN);
	running = fd < 0 ? -errno : logfile_running(fd);
	if (running < 0) {
		errno = -running;
		die_errno(EXIT_SYSTEM, "cannot tell whether session %s runs",
			  id);
	}
	json_open(&out);
	add_session(&out, place, id);
	json_bool(&out, "running", running);
	json_close_line(&out);
	print(&out);
}

static void list_sessions(const char *dir)
{
	struct place place = { .fd = -1 };
	struct dirent **entries = NULL;
	int count;
	int i;

	open_place(&place, dir, false);
	count = place.fd < 0
			? 0
			: scandirat(place.fd, ".", &entries, is_log, by_name);
	if (count < 0)
		die_errno(EXIT_SYSTEM, "cannot read '%s'",
			  buf_str(&place.path));
	for (i = 0; i < count; i++) {
		list_one(&place, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	close_place(&place);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);
	const char *verb = first < argc ? argv[first] : "";
	const char *dir = first + 1 < argc ? argv[first + 1] : ".";

	if (argc - first > 2)
		opt_misuse(&options);
	if (!strcmp(verb, "new"))
		make_session(dir);
	else if (!strcmp(verb, "list"))
		list_sessions(dir);
	else
		opt_misuse(&options);
	return EXIT_ALLOW;
}
