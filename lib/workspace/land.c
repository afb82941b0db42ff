/* SPDX-License-Identifier: ISC */
#include "workspace/land.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"
#include "workspace/dirt.h"
#include "workspace/indexlock.h"
#include "workspace/obstacle.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/undo.h"

/*
 * The pack file is the one that was looked at, and nobody else could write to
 * it since.  It is checked once more, now against the project's own objects.
 */
int land_pack(const struct space *s, const struct project *p, int pack_fd,
	      struct why *why)
{
	const char *const args[] = { "index-pack",
				     git_strict(p->settings.partial), "--stdin",
				     NULL };
	struct git git = space_git(s);
	int r;

	git.in_fd = pack_fd;
	git.objects = p->stores.items[0];
	r = git_run(&git, args, why);
	return git_settle(&git, r, "put the objects into the project", why);
}

static int keep_objects(const struct space *s, const struct project *p,
			struct why *why)
{
	autoclose int pack_fd = open(s->pack, O_RDONLY | O_CLOEXEC);

	return pack_fd < 0 ? why_sys(why, errno, "cannot open '%s'", s->pack)
			   : land_pack(s, p, pack_fd, why);
}

/* The pack is a file in memory: it has merged files and no others. */
int land_bring(const struct space *space, const struct project *project,
	       const struct course *course, struct why *why)
{
	static const char *const args[] = { "pack-objects", "--revs",
					    "--stdout",     "-q",
					    "--no-thin",    NULL };
	autoclose int revs_fd = memfd_create("revisions", MFD_CLOEXEC);
	autoclose int pack_fd = memfd_create("pack", MFD_CLOEXEC);
	autobuf struct buf revs = { 0 };
	struct git git = space_git(space);
	int r;

	buf_addf(&revs, "%s\n^%s\n", buf_str(&course->commit),
		 buf_str(&course->onto));
	if (revs_fd < 0 || pack_fd < 0 ||
	    file_write(revs_fd, buf_span(&revs)) < 0 ||
	    lseek(revs_fd, 0, SEEK_SET) < 0)
		return why_sys(why, errno, "cannot make a file in memory");
	git.in_fd = revs_fd;
	git.out_fd = pack_fd;
	r = git_settle(&git, git_run(&git, args, why), "pack what was made",
		       why);
	if (!r && lseek(pack_fd, 0, SEEK_SET) < 0)
		r = why_sys(why, errno, "cannot read a file in memory");
	return r < 0 ? r : land_pack(space, project, pack_fd, why);
}

int land_keep(const struct space *space, const struct project *project,
	      const struct effect *effect, struct why *why)
{
	int r = keep_objects(space, project, why);

	return r < 0 ? r
		     : refs_park(project, buf_str(&space->id),
				 buf_str(&effect->to), why);
}

/* What moves: the files, an index that is a copy, and then the branch. */
struct moving {
	struct intent *intent;
	const struct space *space;
	const struct project *project;
	const struct effect *effect;
	struct refs_transaction refs;
	bool same; /* the index is from's, and no file differs from it */
};

/* Whether the file HEAD says so, as it does where references are files. */
static bool names_branch(const struct project *p)
{
	autofree char *path = alloc_text("%s/HEAD", buf_str(&p->git_dir));
	autofree char *line = alloc_text("ref: %s\n", buf_str(&p->branch));
	autobuf struct buf bytes = { 0 };
	struct why lost = { 0 };

	return !file_read_path(&bytes, AT_FDCWD, path, PATH_MAX, &lost) &&
	       span_is(buf_span(&bytes), line);
}

/* Whether HEAD, now that it is locked, still is that branch. */
static bool is_on_branch(const struct project *p, struct why *why)
{
	static const char *const args[] = { "symbolic-ref", "-q", "HEAD",
					    NULL };
	autobuf struct buf branch = { 0 };
	struct git git = project_git(p);

	return names_branch(p) ||
	       (!git_one(&git, args, &branch, why) &&
		span_equal(buf_span(&branch), buf_span(&p->branch)));
}

/*
 * What differs from the index is never overwritten.  It is done with the copy
 * of the index that the obstacles were looked for with, through the
 * quarantine's configuration.
 *
 * A two-way merge leaves what was staged as it is, for which it reads each tree
 * of both commits.  Where the index is that of the first, to take the second is
 * the same, and git need not read the trees that the index has already.
 */
static int switch_files(struct git *git, const struct moving *m,
			struct why *why)
{
	const char *from = buf_str(&m->effect->from);
	const char *to = buf_str(&m->effect->to);
	const char *const merge[] = { "read-tree", git_counting(), "-m",
				      "-u",        from,           to,
				      NULL };
	/* It moves the quarantine's HEAD as well, of which nobody has to be
	 * told, and which is made anew. */
	const char *const take[] = { "-c",
				     "core.fsync=none",
				     "-c",
				     "core.logAllRefUpdates=false",
				     "reset",
				     "--merge",
				     progress_is_open() ? "--no-quiet"
							: "--quiet",
				     to,
				     NULL };
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "putting the files in place");
	*git = space_git(m->space);
	git->counts = true;
	git->work_tree = buf_str(&m->project->root);
	git->index = m->space->index;
	return git_run(git, m->same ? take : merge, why);
}

/* Half of it is done: all of it has to be undone, or it is for a recovery. */
static int take_back(struct moving *m, struct why *why)
{
	autoundone struct undone undone = { 0 };
	autobuf struct buf what = { 0 };
	autobuf struct buf dir = { 0 };
	const struct landing landing = { m->space, m->project, m->effect };
	int r = undo_apply(&undone, m->intent, &landing, why);

	if (!r && !undone.index && (!undone.left || !undone.begun))
		return 0;
	undone_say(&undone, &what);
	m->intent->keep = true;
	if (r < 0)
		(void)why_within(why, "files were changed and cannot be put "
				      "back");
	else
		(void)why_set(why, EIO,
			      "files were changed and cannot be put back: %s",
			      buf_str(&what));
	quote_shell(&dir, span_of(m->space->dir));
	(void)why_behind(why,
			 "; 'chock workspace recover -w %s' goes on with it",
			 buf_str(&dir));
	why->errnum = EIO;
	return -EIO;
}

/* Whether the branch is there all the same: git may die after it moved it. */
static bool has_moved(const struct moving *m)
{
	static const char *const args[] = { "rev-parse", "-q", "--verify",
					    "HEAD", NULL };
	autobuf struct buf head = { 0 };
	struct git git = project_git(m->project);
	struct why lost = { 0 };

	return !git_one(&git, args, &head, &lost) &&
	       span_equal(buf_span(&head), buf_span(&m->effect->to));
}

static int move_held(struct buf *reason, struct moving *m, struct why *why)
{
	struct git git;
	int r = intent_files(m->intent, m->space, m->project, why);

	if (r < 0)
		return r;
	r = switch_files(&git, m, why);
	if (r)
		buf_addf(reason, "files changed or are locked: %s",
			 r < 0         ? why->text
			 : git.said[0] ? git.said
				       : "git does not say which");
	if (!r) {
		r = indexlock_place(m->space, m->project, why);
		if (r < 0)
			buf_adds(reason, why->text);
	}
	if (!r) {
		r = refs_commit(&m->refs, why);
		if (r < 0 && has_moved(m))
			r = 0;
		if (r < 0)
			buf_adds(reason, "git could not move the branch");
	}
	return r ? take_back(m, why) : 0;
}

static int move(struct buf *reason, struct moving *m, struct why *why)
{
	const struct effect *e = m->effect;
	autoindexlock struct indexlock indexlock = { 0 };
	const struct landing landing = { m->space, m->project, e };
	autodirt struct dirt dirt = { 0 };
	int r = refs_prepare(&m->refs, m->project, buf_str(&e->from),
			     buf_str(&e->to), why);

	if (!r && !is_on_branch(m->project, why)) {
		buf_adds(reason, "another branch is checked out by now");
		return 0;
	}
	if (!r)
		r = indexlock_take(&indexlock, m->space, m->project, why);
	if (r == -EAGAIN) {
		buf_adds(reason, why->text);
		return 0;
	}
	if (!r)
		r = obstacle_find(reason, &landing, &dirt, why);
	m->same = dirt.none;
	return r < 0 || reason->len ? r : move_held(reason, m, why);
}

/*
 * A person's ^C or ^\ reaches every process of the terminal.  Between files and
 * branch it would leave the one moved and the other not, so it waits, as does
 * all else that can.
 */
int land_move(struct buf *reason, struct intent *intent,
	      const struct landing *landing, struct why *why)
{
	struct moving m = {
		intent,          landing->space,          landing->project,
		landing->effect, REFS_TRANSACTION_CLOSED, false
	};
	sigset_t held, before;
	int r;

	(void)sigfillset(&held);
	(void)sigprocmask(SIG_BLOCK, &held, &before);
	r = move(reason, &m, why);
	refs_abort(&m.refs);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
