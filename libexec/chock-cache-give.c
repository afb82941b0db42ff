/* SPDX-License-Identifier: ISC */
/*
 * chock-cache - the part that decides what stays when a session is over
 *
 * Of the session's own entry whole caches go, for what a package manager makes
 * of one that lacks some of its files nobody knows: what cannot be looked
 * through, and the largest while there is too much.  Of the others whole
 * entries go, and a number from their last session is enough to know which.
 */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-cache.h"
#include "record/json.h"
#include "spec/limits.h"

#define DAY 86400

/* One directory of the session's own entry. */
struct cache {
	char *name; /* owned */
	struct amount amount;
	bool gone;
};

struct given {
	struct cache *caches; /* owned */
	size_t count;
	uint64_t bytes; /* of those that stay */
	bool full;      /* something stays */
	struct buf dropped;
};

static void find_caches(struct given *given, int fd, const char *path)
{
	DIR *dir = store_list(fd);
	struct dirent *at;

	if (!dir)
		die_errno(EXIT_SYSTEM, "cannot list '%s'", path);
	while ((at = readdir(dir))) {
		autofree char *cache = alloc_text("%s/%s", path, at->d_name);
		struct cache *new;

		if (!store_is_cache(fd, at->d_name))
			continue;
		given->caches = alloc_array(given->caches, given->count,
					    sizeof(*given->caches));
		new = &given->caches[given->count++];
		*new = (struct cache){
			.name = alloc_copy(at->d_name, strlen(at->d_name)),
			.amount = store_measure(cache),
		};
		given->bytes += new->amount.bytes;
	}
	(void)closedir(dir);
}

static int by_size(const void *a, const void *b)
{
	const struct cache *one = a;
	const struct cache *two = b;

	if (one->amount.bytes != two->amount.bytes)
		return one->amount.bytes > two->amount.bytes ? -1 : 1;
	return strcmp(one->name, two->name);
}

/* What cache_take() made a name of. */
static void put_path(struct buf *path, const char *name)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *high, *low;

	for (; *name; name++) {
		high = *name == '%' && name[1] ? strchr(digits, name[1]) : NULL;
		low = high && name[2] ? strchr(digits, name[2]) : NULL;
		if (!low) {
			buf_addc(path, *name);
			continue;
		}
		buf_addc(path, (char)((high - digits) * 16 + (low - digits)));
		name += 2;
	}
}

static void tell_dropped(struct given *given, const struct cache *cache,
			 const char *why)
{
	autobuf struct buf path = { 0 };
	autobuf struct buf size = { 0 };

	put_path(&path, cache->name);
	rough_size(&size, cache->amount.bytes);
	json_item_object(&given->dropped);
	json_str(&given->dropped, "path", buf_span(&path));
	json_num(&given->dropped, "bytes", (int64_t)cache->amount.bytes);
	json_str(&given->dropped, "size", buf_span(&size));
	json_str(&given->dropped, "reason", span_of(why));
	json_close_object(&given->dropped);
}

static void drop(struct given *given, int fd, struct cache *cache,
		 const char *reason)
{
	struct why why = { 0 };

	if (file_remove_tree(fd, cache->name, &why) < 0) {
		warn("%s", why.text);
		return;
	}
	cache->gone = true;
	given->bytes -= cache->amount.bytes;
	tell_dropped(given, cache, reason);
}

static void put_reason(struct buf *reason, uint64_t bytes, uint64_t most)
{
	struct limits limits = { .value = { [LIMIT_CACHE] = most } };

	buf_adds(reason, "the caches of this project have ");
	rough_size(reason, bytes);
	buf_adds(reason, "; the limit cache is ");
	limits_raise(reason, &limits, LIMIT_CACHE);
}

static void keep_within(struct given *given, int fd, uint64_t most)
{
	autobuf struct buf reason = { 0 };
	size_t i;

	for (i = 0; i < given->count; i++)
		if (given->caches[i].amount.opaque)
			drop(given, fd, &given->caches[i],
			     "it cannot be looked through");
	put_reason(&reason, given->bytes, most);
	for (i = 0; i < given->count && given->bytes > most; i++)
		if (!given->caches[i].gone)
			drop(given, fd, &given->caches[i], buf_str(&reason));
	for (i = 0; i < given->count; i++)
		given->full |= !given->caches[i].gone &&
			       !given->caches[i].amount.empty;
}

static void write_bytes(int fd, const char *path, uint64_t bytes)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	buf_addf(&text, "%llu", (unsigned long long)bytes);
	if (file_put(path, CACHE_BYTES, buf_span(&text), &why) < 0)
		die_why(&why);
	if (futimens(fd, NULL) < 0)
		die_errno(EXIT_SYSTEM, "cannot write to '%s'", path);
}

static void print_given(const struct given *given)
{
	autobuf struct buf record = { 0 };
	autobuf struct buf size = { 0 };

	json_open(&record);
	json_num(&record, "bytes", given->full ? (int64_t)given->bytes : 0);
	rough_size(&size, given->bytes);
	if (given->full)
		json_str(&record, "kept", buf_span(&size));
	json_open_array(&record, "dropped");
	buf_add(&record, buf_span(&given->dropped));
	json_close_array(&record);
	json_close_line(&record);
	print(&record);
}

/* The lock is the caller's, and nobody else's can be had meanwhile. */
static void give_own(struct entry *entry, int fd, uint64_t most)
{
	autobuf struct buf path = { 0 };
	autoclose int store = store_open(&path, true);
	struct given given = { 0 };
	struct why why = { 0 };

	buf_addf(&path, "/%s", entry->key);
	find_caches(&given, fd, buf_str(&path));
	if (given.count)
		qsort(given.caches, given.count, sizeof(*given.caches),
		      by_size);
	keep_within(&given, fd, most);
	if (given.full)
		write_bytes(fd, buf_str(&path), given.bytes);
	else if (file_remove_tree(store, entry->key, &why) < 0)
		warn("%s", why.text);
	print_given(&given);
	entry->bytes = given.bytes;
	while (given.count)
		free(given.caches[--given.count].name);
	free(given.caches);
	buf_drop(&given.dropped);
}

static void tell_trimmed(const struct entry *entry, bool old)
{
	if (old)
		warn("the caches of '%s' are dropped: no session had them for "
		     "%d days",
		     buf_str(&entry->project), CACHE_DAYS);
	else
		warn("the caches of '%s' are dropped: all projects' have more "
		     "than %dGiB together",
		     buf_str(&entry->project), CACHE_GIB);
}

/* Entries of other projects and policies, that used last at the end. */
static void trim(const struct entries *entries)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < entries->count; i++)
		total += entries->items[i].bytes;
	for (i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];
		const bool old = store_age(entry) / DAY >= CACHE_DAYS;

		if (entry->running || (!old && total <= CACHE_TOTAL))
			continue;
		if (!store_remove(entry))
			continue;
		total -= entry->bytes;
		tell_trimmed(entry, old);
	}
}

void cache_give(int fd, uint64_t most)
{
	struct entries entries = { 0 };
	struct stat st;
	size_t i;

	if (fstat(fd, &st) < 0)
		die_errno(EXIT_SYSTEM, "cannot look at descriptor %d", fd);
	store_all(&entries, false);
	for (i = 0; i < entries.count; i++)
		if (entries.items[i].dev == st.st_dev &&
		    entries.items[i].ino == st.st_ino)
			give_own(&entries.items[i], fd, most);
	trim(&entries);
	store_drop(&entries);
}
