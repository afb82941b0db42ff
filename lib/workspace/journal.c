/* SPDX-License-Identifier: ISC */
#include "workspace/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/why.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/refs.h"

#define JOURNAL_MAX ((size_t)4 << 10) /* bytes */

void journal_locks(struct names *paths, const struct space *space,
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

/* So that a name that was added or removed is so after a power cut too. */
static int sync_dir(const struct space *s, struct why *why)
{
	autoclose int fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0
		       ? why_sys(why, errno, "cannot write '%s'", s->dir)
		       : 0;
}

static int lock(int fd, const char *path, struct why *why)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK
		       ? why_set(why, EAGAIN, "an apply of it goes on")
		       : why_sys(why, errno, "cannot lock '%s'", path);
}

int journal_begin(struct journal *journal, const struct space *space,
		  const struct effect *landed, struct span to, struct why *why)
{
	autofree char *path = path_of(space);
	autobuf struct buf record = { 0 };
	int r;

	journal->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (journal->fd < 0)
		return why_sys(why, errno, "cannot make '%s'", path);
	r = lock(journal->fd, path, why);
	if (r < 0)
		return r;
	json_open(&record);
	json_str(&record, "from", buf_span(&landed->from));
	json_str(&record, "to", buf_span(&landed->to));
	json_str(&record, "work", to);
	json_close(&record);
	buf_addc(&record, '\n');
	r = file_write(journal->fd, buf_span(&record));
	if (r < 0 || fsync(journal->fd) < 0)
		return why_sys(why, r < 0 ? -r : errno, "cannot write '%s'",
			       path);
	return sync_dir(space, why);
}

int journal_open(struct journal *journal, const struct space *space,
		 struct why *why)
{
	autofree char *path = path_of(space);
	autobuf struct buf bytes = { 0 };
	autorecord struct record record = { 0 };
	struct why torn = { 0 };
	int r;

	journal->fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (journal->fd < 0)
		return errno == ENOENT
			       ? 0
			       : why_sys(why, errno, "cannot open '%s'", path);
	r = lock(journal->fd, path, why);
	if (!r)
		r = file_read(&bytes, journal->fd, JOURNAL_MAX, why);
	if (r < 0)
		return r;
	if (bytes.len && bytes.data[bytes.len - 1] == '\n' &&
	    !record_read(&record, (struct span){ bytes.data, bytes.len - 1 },
			 &torn) &&
	    (value_text(&journal->from, record_get(&record, "from")) < 0 ||
	     value_text(&journal->to, record_get(&record, "to")) < 0 ||
	     value_text(&journal->work, record_get(&record, "work")) < 0))
		return why_set(why, EBADMSG, "'%s' is damaged", path);
	return 1;
}

int journal_end(struct journal *journal, const struct space *space,
		struct why *why)
{
	autofree char *path = path_of(space);

	if (journal->fd < 0)
		return 0;
	if (unlink(path) < 0)
		return why_sys(why, errno, "cannot remove '%s'", path);
	journal_close(journal);
	return sync_dir(space, why);
}

void journal_close(struct journal *journal)
{
	fd_drop(&journal->fd);
	buf_drop(&journal->from);
	buf_drop(&journal->to);
	buf_drop(&journal->work);
}
