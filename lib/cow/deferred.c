/* SPDX-License-Identifier: ISC */
#include "cow/deferred.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/began.h"
#include "cow/journal.h"
#include "cow/land.h"
#include "cow/layerdiff.h"
#include "cow/lock.h"
#include "cow/node.h"
#include "cow/shelf.h"
#include "cow/stage.h"
#include "cow/waits.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* ---- where it began ----------------------------------------------------- */

/*
 * A ctime is what the kernel's own clock said, where the kernel keeps the file
 * system itself.  A server's, or a program's, may go by another clock.
 */
static bool has_our_clock(long type)
{
	static const long ours[] = { EXT4_SUPER_MAGIC,     XFS_SUPER_MAGIC,
				     BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
				     F2FS_SUPER_MAGIC,     RAMFS_MAGIC,
				     OVERLAYFS_SUPER_MAGIC };
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (type == ours[i])
			return true;
	return false;
}

static int read_boot_id(char id[DEFERRED_BOOT_LEN + 1], struct why *why)
{
	autobuf struct buf text = { 0 };
	int r = file_read_path(&text, AT_FDCWD, BOOT_ID, DEFERRED_BOOT_LEN + 1,
			       why);

	if (r < 0)
		return r;
	if (text.len < DEFERRED_BOOT_LEN)
		return why_set(why, EBADMSG, "'%s' has no id", BOOT_ID);
	memcpy(id, text.data, DEFERRED_BOOT_LEN);
	id[DEFERRED_BOOT_LEN] = '\0';
	return 0;
}

/* What was made unreadable inside can only be read with it: Linux 6.6. */
static int check_kernel(struct why *why)
{
	if (node_chmod(-1, "", 0) != -ENOSYS)
		return 0;
	return why_set(why, EOPNOTSUPP,
		       "this kernel has no fchmodat2(2) (Linux 6.6 does), and "
		       "what is written to an overlay could not be brought "
		       "back");
}

int deferred_begin(struct deferred_origin *origin, const char *path,
		   struct why *why)
{
	autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct cow now = COW_CLOSED;
	struct statfs fs;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	if (!has_our_clock(fs.f_type))
		return why_set(why, EOPNOTSUPP,
			       "cannot use '%s': its file system may have a "
			       "clock of its own, and what is changed "
			       "underneath could not be told; on a local disk "
			       "(ext4, xfs, btrfs, f2fs, tmpfs) it can",
			       path);
	if (check_kernel(why) < 0)
		return -why->errnum;
	began_now(&now);
	*origin = (struct deferred_origin){ .dev = st.st_dev,
					    .ino = st.st_ino,
					    .since = now.real,
					    .real = now.real,
					    .boot = now.boot };
	return read_boot_id(origin->boot_id, why);
}

/* ---- taking it ---------------------------------------------------------- */

/* Of another boot no more is known than that time goes on. */
static int was_set_back(const struct cow *cow,
			const struct deferred_origin *origin, struct why *why)
{
	char boot_id[DEFERRED_BOOT_LEN + 1];
	struct timespec now;
	int r = read_boot_id(boot_id, why);

	if (r < 0)
		return r;
	if (!strcmp(boot_id, origin->boot_id))
		return began_was_set_back(cow);
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec < origin->real.tv_sec;
}

static int refuse_other(const struct cow *cow, struct span owner,
			struct why *why)
{
	static const char id[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	const char *blank = owner.len ? memchr(owner.data, ' ', owner.len)
				      : NULL;
	int len = blank ? (int)(blank - owner.data) : 0;

	/* What may go to a terminal, and into a command that a person types. */
	if (!len || *owner.data == '-' || strspn(owner.data, id) != (size_t)len)
		return why_set(why, EEXIST,
			       "cannot use '%s': it waits for the work of an "
			       "earlier run ('chock-spawn --recover')",
			       cow->path);
	return why_set(why, EEXIST,
		       "cannot use '%s': an apply of session '%.*s' was cut "
		       "off there, and 'chock workspace apply %.*s' or "
		       "'chock-spawn --recover' goes on with it",
		       cow->path, len, owner.data, len, owner.data);
}

/* One that was never whole touched nothing, and nothing is lost with it. */
static int find_stage(const struct cow *cow, struct why *why)
{
	autobuf struct buf owner = { 0 };
	struct why none = { 0 };
	int r = stage_is_whole(cow->dir_fd, COW_DIR, &none);

	if (r < 0 && r != -ENOENT)
		*why = none;
	if (r <= 0)
		return r == -ENOENT ? 0 : r;
	r = stage_owner(&owner, cow->dir_fd, COW_DIR, why);
	if (r < 0)
		return r;
	return span_is(buf_span(&owner), cow->owner)
		       ? 1
		       : refuse_other(cow, buf_span(&owner), why);
}

int deferred_take(struct cow *cow, const char *path,
		  const struct deferred_origin *origin, struct why *why)
{
	int r = lock_take(cow, path, why);

	if (r < 0)
		return r;
	if (cow->st.st_dev != origin->dev || cow->st.st_ino != origin->ino)
		return why_set(why, ESTALE,
			       "'%s' is another directory than the one that "
			       "the session began with",
			       path);
	r = shelf_init(&cow->shelf, cow->dir_fd, path, why);
	if (r < 0)
		return r;
	cow->owner = origin->owner;
	cow->before = origin->before;
	cow->since = origin->since;
	cow->real = origin->real;
	cow->boot = origin->boot;
	r = was_set_back(cow, origin, why);
	if (r > 0)
		cow->since = (struct timespec){ 0 };
	return r < 0 ? r : find_stage(cow, why);
}

/* ---- what it comes to --------------------------------------------------- */

struct telling {
	const struct deferred_tell *tell;
	struct list list;
	bool differs;
};

static int tell_line(void *context, const struct list_line *line)
{
	struct telling *telling = context;

	telling->differs = true;
	return telling->tell->line(telling->tell->context, line);
}

/* What landed before, and differs no more, was not changed underneath. */
static int tell_change(void *context, const struct layerdiff_change *change,
		       struct why *why)
{
	struct telling *telling = context;
	int r;

	telling->differs = false;
	r = list_change(&telling->list, change, why);
	if (r < 0 || !telling->differs)
		return r;
	if (change->changed && telling->tell->changed)
		telling->tell->changed(telling->tell->context, change->path);
	return telling->tell->change
		       ? telling->tell->change(telling->tell->context, change,
					       why)
		       : 0;
}

static void tell_left_out(void *context, const char *path, const char *what)
{
	const struct telling *telling = context;

	if (telling->tell->left_out)
		telling->tell->left_out(telling->tell->context, path, what);
}

int deferred_list(const struct cow *cow, int upper_fd,
		  const struct deferred_tell *tell, struct why *why)
{
	struct telling telling = { .tell = tell,
				   .list = { .fd = -1,
					     .tell = tell_line,
					     .left_out = tell_left_out } };
	const struct layerdiff diff = { .upper_fd = upper_fd,
					.lower_fd = cow->dir_fd,
					.since = cow->since,
					.before = cow->before,
					.change = tell_change,
					.left_out = tell_left_out,
					.context = &telling };

	telling.list.context = &telling;
	return layerdiff_tell(&diff, why);
}

/* ---- landing ------------------------------------------------------------ */

/*
 * What is put back has a ctime of now, and would count as changed for ever.  If
 * something else was changed, nothing lands any more as it is.
 */
static void begin_again(struct deferred_origin *origin,
			const struct journal *journal)
{
	char boot_id[DEFERRED_BOOT_LEN + 1];
	struct cow now = COW_CLOSED;
	struct why ignored = { 0 };
	size_t i;

	for (i = 0; i < journal->count; i++)
		if (journal->ops[i].changed)
			return;
	if (read_boot_id(boot_id, &ignored) < 0)
		return;
	began_now(&now);
	origin->since = journal->since;
	origin->real = now.real;
	origin->boot = now.boot;
	memcpy(origin->boot_id, boot_id, sizeof(boot_id));
}

static enum cow_state land_it(const struct cow *cow, int stage_fd,
			      struct journal *journal,
			      struct deferred_origin *origin, struct why *why)
{
	const struct land land = { journal, cow->dir_fd, stage_fd, false };
	struct why failed = { 0 };
	int r = land_all(&land, why);

	if (r == -ENOTRECOVERABLE)
		return COW_HALF;
	if (r < 0)
		begin_again(origin, journal);
	if (stage_remove(cow->dir_fd, COW_DIR, &failed) < 0) {
		if (!r)
			*why = failed;
		return COW_HALF;
	}
	waits_remove(&cow->shelf);
	return r < 0 ? COW_KEPT : COW_DONE;
}

int deferred_tidy(const struct cow *cow, struct why *why)
{
	struct stat st;
	int r = node_stat(cow->dir_fd, COW_DIR, &st);

	if (r < 0)
		return why_sys(why, -r, "cannot look into '%s'", cow->path);
	return r ? stage_remove(cow->dir_fd, COW_DIR, why) : 0;
}

/* What lies below something that lands would be missing without a word. */
static void refuse_beyond(void *context, const char *path, const char *what)
{
	struct why *why = context;

	if (!why->errnum && node_is_beyond(what))
		(void)why_set(why, ENAMETOOLONG, "'%.*s' is a %s",
			      DEFERRED_NAMED_MAX, path, what);
}

enum cow_state deferred_land(const struct cow *cow, int upper_fd,
			     struct deferred_origin *origin, struct why *why)
{
	struct why beyond = { 0 };
	autojournal struct journal journal = { 0 };
	const struct layerdiff diff = { .upper_fd = upper_fd,
					.lower_fd = cow->dir_fd,
					.since = cow->since,
					.before = cow->before,
					.lower_st = &cow->st,
					.left_out = refuse_beyond,
					.context = &beyond };
	struct why ignored = { 0 };
	int r = deferred_tidy(cow, why);
	autoclose int stage_fd = r < 0 ? r
				       : stage_make(cow->dir_fd, COW_DIR, why);

	if (stage_fd < 0)
		return COW_KEPT;
	waits_add(&cow->shelf);
	if (!stage_set_owner(stage_fd, cow->owner, why) &&
	    !stage_fill(&journal, stage_fd, &diff, why) && !beyond.errnum)
		return land_it(cow, stage_fd, &journal, origin, why);
	if (beyond.errnum)
		*why = beyond;
	(void)stage_remove(cow->dir_fd, COW_DIR, &ignored);
	waits_remove(&cow->shelf);
	return COW_KEPT;
}

enum cow_state deferred_resume(const struct cow *cow,
			       struct deferred_origin *origin, struct why *why)
{
	autojournal struct journal journal = { 0 };
	autoclose int stage_fd = stage_open(cow->dir_fd, COW_DIR, why);

	if (stage_fd < 0 || stage_read(&journal, stage_fd, why) < 0)
		return COW_HALF;
	return land_it(cow, stage_fd, &journal, origin, why);
}
