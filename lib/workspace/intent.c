/* SPDX-License-Identifier: ISC */
#include "workspace/intent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/why.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/refs.h"

#define INTENT_MAX ((size_t)4 << 10) /* bytes */

void intent_locks(struct names *paths, const struct space *space,
		  const struct project *project)
{
	autofree char *index =
		alloc_text("%s/index.lock", buf_str(&project->git_dir));
	autofree char *head =
		alloc_text("%s/HEAD.lock", buf_str(&project->git_dir));
	autofree char *work = alloc_text("%s/" REFS_PARKED "%s.lock",
					 buf_str(&project->common_dir),
					 buf_str(&space->id));
	autofree char *branch = alloc_text("%s/%s.lock",
					   buf_str(&project->common_dir),
					   buf_str(&space->branch));

	names_add(paths, span_of(index));
	names_add(paths, span_of(head));
	names_add(paths, span_of(work));
	if (space->branch.len)
		names_add(paths, span_of(branch));
}

static char *path_of(const struct space *s)
{
	return alloc_text("%s/journal", s->dir);
}

static int sync_dir(const struct space *s, struct why *why)
{
	int r = file_sync_dir(s->dir);

	return r < 0 ? why_sys(why, -r, "cannot write '%s'", s->dir) : 0;
}

/*
 * Between our open and our lock whoever had the lock may have removed the file:
 * then there is none, and -ESTALE is returned.
 */
static int lock(int fd, const char *path, struct why *why)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? why_set(why, EAGAIN, "an apply of it goes on")
			       : why_sys(why, errno, "cannot lock '%s'", path);
	if (fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	return st.st_nlink ? 0 : why_sys(why, ESTALE, "cannot lock '%s'", path);
}

/* Puts @record at the end of the journal, as a line of its own. */
static int put(struct intent *intent, const struct space *space,
	       struct buf *record, struct why *why)
{
	autofree char *path = path_of(space);
	int r;

	json_close_line(record);
	r = file_write(intent->fd, buf_span(record));
	return r < 0 || fsync(intent->fd) < 0
		       ? why_sys(why, r < 0 ? -r : errno, "cannot write '%s'",
				 path)
		       : 0;
}

/* There is one already: of an apply that goes on, or that was cut off. */
static int refuse(const struct space *space, const char *path, struct why *why)
{
	autointent struct intent other = INTENT_CLOSED;
	int r = intent_open(&other, space, why);

	return r < 0 ? r
		     : why_sys(why, r ? EEXIST : EAGAIN, "cannot make '%s'",
			       path);
}

int intent_begin(struct intent *intent, const struct space *space,
		 const struct effect *landed, struct span to, struct why *why)
{
	autofree char *path = path_of(space);
	autobuf struct buf record = { 0 };
	int r;

	intent->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (intent->fd < 0)
		return errno == EEXIST
			       ? refuse(space, path, why)
			       : why_sys(why, errno, "cannot make '%s'", path);
	r = lock(intent->fd, path, why);
	/* Who looked before there was a lock took it for a dead one. */
	if (r == -ESTALE)
		r = why_set(why, EAGAIN, "another apply of it goes on");
	else if (r < 0 && r != -EAGAIN)
		(void)unlink(path);
	if (r < 0)
		return r;
	json_open(&record);
	if (landed) {
		json_str(&record, "from", buf_span(&landed->from));
		json_str(&record, "to", buf_span(&landed->to));
		json_str(&record, "work", to);
	} else {
		json_bool(&record, "also", true);
	}
	r = put(intent, space, &record, why);
	if (r < 0)
		(void)unlink(path);
	return r < 0 ? r : sync_dir(space, why);
}

int intent_files(struct intent *intent, const struct space *space,
		 const struct project *project, struct why *why)
{
	autofree char *head =
		alloc_text("%s/HEAD.lock", buf_str(&project->git_dir));
	autofree char *branch = alloc_text("%s/%s.lock",
					   buf_str(&project->common_dir),
					   buf_str(&project->branch));
	autobuf struct buf record = { 0 };
	struct stat st;

	buf_reset(&intent->head);
	buf_reset(&intent->branch);
	intent_mark(&intent->head, head);
	intent_mark(&intent->branch, branch);
	json_open(&record);
	json_bool(&record, "files", true);
	json_str(&record, "head_lock", buf_span(&intent->head));
	json_str(&record, "branch_lock", buf_span(&intent->branch));
	if (put(intent, space, &record, why) < 0)
		return -why->errnum;
	if (fstat(intent->fd, &st) < 0)
		return why_sys(why, errno, "cannot look at the journal");
	intent->files = true;
	intent->since = st.st_mtim;
	return 0;
}

void intent_mark(struct buf *mark, const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		buf_addf(mark, "%ju:%ju:%jd.%09ld", (uintmax_t)st.st_dev,
			 (uintmax_t)st.st_ino, (intmax_t)st.st_ctim.tv_sec,
			 st.st_ctim.tv_nsec);
}

struct field {
	const char *name;
	struct buf *value;
};

static int take(struct span line, const struct field fields[3], struct why *why)
{
	autorecord struct record record = { 0 };
	int r = record_read(&record, line, why);
	size_t i;

	for (i = 0; !r && i < 3 && fields[i].name; i++)
		r = value_text(fields[i].value,
			       record_get(&record, fields[i].name));
	return r;
}

/* They go to git as words of a command. */
static bool has_ids(const struct intent *intent)
{
	return git_is_id(buf_span(&intent->to)) &&
	       git_is_id(buf_span(&intent->work)) &&
	       (!intent->from.len || git_is_id(buf_span(&intent->from)));
}

int intent_take(struct intent *intent, struct span text, struct why *why)
{
	const struct field first[3] = { { "from", &intent->from },
					{ "to", &intent->to },
					{ "work", &intent->work } };
	const struct field second[3] = { { "head_lock", &intent->head },
					 { "branch_lock", &intent->branch },
					 { NULL, NULL } };
	const char *end = text.len ? memchr(text.data, '\n', text.len) : NULL;
	size_t len;
	int r;

	if (!end)
		return 0;
	len = (size_t)(end - text.data);
	intent->also =
		span_is((struct span){ text.data, len }, "{\"also\":true}");
	if (intent->also)
		return 0;
	r = take((struct span){ text.data, len }, first, why);
	if (r < 0 || !has_ids(intent))
		return why_set(why, EBADMSG, "its first line is none of ours");
	text = span_from(text, len + 1);
	end = text.len ? memchr(text.data, '\n', text.len) : NULL;
	if (!end)
		return 0;
	intent->files = true;
	r = take((struct span){ text.data, (size_t)(end - text.data) }, second,
		 why);
	return r < 0 ? why_set(why, EBADMSG, "its second line is none of ours")
		     : 0;
}

static int open_locked(struct intent *intent, const char *path, struct why *why)
{
	int r;

	do {
		fd_drop(&intent->fd);
		intent->fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (intent->fd < 0)
			return errno == ENOENT
				       ? 0
				       : why_sys(why, errno, "cannot open '%s'",
						 path);
		r = lock(intent->fd, path, why);
	} while (r == -ESTALE);
	return r < 0 ? r : 1;
}

int intent_open(struct intent *intent, const struct space *space,
		struct why *why)
{
	autofree char *path = path_of(space);
	autobuf struct buf bytes = { 0 };
	struct why torn = { 0 };
	struct stat st;
	int r = open_locked(intent, path, why);

	if (r <= 0)
		return r;
	r = file_read(&bytes, intent->fd, INTENT_MAX, why);
	if (r < 0)
		return r;
	if (fstat(intent->fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	intent->since = st.st_mtim;
	return intent_take(intent, buf_span(&bytes), &torn) < 0
		       ? why_set(why, EBADMSG, "'%s' is damaged", path)
		       : 1;
}

int intent_there(const struct space *space)
{
	autofree char *path = path_of(space);

	return !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) ? 1
	       : errno == ENOENT                                     ? 0
								     : -errno;
}

int intent_end(struct intent *intent, const struct space *space,
	       struct why *why)
{
	autofree char *path = path_of(space);

	if (intent->fd < 0 || intent->keep)
		return 0;
	if (unlink(path) < 0)
		return why_sys(why, errno, "cannot remove '%s'", path);
	intent_close(intent);
	return sync_dir(space, why);
}

void intent_close(struct intent *intent)
{
	fd_drop(&intent->fd);
	buf_drop(&intent->from);
	buf_drop(&intent->to);
	buf_drop(&intent->work);
	buf_drop(&intent->head);
	buf_drop(&intent->branch);
	*intent = INTENT_CLOSED;
}
