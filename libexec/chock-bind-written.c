/* SPDX-License-Identifier: ISC */
/*
 * chock-bind end - what is written through does not come to run on the host
 *
 * A session can change the mode of a file that is its user's and that it can
 * write: no mount takes chmod(2) away and leaves write(2).  So what it has been
 * given is noted, and loses what lets anybody execute it when the session is
 * over; a change of that kind is one that an apply would ask about apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/identity.h"
#include "base/line.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-bind.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/beneath.h"

#define WRITTEN "written" /* in a workspace; a record a line */

void bind_written_add(struct buf *written, const char *path,
		      const char *identity)
{
	json_open(written);
	json_str(written, "path", span_of(path));
	json_str(written, "identity", span_of(identity));
	json_close_line(written);
}

void bind_written_save(const struct bind_place *place,
		       const struct buf *written)
{
	struct why why = { 0 };

	if (written->len &&
	    file_put(place->space.dir, WRITTEN, buf_span(written), &why) < 0)
		die_why(&why);
}

/* The descriptor is by O_PATH, for nobody may be able to read the file, and
 * chmod(2) takes one by this name alone, proc_pid_fd(5). */
static int take_off(int fd, mode_t mode)
{
	autofree char *name = alloc_text("/proc/self/fd/%d", fd);

	return chmod(name, mode & 07777U & ~BIND_EXECUTES) < 0 ? -errno : 0;
}

/* Returns whether it was there to be taken off. */
static bool end_one(const struct bind_place *place, const char *path,
		    const struct identity *was)
{
	autoclose int fd = beneath_open(place->root_fd, path);
	struct identity now;
	struct stat st;
	int r;

	/* What is there now was not the session's to write. */
	if (fd < 0 || identity_of(&now, fd) < 0 || !identity_same(&now, was))
		return false;
	if (fstat(fd, &st) < 0 || !(st.st_mode & BIND_EXECUTES))
		return false;
	r = take_off(fd, st.st_mode);
	if (r < 0)
		die(EXIT_SYSTEM,
		    "'%s' can be executed since the session, and that cannot "
		    "be taken off: %s",
		    path, strerror(-r));
	warn("'%s' could be executed since the session, and cannot any more; "
	     "'copy' asks about it",
	     path);
	return true;
}

static void end_line(struct buf *record, const struct bind_place *place,
		     struct span line)
{
	autorecord struct record noted = { 0 };
	autobuf struct buf path = { 0 };
	autobuf struct buf text = { 0 };
	struct identity identity;
	struct why why = { 0 };

	if (record_read(&noted, line, &why) < 0)
		die_why(&why);
	if (value_text(&path, record_get(&noted, "path")) < 0 ||
	    value_text(&text, record_get(&noted, "identity")) < 0 ||
	    identity_read(&identity, buf_span(&text)) < 0)
		die(EXIT_SYSTEM, "cannot read what is written through in '%s'",
		    place->space.dir);
	if (end_one(place, buf_str(&path), &identity))
		json_item(record, buf_span(&path));
}

void bind_written_end(const char *workspace)
{
	struct bind_place place;
	autofree char *path = alloc_text("%s/" WRITTEN, workspace);
	autobuf struct buf record = { 0 };
	autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	autolines struct lines lines = { .fd = fd };
	struct why why = { 0 };
	struct span line;
	int r = 0;

	if (fd < 0 && errno != ENOENT)
		die_errno(EXIT_SYSTEM, "cannot open '%s'", path);
	bind_open(&place, workspace);
	json_open(&record);
	json_str(&record, "session", buf_span(&place.space.id));
	json_open_array(&record, "taken");
	while (fd >= 0 && (r = lines_next(&lines, &line, &why)) > 0)
		end_line(&record, &place, line);
	if (r < 0)
		die_why(&why);
	json_close_array(&record);
	json_close_line(&record);
	print(&record);
	bind_close(&place);
}
