/* SPDX-License-Identifier: ISC */
#include "workspace/written.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/identity.h"
#include "base/line.h"
#include "base/why.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/beneath.h"
#include "workspace/space.h"

#define NOTE "written" /* in a workspace; a record a line */

struct ending {
	int root_fd;
	written_tell *tell; /* or NULL */
	void *context;      /* borrowed; of tell */
	struct why *why;    /* of the first that failed */
	int r;              /* of that */
};

void written_add(struct buf *note, const char *path, const char *identity)
{
	json_open(note);
	json_str(note, "path", span_of(path));
	json_str(note, "identity", span_of(identity));
	json_close_line(note);
}

int written_save(const char *dir, struct span note, struct why *why)
{
	return note.len ? file_put(dir, NOTE, note, why) : 0;
}

static bool is_gone(int r)
{
	return r == -ENOENT || r == -ENOTDIR || r == -ELOOP;
}

/* The descriptor is by O_PATH, for nobody may be able to read the file, and
 * chmod(2) takes one by this name alone, proc_pid_fd(5). */
static int take_off(int fd, mode_t mode)
{
	autofree char *name = alloc_text("/proc/self/fd/%d", fd);

	return chmod(name, mode & 07777U & ~WRITTEN_EXECUTES) < 0 ? -errno : 1;
}

/* Returns 1 if it was there to be taken off, 0 if not, or -errno. */
static int mend(int root_fd, const char *path, const struct identity *was)
{
	autoclose int fd = beneath_open(root_fd, path);
	struct identity now;
	struct stat st;
	int r = fd;

	if (is_gone(fd))
		return 0;
	if (fd >= 0)
		r = identity_of(&now, fd);
	if (r < 0)
		return r;
	if (!identity_same(&now, was))
		return 0;
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_mode & WRITTEN_EXECUTES ? take_off(fd, st.st_mode) : 0;
}

static void fail(struct ending *e, const char *path, const struct why *why)
{
	if (e->tell)
		e->tell(e->context, path, false, why->text);
	if (e->r)
		return;
	e->r = -why->errnum;
	*e->why = *why;
}

static void end_one(struct ending *e, const char *path,
		    const struct identity *was)
{
	autobuf struct buf sentence = { 0 };
	struct why why = { 0 };
	int r = mend(e->root_fd, path, was);

	if (r < 0) {
		(void)why_sys(&why, -r,
			      "cannot see to it that nobody executes '%s', "
			      "which a session could write to",
			      path);
		fail(e, path, &why);
	} else if (r && e->tell) {
		buf_addf(&sentence,
			 "'%s' was made executable during the session, and is "
			 "not any more; a bind by 'copy' asks about that",
			 path);
		e->tell(e->context, path, true, buf_str(&sentence));
	}
}

static void end_line(struct ending *e, struct span line)
{
	autorecord struct record noted = { 0 };
	autobuf struct buf path = { 0 };
	autobuf struct buf text = { 0 };
	struct identity identity;
	struct why why = { 0 };

	if (record_read(&noted, line, &why) < 0 ||
	    value_text(&path, record_get(&noted, "path")) < 0 ||
	    value_text(&text, record_get(&noted, "identity")) < 0 ||
	    identity_read(&identity, buf_span(&text)) < 0) {
		(void)why_set(&why, EBADMSG,
			      "cannot read what a session could write to: a "
			      "line of the note is no such record");
		fail(e, "", &why);
		return;
	}
	end_one(e, buf_str(&path), &identity);
}

/* Of a project that is gone, each file is. */
static int open_root(int *root_fd, const char *dir, struct why *why)
{
	autospace struct space space = { 0 };
	int r = space_open(&space, dir, why);

	if (r < 0)
		return r;
	*root_fd = open(buf_str(&space.project),
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*root_fd < 0 && !is_gone(-errno))
		return why_sys(why, errno, "cannot open '%s'",
			       buf_str(&space.project));
	return 0;
}

static int end_lines(struct ending *e, int fd)
{
	autolines struct lines lines = { .fd = fd };
	struct span line;
	int r;

	while ((r = lines_next(&lines, &line, e->why)) > 0)
		end_line(e, line);
	return r < 0 ? r : e->r;
}

int written_end(const char *dir, written_tell *tell, void *context,
		struct why *why)
{
	autofree char *note = alloc_text("%s/" NOTE, dir);
	autoclose int fd = open(note, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	autoclose int root_fd = -1;
	struct ending e = { .tell = tell, .context = context, .why = why };
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return why_sys(why, errno, "cannot open '%s'", note);
	r = open_root(&root_fd, dir, why);
	e.root_fd = root_fd;
	if (!r && root_fd >= 0)
		r = end_lines(&e, fd);
	if (!r && unlink(note) < 0)
		r = why_sys(why, errno, "cannot remove '%s'", note);
	return r;
}
