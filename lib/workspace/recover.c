/* SPDX-License-Identifier: ISC */
#include "workspace/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/effect.h"
#include "workspace/indexlock.h"
#include "workspace/intent.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/undo.h"

/* ---- locks --------------------------------------------------------------- */

/* A lock of a reference holds the commit that only this apply writes there. */
static bool has_ours(const char *path, const struct intent *j)
{
	autobuf struct buf bytes = { 0 };
	struct why lost = { 0 };
	struct span id;

	if (file_read_path(&bytes, AT_FDCWD, path, 128, &lost) < 0)
		return false;
	id = buf_span(&bytes);
	id = span_cut(&id, '\n');
	return id.len && (span_equal(id, buf_span(&j->to)) ||
			  span_equal(id, buf_span(&j->work)));
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

/*
 * git locks HEAD before the branch that it stands for, and keeps both to the
 * end: where the lock of the branch is ours, that of HEAD is.
 */
static int remove_locks(struct buf *left, const struct intent *j,
			const struct space *s, const struct project *p,
			struct why *why)
{
	autofree char *head = alloc_text("%s/HEAD.lock", buf_str(&p->git_dir));
	autofree char *work = alloc_text("%s/" REFS_PARKED "%s.lock",
					 buf_str(&p->common_dir),
					 buf_str(&s->id));
	autofree char *branch = alloc_text(
		"%s/%s.lock", buf_str(&p->common_dir), buf_str(&s->branch));
	const bool branch_ours =
		s->branch.len &&
		(has_ours(branch, j) || is_marked(branch, &j->branch));
	const bool head_ours = branch_ours || is_marked(head, &j->head);
	int r = remove_lock(work, why);

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

static int put_back(struct buf *what, const struct intent *j,
		    const struct space *s, const struct project *p,
		    struct why *why)
{
	autoeffect struct effect e = { 0 };
	autoindexlock struct indexlock indexlock = { 0 };
	autoundone struct undone undone = { 0 };
	const struct landing landing = { s, p, &e };
	int r;

	buf_add(&e.from, buf_span(&j->from));
	buf_add(&e.to, buf_span(&j->to));
	r = effect_compare(&e, s, why);
	if (!r)
		r = indexlock_take(&indexlock, s, p, why);
	if (!r)
		r = undo_apply(&undone, j, &landing, why);
	buf_adds(what, "an apply that was cut off was undone");
	undone_say(&undone, what);
	return r;
}

/* ---- all of it ----------------------------------------------------------- */

static int see_to(struct buf *what, const struct intent *j,
		  const struct space *s, const struct project *p,
		  struct why *why)
{
	if (!j->to.len)
		buf_adds(what, "an apply was cut off before it began");
	else if (!j->files)
		buf_adds(what, "an apply was cut off before it changed a file");
	else if (span_equal(buf_span(&p->head), buf_span(&j->to)))
		buf_adds(what, "an apply that was cut off had been finished");
	else if (!span_equal(buf_span(&p->head), buf_span(&j->from)))
		buf_adds(what, "an apply was cut off, and the branch moved "
			       "since; the files are left as they are");
	else
		return put_back(what, j, s, p, why);
	return 0;
}

int recover_apply(struct buf *what, const struct space *space,
		  const struct project *project, struct why *why)
{
	autointent struct intent intent = INTENT_CLOSED;
	autobuf struct buf left = { 0 };
	struct space held = *space;
	int r = intent_open(&intent, space, why);

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
