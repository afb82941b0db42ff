/* SPDX-License-Identifier: ISC */
#include "cow/cow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/why.h"
#include "cow/began.h"
#include "cow/journal.h"
#include "cow/land.h"
#include "cow/list.h"
#include "cow/lock.h"
#include "cow/node.h"
#include "cow/shelf.h"
#include "cow/stage.h"
#include "cow/waits.h"

int cow_open(struct cow *cow, const char *path, bool commits, struct why *why)
{
	int r = lock_take(cow, path, why);

	if (r < 0)
		return r;
	r = shelf_init(&cow->shelf, cow->dir_fd, path, why);
	if (!r)
		r = lock_refuse_earlier(cow, commits, why);
	if (!r && commits)
		r = began_on_disk(cow, why);
	began_now(cow);
	return r;
}

struct listing {
	const struct cow_tell *tell;
	struct list *list;
};

static int listing_change(void *context, const struct layerdiff_change *change,
			  struct why *why)
{
	return list_change(((struct listing *)context)->list, change, why);
}

static void listing_left_out(void *context, const char *path, const char *what)
{
	const struct cow_tell *tell = ((struct listing *)context)->tell;

	tell->left_out(tell->context, path, what);
}

int cow_list(const struct cow *cow, int upper_fd, const struct cow_tell *tell,
	     struct list *list, struct why *why)
{
	struct listing listing = { tell, list };
	const struct layerdiff diff = { .upper_fd = upper_fd,
					.lower_fd = cow->dir_fd,
					.since = cow->since,
					.change = listing_change,
					.left_out = listing_left_out,
					.context = &listing };
	int r;

	list->left_out = tell->left_out;
	list->context = tell->context;
	r = layerdiff_tell(&diff, why);
	return r < 0 ? r : list_end(list, why);
}

static int stop_at_first(void *context, const struct layerdiff_change *change,
			 struct why *why)
{
	(void)context;
	(void)change;
	(void)why;
	return 1;
}

static void add_way_out(struct why *why)
{
	why->errnum = ESTALE;
	(void)why_behind(why,
			 "; 'chock-spawn --recover DIR --commit' replaces it, "
			 "and --discard throws the work away");
}

static enum cow_state land_stage(const struct land *land, int in_fd,
				 const char *path, struct why *why)
{
	int r = land_all(land, why);

	if (r == -ESTALE)
		add_way_out(why);
	if (r == -ENOTRECOVERABLE) {
		(void)why_within(why,
				 "'%s' is changed in part, and 'chock-spawn "
				 "--recover' must go on with it",
				 path);
		return COW_HALF;
	}
	if (r < 0) {
		(void)why_within(why,
				 "cannot commit to '%s', the work is kept in "
				 "its '" COW_DIR "'",
				 path);
		return COW_KEPT;
	}
	if (stage_remove(in_fd, COW_DIR, why) < 0) {
		(void)why_within(why, "'%s' is committed, but", path);
		return COW_HALF;
	}
	return COW_DONE;
}

/* The stage in the directory, or, if that cannot be, one elsewhere. */
static int fill_stage(struct journal *journal, const struct cow *cow,
		      const struct layerdiff *diff, struct why *why)
{
	autoclose int fd = stage_make(cow->dir_fd, COW_DIR, why);
	struct why ignored = { 0 };

	if (fd < 0)
		return fd;
	waits_add(&cow->shelf);
	if (!stage_fill(journal, fd, diff, why))
		return take_fd(&fd);
	(void)stage_remove(cow->dir_fd, COW_DIR, &ignored);
	return -why->errnum;
}

static enum cow_state keep_elsewhere(const struct cow *cow,
				     const struct layerdiff *diff,
				     struct why *why)
{
	const struct why first = *why;
	struct layerdiff silent = *diff;
	struct why failed = { 0 };
	autobuf struct buf where = { 0 };

	silent.left_out = NULL;
	if (shelf_make(&cow->shelf, &silent, &failed) < 0 ||
	    shelf_where(&where, &cow->shelf, &failed) < 0) {
		(void)why_set(why, first.errnum,
			      "cannot commit to '%s': %.*s; the work is "
			      "lost, for it could not be kept: %.*s",
			      cow->path, WHY_PART_MAX, first.text, WHY_PART_MAX,
			      failed.text);
		return COW_LOST;
	}
	(void)why_within(why,
			 "cannot commit to '%s', the work is kept in '%s' for "
			 "'chock-spawn --recover'",
			 cow->path, buf_str(&where));
	return COW_KEPT;
}

enum cow_state cow_commit(const struct cow *cow, int upper_fd,
			  const struct cow_tell *tell, struct why *why)
{
	autojournal struct journal journal = { 0 };
	struct layerdiff diff = { .upper_fd = upper_fd,
				  .lower_fd = cow->dir_fd,
				  .since = cow->since,
				  .change = stop_at_first };
	bool set_back = began_was_set_back(cow);
	enum cow_state state;
	struct stat top;
	int r = layerdiff_tell(&diff, why);

	diff.left_out = tell->left_out;
	diff.context = tell->context;
	if (!r) /* for who is told: nothing is left to be changed */
		return layerdiff_tell(&diff, why) < 0 ? COW_LOST : COW_DONE;
	if (set_back)
		diff.since = (struct timespec){ 0 };
	if (!fstat(cow->dir_fd, &top))
		diff.lower_st = &top;
	autoclose int stage_fd = fill_stage(&journal, cow, &diff, why);
	const struct land land = { &journal, cow->dir_fd, stage_fd, false };

	if (stage_fd < 0)
		return keep_elsewhere(cow, &diff, why);
	state = land_stage(&land, cow->dir_fd, cow->path, why);
	if (set_back && state == COW_KEPT && why->errnum == ESTALE)
		(void)why_within(why, "the clock was set back during the run");
	return state;
}

static int copy_in(const struct cow *cow, int from_fd, struct why *why)
{
	autojournal struct journal journal = { 0 };
	struct why ignored = { 0 };
	int r = stage_read(&journal, from_fd, why);
	autoclose int fd = r < 0 ? r : stage_make(cow->dir_fd, COW_DIR, why);

	if (fd < 0)
		return fd;
	waits_add(&cow->shelf);
	if (!stage_copy(&journal, fd, from_fd, why))
		return 0;
	(void)stage_remove(cow->dir_fd, COW_DIR, &ignored);
	return -why->errnum;
}

/*
 * What is kept elsewhere comes in first; then it is like any other.  That may
 * have been cut off on either side of the moment at which it was in.
 */
static int bring_in(const struct cow *cow, struct why *why)
{
	struct why missing = { 0 };
	int whole = stage_is_whole(cow->dir_fd, COW_DIR, &missing);
	autoclose int from_fd = shelf_open(&cow->shelf, why);
	int r = 0;

	if (from_fd < 0)
		return from_fd;
	if (whole < 0 && whole != -ENOENT) {
		*why = missing;
		return whole;
	}
	if (!whole)
		r = stage_remove(cow->dir_fd, COW_DIR, why);
	if (!r && whole != 1)
		r = copy_in(cow, from_fd, why);
	return r < 0 ? r : shelf_remove(&cow->shelf, why);
}

/* What is kept elsewhere is here, or gone, if this returns 0. */
static int fetch_shelf(const struct cow *cow, enum cow_recovery how,
		       struct why *why)
{
	int r = shelf_there(&cow->shelf, why);

	if (r <= 0)
		return r;
	r = shelf_check(&cow->shelf, how != COW_FINISH, why);
	if (r < 0)
		return r;
	return how == COW_DROP ? shelf_remove(&cow->shelf, why)
			       : bring_in(cow, why);
}

/* What a program wrote, and a yes put there, looks like the work of a run. */
static int refuse_unknown(const struct cow *cow, enum cow_recovery how,
			  struct why *why)
{
	if (how == COW_FORCE || waits_has(&cow->shelf))
		return 0;
	return why_set(why, EPERM,
		       "no run of this user is known to have left "
		       "'%s/" COW_DIR "': remove it, or 'chock-spawn --recover "
		       "DIR --commit' does what it says",
		       cow->path);
}

static enum cow_state recover_stage(const struct cow *cow, int stage_fd,
				    enum cow_recovery how, struct why *why)
{
	autojournal struct journal journal = { 0 };
	struct land land = { &journal, cow->dir_fd, stage_fd,
			     how == COW_FORCE };
	int r = stage_read(&journal, stage_fd, why);

	/* Nothing was touched before there was one. */
	if (r == -ENOENT)
		return stage_remove(cow->dir_fd, COW_DIR, why) < 0 ? COW_HALF
								   : COW_DONE;
	if (r < 0) {
		(void)why_within(why, "cannot recover '%s'", cow->path);
		return COW_HALF;
	}
	if (refuse_unknown(cow, how, why) < 0)
		return COW_KEPT;
	if (how != COW_DROP)
		return land_stage(&land, cow->dir_fd, cow->path, why);
	if (land_undo(&land, why) < 0 ||
	    stage_remove(cow->dir_fd, COW_DIR, why) < 0) {
		(void)why_within(why, "cannot recover '%s'", cow->path);
		return COW_HALF;
	}
	return COW_DONE;
}

static enum cow_state recover(const struct cow *cow, enum cow_recovery how,
			      struct why *why)
{
	struct stat st;
	int r = fetch_shelf(cow, how, why);

	if (!r && !node_stat(cow->dir_fd, COW_DIR, &st))
		return COW_DONE;
	autoclose int stage_fd = r < 0 ? r
				       : stage_open(cow->dir_fd, COW_DIR, why);

	if (stage_fd >= 0)
		return recover_stage(cow, stage_fd, how, why);
	(void)why_within(why, "cannot recover '%s'", cow->path);
	return COW_KEPT;
}

enum cow_state cow_recover(const char *path, enum cow_recovery how,
			   struct why *why)
{
	autocow struct cow cow = COW_CLOSED;
	enum cow_state state;

	if (lock_take(&cow, path, why) < 0 ||
	    shelf_init(&cow.shelf, cow.dir_fd, path, why) < 0)
		return COW_KEPT;
	state = recover(&cow, how, why);
	if (state == COW_DONE)
		waits_remove(&cow.shelf);
	return state;
}

void cow_close(struct cow *cow)
{
	fd_drop(&cow->dir_fd);
	shelf_drop(&cow->shelf);
}
