/* SPDX-License-Identifier: ISC */
#include "workspace/land.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/obstacle.h"
#include "workspace/refs.h"

/*
 * The pack file is the one that was looked at, and nobody else could write to
 * it since.  It is checked once more, now against the project's own objects.
 */
static int put_pack(const struct space *s, const struct project *p, int pack_fd,
		    struct why *why)
{
	static const char *const args[] = { "index-pack", "--strict", "--stdin",
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
			   : put_pack(s, p, pack_fd, why);
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
	return r < 0 ? r : put_pack(space, project, pack_fd, why);
}

int land_keep(const struct space *space, const struct project *project,
	      const struct effect *effect, struct why *why)
{
	int r = keep_objects(space, project, why);

	return r < 0 ? r
		     : refs_park(project, buf_str(&space->id),
				 buf_str(&effect->to), why);
}

/* The project's index and files, through the quarantine's configuration. */
static struct git files_git(const struct space *s, const struct project *p,
			    const char *index)
{
	struct git git = space_git(s);

	git.work_tree = buf_str(&p->root);
	git.index = index;
	return git;
}

/* Whether HEAD, now that it is locked, still is that branch. */
static bool is_on_branch(const struct project *p, struct why *why)
{
	static const char *const args[] = { "symbolic-ref", "-q", "HEAD",
					    NULL };
	autobuf struct buf branch = { 0 };
	struct git git = project_git(p);

	return !git_one(&git, args, &branch, why) &&
	       span_equal(buf_span(&branch), buf_span(&p->branch));
}

/* A two-way merge: what differs from the index is never overwritten. */
static int switch_files(struct git *git, const char *from, const char *to,
			struct why *why)
{
	static const char *const refresh[] = { "update-index", "-q",
					       "--refresh", NULL };
	const char *const merge[] = { "read-tree", "-m", "-u", from, to, NULL };
	int r = git_run(git, refresh, why);

	return r ? r : git_run(git, merge, why);
}

static int move_held(struct buf *reason, struct hold *hold, struct git *git,
		     const struct effect *e, struct why *why)
{
	const char *from = buf_str(&e->from);
	const char *to = buf_str(&e->to);
	struct why lost = { 0 };
	int r = switch_files(git, from, to, why);

	if (r < 0)
		return r;
	if (r > 0) {
		buf_addf(reason, "files changed or are locked: %s",
			 git->said[0] ? git->said : "git does not say which");
		return 0;
	}
	r = refs_move(hold, why);
	if (r < 0) {
		(void)switch_files(git, to, from, &lost);
		buf_adds(reason, "git could not move the branch");
	}
	return 0;
}

static int move(struct buf *reason, const struct space *s,
		const struct project *p, const struct effect *e,
		struct why *why)
{
	autofree char *index = alloc_text("%s/index", buf_str(&p->git_dir));
	struct git git = files_git(s, p, index);
	autohold struct hold hold = HOLD_NONE;
	int r = refs_hold(&hold, p, buf_str(&e->from), buf_str(&e->to), why);

	if (r == -EAGAIN) {
		buf_adds(reason, why->text);
		return 0;
	}
	if (r < 0)
		return r;
	if (!is_on_branch(p, why)) {
		buf_adds(reason, "another branch is checked out by now");
		return 0;
	}
	r = obstacle_find(reason, s, p, e, why);
	return r < 0 || reason->len ? r
				    : move_held(reason, &hold, &git, e, why);
}

/*
 * A person's ^C reaches every process of the terminal.  Between files and
 * branch it would leave the one moved and the other not, so it waits.
 */
int land_move(struct buf *reason, const struct space *space,
	      const struct project *project, const struct effect *effect,
	      struct why *why)
{
	sigset_t held, before;
	int r;

	(void)sigemptyset(&held);
	(void)sigaddset(&held, SIGINT);
	(void)sigaddset(&held, SIGTERM);
	(void)sigaddset(&held, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &held, &before);
	r = move(reason, space, project, effect, why);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
