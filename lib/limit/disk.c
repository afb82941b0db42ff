/* SPDX-License-Identifier: ISC */
#include "limit/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/why.h"
#include "limit/remote.h"
#include "spec/sandbox.h"
#include "tree/mounts.h"
#include "tree/spot.h"

#define BLOCK 512         /* stat(3type), st_blocks */
#define COUNTED_OVER 0x80 /* of an exit status; the rest is when to go on */
#define COUNTED_LONG 0x7f /* seconds; at least */
#define OWN_PLACES 2      /* the layers of a copy on write, and the nest */
#define UNCOUNTABLE (UINT64_MAX >> 8)

/* ---- file systems ------------------------------------------------------- */

struct room {
	uint64_t bytes;
	uint64_t files; /* 0 also where nobody counts them, as on btrfs */
};

static bool read_free(int fd, struct room *room)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0 || !fs.f_blocks)
		return false;
	room->bytes = fs.f_bavail * (uint64_t)fs.f_bsize;
	room->files = fs.f_files ? fs.f_ffree : 0;
	return true;
}

static uint64_t floor_of(uint64_t free_at_first, uint64_t most)
{
	return free_at_first / 2 < most ? free_at_first / 2 : most;
}

static bool is_known(const struct disk *disk, dev_t device)
{
	size_t i;

	for (i = 0; i < disk->count; i++)
		if (disk->systems[i].device == device)
			return true;
	return false;
}

static void add_system(struct disk *disk, const char *path)
{
	struct disk_system system = { .fd = open(path, O_PATH | O_CLOEXEC) };
	const char *remote = NULL;
	struct room room;
	struct statfs fs;
	struct stat st;

	disk->writable |= system.fd >= 0;
	if (system.fd >= 0 && !fstatfs(system.fd, &fs))
		remote = remote_type(&fs);
	if (remote)
		disk->remote = remote;
	if (disk->count == DISK_SYSTEMS_MAX || system.fd < 0 || remote ||
	    fstat(system.fd, &st) < 0 || is_known(disk, st.st_dev) ||
	    !read_free(system.fd, &room)) {
		fd_drop(&system.fd);
		return;
	}
	system.device = st.st_dev;
	system.free_at_first = room.bytes;
	system.floor = floor_of(room.bytes, DISK_FLOOR);
	system.files_floor = floor_of(room.files, DISK_FILES_FLOOR);
	disk->systems[disk->count++] = system;
}

static bool is_written(const struct grant *grant)
{
	return grant->kind == GRANT_WRITE && !grant->other;
}

/* Where a copy on write keeps what is written, if that is on a disk. */
static const char *layers_of(const struct sandbox *sandbox)
{
	return sandbox->cow ? sandbox->cow->layers : NULL;
}

void disk_open(struct disk *disk, const struct sandbox *sandbox)
{
	size_t i;

	*disk = (struct disk){ .sandbox = sandbox };
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &disk->began);
	for (i = 0; i < sandbox->grant_count; i++)
		if (is_written(&sandbox->grants[i]))
			add_system(disk, sandbox->grants[i].source);
	if (layers_of(sandbox))
		add_system(disk, layers_of(sandbox));
	if (sandbox->nest)
		add_system(disk, sandbox->nest);
}

/* Whether the way to @row leads through what may never answer. */
static bool is_behind(const struct mounts *mounts, const struct mount *row)
{
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (mounts->rows[i].remote &&
		    path_below(row->point, mounts->rows[i].point))
			return true;
	return false;
}

static void add_below(struct disk *disk, const struct mounts *mounts,
		      const char *path)
{
	const struct mount *row = mounts->rows;
	const struct mount *end = row + mounts->count;

	for (; row < end; row++)
		if (row->kernel || !path_below(row->point, path))
			continue;
		else if (row->remote)
			disk->remote = row->remote;
		else if (!is_behind(mounts, row))
			add_system(disk, row->point);
}

/* Where they cannot be read, process 1 says so, and there is no sandbox. */
void disk_add_mounts(struct disk *disk)
{
	const struct sandbox *sandbox = disk->sandbox;
	automounts struct mounts mounts = { 0 };
	struct why why = { 0 };
	size_t i;

	if (mounts_read(&mounts, &why) < 0)
		return;
	for (i = 0; i < sandbox->grant_count; i++) {
		const struct grant *grant = &sandbox->grants[i];
		autofree char *path = is_written(grant)
					      ? realpath(grant->source, NULL)
					      : NULL;

		if (path)
			add_below(disk, &mounts, path);
	}
}

/* ---- counting ----------------------------------------------------------- */

/* By the change of its inode, which nobody can set back (utimensat(2)). */
static bool changed(const struct disk *disk, const struct stat *st)
{
	const struct timespec *at = &st->st_ctim;

	return at->tv_sec > disk->began.tv_sec ||
	       (at->tv_sec == disk->began.tv_sec &&
		at->tv_nsec >= disk->began.tv_nsec);
}

/*
 * A directory that cannot be looked into hides what is in it.  One that was
 * like that before had nothing written to it.
 */
static bool hides(const struct disk *disk, const FTSENT *entry)
{
	if (entry->fts_info == FTS_DNR)
		return changed(disk, entry->fts_statp);
	return entry->fts_info == FTS_NS && entry->fts_errno != ENOENT &&
	       entry->fts_parent->fts_level >= FTS_ROOTLEVEL &&
	       changed(disk, entry->fts_parent->fts_statp);
}

/* Of a file with several names each name has its part. */
static uint64_t share_of(const struct stat *st)
{
	uint64_t names = st->st_nlink ? st->st_nlink : 1;

	return S_ISDIR(st->st_mode)
		       ? (uint64_t)st->st_blocks
		       : ((uint64_t)st->st_blocks + names - 1) / names;
}

/* What has no blocks, and is mounted there, is no disk. */
static bool is_kernels(const FTSENT *entry)
{
	struct statfs fs;

	return entry->fts_info == FTS_D && entry->fts_level > FTS_ROOTLEVEL &&
	       entry->fts_statp->st_dev !=
		       entry->fts_parent->fts_statp->st_dev &&
	       !statfs(entry->fts_accpath, &fs) && !fs.f_blocks;
}

static uint64_t add_up(const struct disk *disk, FTS *tree)
{
	FTSENT *entry;
	uint64_t blocks = 0;

	while ((entry = fts_read(tree))) {
		if (hides(disk, entry))
			return UNCOUNTABLE;
		if (is_kernels(entry))
			(void)fts_set(tree, entry, FTS_SKIP);
		else if (entry->fts_info != FTS_DP &&
			 entry->fts_info != FTS_NS &&
			 changed(disk, entry->fts_statp))
			blocks += share_of(entry->fts_statp);
	}
	/* As for a path that is too long even for fts(3). */
	return errno ? UNCOUNTABLE : blocks * BLOCK;
}

static uint64_t written_below(const struct disk *disk, char *path)
{
	char *paths[2] = { path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL, NULL);
	uint64_t bytes = tree ? add_up(disk, tree) : UNCOUNTABLE;

	if (tree)
		(void)fts_close(tree);
	return bytes;
}

/* A grant that is there twice, or in another one, counts once. */
static bool is_within(char *const *paths, size_t count, size_t index)
{
	const char *rest;
	size_t i;

	for (i = 0; i < count; i++) {
		rest = i != index && paths[i]
			       ? path_below(paths[index], paths[i])
			       : NULL;
		if (rest && (*rest || i < index))
			return true;
	}
	return false;
}

/* Its physical path; as it was said, where that is not there. */
static char *find_path(const char *path)
{
	char *found = realpath(path, NULL);

	return found ? found : strdup(path);
}

/* Of all that can be written, ours last; false if there is no memory. */
static bool find_paths(const struct sandbox *sandbox, char **paths)
{
	const char *const ours[OWN_PLACES] = { layers_of(sandbox),
					       sandbox->nest };
	bool found = true;
	size_t i, own;

	for (i = 0; i < sandbox->grant_count && found; i++)
		if (is_written(&sandbox->grants[i])) {
			paths[i] = find_path(sandbox->grants[i].source);
			found = paths[i];
		}
	for (own = 0; own < OWN_PLACES && found; own++)
		if (ours[own]) {
			paths[i + own] = find_path(ours[own]);
			found = paths[i + own];
		}
	return found;
}

static uint64_t written(const struct disk *disk, uint64_t most)
{
	size_t count = disk->sandbox->grant_count + OWN_PLACES;
	char **paths = calloc(count, sizeof(*paths));
	uint64_t bytes = 0;
	size_t i;

	if (!paths || !find_paths(disk->sandbox, paths))
		bytes = UNCOUNTABLE;
	for (i = 0; i < count && bytes <= most; i++)
		if (paths[i] && !is_within(paths, count, i))
			bytes += written_below(disk, paths[i]);
	free(paths);
	return bytes;
}

/*
 * In a process of its own, which is ended where nobody waits for it.  How long
 * it took it knows best: who looks once a second only knows when it was over.
 */
static void count(const struct disk *disk)
{
	uint64_t most = disk->sandbox->limits.value[LIMIT_DISK];
	int64_t began = clock_ms();
	int64_t pause;
	bool over;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	over = written(disk, most) > most;
	pause = (clock_ms() - began) * DISK_COUNTS_APART / 1000;
	if (pause > COUNTED_LONG)
		pause = COUNTED_LONG;
	_exit((int)pause | (over ? COUNTED_OVER : 0));
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Whether a count has come to an end, and to more than the limit. */
static bool counted_over(struct disk *disk, const struct timespec *now)
{
	int status;
	pid_t pid = waitpid(disk->counter, &status, WNOHANG);
	int pause;

	if (!pid)
		return false;
	disk->counter = 0;
	pause = pid > 0 && WIFEXITED(status)
			? WEXITSTATUS(status) & COUNTED_LONG
			: COUNTED_LONG;
	disk->again = *now;
	disk->again.tv_sec += pause < COUNTED_LONG
				      ? pause
				      : (now->tv_sec - disk->counted.tv_sec) *
						DISK_COUNTS_APART;
	return pid > 0 && WIFEXITED(status) &&
	       WEXITSTATUS(status) & COUNTED_OVER;
}

static void start_counting(struct disk *disk, const struct timespec *now)
{
	pid_t pid = fork();

	if (!pid)
		count(disk);
	if (pid > 0) {
		disk->counter = pid;
		disk->counted = *now;
	}
}

/* ---- looking ------------------------------------------------------------ */

enum disk_state disk_look(struct disk *disk)
{
	uint64_t most = disk->sandbox->limits.value[LIMIT_DISK];
	struct timespec now;
	uint64_t taken = 0;
	struct room left;
	size_t i;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	for (i = 0; i < disk->count; i++) {
		const struct disk_system *system = &disk->systems[i];

		if (!read_free(system->fd, &left))
			continue;
		if (left.bytes < system->floor)
			return DISK_FULL;
		if (left.files < system->files_floor)
			return DISK_CROWDED;
		if (left.bytes < system->free_at_first)
			taken += system->free_at_first - left.bytes;
	}
	if (disk->counter)
		return counted_over(disk, &now) ? DISK_OVER : DISK_FINE;
	if (taken > most && !is_before(&now, &disk->again))
		start_counting(disk, &now);
	return DISK_FINE;
}

void disk_close(struct disk *disk)
{
	if (disk->counter) {
		(void)kill(disk->counter, SIGKILL);
		child_bury(disk->counter);
	}
	disk->counter = 0;
	while (disk->count)
		fd_drop(&disk->systems[--disk->count].fd);
}
