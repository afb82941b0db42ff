/* SPDX-License-Identifier: ISC */
/*
 * chock-cache - the part that knows what is kept, and removes it
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/dir.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/num.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-cache.h"
#include "log/stamp.h"

#define NUMBER_LEN_MAX 24

/* Who looks has an entry for some microseconds; a session has it for long. */
#define LOCK_TRIES 5
#define LOCK_PAUSE 10000000 /* nanoseconds */

int store_open(struct buf *path, bool make)
{
	struct why why = { 0 };
	int fd;

	if (place_data(path, &why) < 0)
		die_why(&why);
	buf_adds(path, "/caches");
	if (make && file_mkdirs(buf_str(path), 0700, &why) < 0) {
		(void)place_blame_data(&why);
		die_why(&why);
	}
	fd = dir_open_own(buf_str(path), 022);
	if (fd == -ENOENT && !make)
		return -1;
	if (fd == -EPERM)
		die(EXIT_SYSTEM, "cannot use '%s': others could write to it",
		    buf_str(path));
	if (fd < 0) {
		why_sys(&why, -fd, "cannot open '%s'", buf_str(path));
		(void)place_blame_data(&why);
		die_why(&why);
	}
	return fd;
}

/* ---- sizes -------------------------------------------------------------- */

struct amount store_measure(const char *path)
{
	struct amount amount = amount_of(path);

	if (amount.empty)
		amount.bytes = 0;
	return amount;
}

bool store_is_cache(int entry_fd, const char *name)
{
	struct stat st;

	return *name != '.' &&
	       !fstatat(entry_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode);
}

struct measuring {
	int fd; /* borrowed; the entry */
	const char *path;
	uint64_t bytes;
};

static int measure_one(void *context, const struct dirent *entry)
{
	struct measuring *m = context;
	autofree char *cache = alloc_text("%s/%s", m->path, entry->d_name);

	if (store_is_cache(m->fd, entry->d_name))
		m->bytes += store_measure(cache).bytes;
	return 0;
}

static uint64_t measure_caches(int entry_fd, const char *path)
{
	struct measuring measuring = { .fd = entry_fd, .path = path };
	int r = dir_each(entry_fd, measure_one, &measuring);

	if (r < 0)
		warn("cannot measure '%s': %s", path, strerror(-r));
	return measuring.bytes;
}

static bool read_bytes(uint64_t *bytes, int entry_fd)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	return !file_read_path(&text, entry_fd, CACHE_BYTES, NUMBER_LEN_MAX,
			       &why) &&
	       !num_read(bytes, buf_span(&text), UINT64_MAX);
}

/* ---- entries ------------------------------------------------------------ */

/*
 * lock - have what is @name in the store, and is open as @fd, to ourselves, or
 * with others who only look
 *
 * Returns 0, -EWOULDBLOCK where a session has it, -ENOENT where it is another
 * by now, or another -errno.
 */
static int lock(int store, const char *name, int fd, int how)
{
	struct stat st, now;

	if (flock(fd, how | LOCK_NB) < 0 || fstat(fd, &st) < 0 ||
	    fstatat(store, name, &now, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return st.st_dev == now.st_dev && st.st_ino == now.st_ino ? 0 : -ENOENT;
}

int store_lock(int fd)
{
	int r, tries = 0;

	while ((r = flock(fd, LOCK_EX | LOCK_NB)) < 0 && errno == EWOULDBLOCK &&
	       ++tries < LOCK_TRIES)
		(void)nanosleep(&(struct timespec){ .tv_nsec = LOCK_PAUSE },
				NULL);
	return r < 0 ? -errno : 0;
}

static void add(struct entries *entries, int store, const char *path,
		const char *key, bool look)
{
	autofree char *dir = alloc_text("%s/%s", path, key);
	autoclose int fd = openat(store, key, STORE_DIRECTORY);
	struct why why = { 0 };
	struct entry *entry;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	entries->items = alloc_array(entries->items, entries->count,
				     sizeof(*entries->items));
	entry = &entries->items[entries->count++];
	*entry = (struct entry){ .used = (uint64_t)st.st_mtime,
				 .dev = st.st_dev,
				 .ino = st.st_ino };
	memcpy(entry->key, key, SHA256_HEX);
	(void)file_read_path(&entry->project, fd, CACHE_PROJECT, PATH_MAX,
			     &why);
	entry->running = lock(store, key, fd, LOCK_SH) == -EWOULDBLOCK;
	/* To measure takes long, and a session that starts waits for nobody. */
	(void)flock(fd, LOCK_UN);
	if (look || !read_bytes(&entry->bytes, fd))
		entry->bytes = measure_caches(fd, dir);
}

static int by_use(const void *a, const void *b)
{
	const struct entry *one = a;
	const struct entry *two = b;

	if (one->used != two->used)
		return one->used < two->used ? -1 : 1;
	return strcmp(one->key, two->key);
}

struct finding {
	struct entries *entries;
	int store; /* borrowed */
	const char *path;
	bool look;
};

static int find_one(void *context, const struct dirent *entry)
{
	const struct finding *f = context;

	if (strlen(entry->d_name) == SHA256_HEX)
		add(f->entries, f->store, f->path, entry->d_name, f->look);
	return 0;
}

void store_all(struct entries *entries, bool look)
{
	autobuf struct buf path = { 0 };
	autoclose int store = store_open(&path, false);
	autoprogress struct progress progress = { 0 };
	struct finding finding = { entries, store, NULL, look };
	int r;

	if (store < 0)
		return;
	progress_begin(&progress, "measuring the caches");
	finding.path = buf_str(&path);
	r = dir_each(store, find_one, &finding);
	if (r < 0)
		die(EXIT_SYSTEM, "cannot list '%s': %s", finding.path,
		    strerror(-r));
	if (entries->count)
		qsort(entries->items, entries->count, sizeof(*entries->items),
		      by_use);
}

bool store_remove(const struct entry *entry)
{
	autobuf struct buf path = { 0 };
	autoclose int store = store_open(&path, false);
	autoclose int fd = openat(store, entry->key, STORE_DIRECTORY);
	autoprogress struct progress progress = { 0 };
	struct why why = { 0 };
	int r = fd < 0 ? -errno : lock(store, entry->key, fd, LOCK_EX);

	if (store < 0 || r == -ENOENT)
		return true;
	if (r == -EWOULDBLOCK)
		warn("the caches of '%s' are in use", buf_str(&entry->project));
	else if (r < 0)
		warn("cannot remove the caches of '%s': %s",
		     buf_str(&entry->project), strerror(-r));
	if (r < 0)
		return false;
	progress_begin(&progress, "removing caches");
	if (file_remove_tree(store, entry->key, &why) < 0) {
		warn("%s", why.text);
		return false;
	}
	return true;
}

uint64_t store_age(const struct entry *entry)
{
	const uint64_t now = stamp_now() / 1000;

	return now > entry->used ? now - entry->used : 0;
}

void store_drop(struct entries *entries)
{
	while (entries->count)
		buf_drop(&entries->items[--entries->count].project);
	free(entries->items);
	*entries = (struct entries){ 0 };
}
