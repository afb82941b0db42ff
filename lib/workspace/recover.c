/* SPDX-License-Identifier: ISC */
#include "workspace/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/also.h"
#include "workspace/effect.h"
#include "workspace/indexlock.h"
#include "workspace/intent.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/undo.h"

/* A lock of a reference has an id in it, and a newline. */
#define LOCK_MAX ((size_t)128) /* bytes */

/* ---- locks --------------------------------------------------------------- */

/* A lock of a reference holds the commit that only this apply writes there. */
static bool has_ours(const char *path, const struct intent *intent)
{
	autobuf struct buf bytes = { 0 };
	struct why lost = { 0 };
	struct span id;

	if (file_read_path(&bytes, AT_FDCWD, path, LOCK_MAX, &lost) < 0)
		return false;
	id = buf_span(&bytes);
	id = span_cut(&id, '\n');
	return id.len && (span_equal(id, buf_span(&intent->to)) ||
			  span_equal(id, buf_span(&intent->work)));
}

/* Whether it is the very file that the journal says it was locked by. */
static bool is_marked(const char *path, const struct buf *mark)
{
	autobuf struct buf is = { 0 };

	intent_mark(&is, path);
	return is.len && span_equal(buf_span(&is), buf_span(mark));
}

static int remove_lock(const char *path, struct why *why)
{
	return unlink(path) < 0 && errno != ENOENT
		       ? why_sys(why, errno, "cannot remove '%s'", path)
		       : 0;
}

static void leave_lock(struct buf *left, const char *path)
{
	if (access(path, F_OK) < 0)
		return;
	buf_adds(left, left->len ? ", '" : "'");
	quote_line(left, span_of(path));
	buf_addc(left, '\'');
}

/* The lock of a reference is a file that no reference can be named as. */
static bool is_lock(const FTSENT *at)
{
	static const char end[] = ".lock";
	const size_t len = sizeof(end) - 1;

	return at->fts_info == FTS_F && at->fts_namelen > len &&
	       !strcmp(at->fts_name + at->fts_namelen - len, end);
}

/* One that is older than the journal is of another git. */
static bool is_since(const FTSENT *at, const struct intent *intent)
{
	const struct timespec made = at->fts_statp->st_mtim;

	return made.tv_sec > intent->since.tv_sec ||
	       (made.tv_sec == intent->since.tv_sec &&
		made.tv_nsec >= intent->since.tv_nsec);
}

/*
 * Those of the session's other branches and tags, which only its apply writes.
 * They are given up again before files are touched.
 */
static int remove_also_locks(struct buf *left, const struct intent *intent,
			     const struct space *s, const struct project *p,
			     struct why *why)
{
	autofree char *dir = alloc_text("%s/" ALSO_PARKED "%s",
					buf_str(&p->common_dir),
					buf_str(&s->id));
	char *const roots[] = { dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *at;
	int r = 0;

	if (!fts)
		return why_sys(why, errno, "cannot read '%s'", dir);
	while (!r && (errno = 0, at = fts_read(fts))) {
		if (at->fts_info == FTS_DNR || at->fts_info == FTS_ERR)
			r = why_sys(why, at->fts_errno, "cannot read '%s'",
				    at->fts_path);
		else if (is_lock(at) && is_since(at, intent))
			r = remove_lock(at->fts_path, why);
		else if (is_lock(at))
			leave_lock(left, at->fts_path);
	}
	if (!r && errno)
		r = why_sys(why, errno, "cannot read '%s'", dir);
	(void)fts_close(fts);
	return r;
}

/*
 * git locks HEAD before the branch that it stands for, and keeps both to the
 * end: where the lock of the branch is ours, that of HEAD is.
 */
static int remove_locks(struct buf *left, const struct intent *intent,
			const struct space *s, const struct project *p,
			struct why *why)
{
	autofree char *head = alloc_text("%s/HEAD.lock", buf_str(&p->git_dir));
	autofree char *work = alloc_text("%s/" REFS_PARKED "%s.lock",
					 buf_str(&p->common_dir),
					 buf_str(&s->id));
	autofree char *branch = alloc_text(
		"%s/%s.lock", buf_str(&p->common_dir), buf_str(&s->branch));
	const bool branch_ours = s->branch.len &&
				 (has_ours(branch, intent) ||
				  is_marked(branch, &intent->branch));
	const bool head_ours = branch_ours || is_marked(head, &intent->head);
	int r = remove_also_locks(left, intent, s, p, why);

	if (intent->also || r < 0)
		return r;
	r = remove_lock(work, why);
	if (!r && head_ours)
		r = remove_lock(head, why);
	if (!r && branch_ours)
		r = remove_lock(branch, why);
	if (!head_ours)
		leave_lock(left, head);
	if (!branch_ours && s->branch.len)
		leave_lock(left, branch);
	return r;
}

/* ---- files --------------------------------------------------------------- */

static int put_back(struct buf *what, const struct intent *intent,
		    const struct space *s, const struct project *p,
		    struct why *why)
{
	autoeffect struct effect e = { 0 };
	autoindexlock struct indexlock indexlock = { 0 };
	autoundone struct undone undone = { 0 };
	const struct landing landing = { s, p, &e };
	int r;

	buf_add(&e.from, buf_span(&intent->from));
	buf_add(&e.to, buf_span(&intent->to));
	r = effect_compare(&e, s, why);
	if (!r)
		r = indexlock_take(&indexlock, s, p, why);
	if (!r)
		r = undo_apply(&undone, intent, &landing, why);
	buf_adds(what, "an apply that was cut off was undone");
	undone_say(&undone, what);
	return r;
}

/* ---- all of it ----------------------------------------------------------- */

static int see_to(struct buf *what, const struct intent *intent,
		  const struct space *s, const struct project *p,
		  struct why *why)
{
	if (intent->also)
		buf_adds(what,
			 "an apply of other branches and tags was cut off");
	else if (!intent->to.len)
		buf_adds(what, "an apply was cut off before it began");
	else if (!intent->files)
		buf_adds(what, "an apply was cut off before it changed a file");
	else if (span_equal(buf_span(&p->head), buf_span(&intent->to)))
		buf_adds(what, "an apply that was cut off had been finished");
	else if (!span_equal(buf_span(&p->head), buf_span(&intent->from)))
		buf_adds(what, "an apply was cut off, and the branch moved "
			       "since; the files are left as they are");
	else
		return put_back(what, intent, s, p, why);
	return 0;
}

int recover_apply(struct buf *what, const struct space *space,
		  const struct project *project, struct why *why)
{
	autointent struct intent intent = INTENT_CLOSED;
	autobuf struct buf left = { 0 };
	struct space held = *space;
	int r = intent_open(&intent, space, why);

	if (r == -EAGAIN)
		return why_set(why, EALREADY, "an apply of it goes on");
	if (r <= 0)
		return r;
	/* A git of ours that outlives us has the journal locked as well. */
	held.keep_fd = &intent.fd;
	r = space_quarantine(space, project, why);
	if (!r)
		r = remove_locks(&left, &intent, space, project, why);
	if (!r)
		r = see_to(what, &intent, &held, project, why);
	if (!r)
		r = indexlock_clear(space, project, why);
	if (left.len)
		buf_addf(what, "; it is not known whose these locks are: %s",
			 buf_str(&left));
	return r < 0 ? why_within(why, "an apply was cut off")
		     : intent_end(&intent, space, why);
}
