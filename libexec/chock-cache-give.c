/* SPDX-License-Identifier: ISC */
/*
 * chock-cache - the part that decides what stays when a session is over
 *
 * Of the session's own entry whole caches go, for what a package manager makes
 * of one that lacks some of its files nobody knows: what cannot be looked
 * through, and the largest while there is too much.  Of the others whole
 * entries go, and a number from their last session is enough to know which.
 *
 * A project has an entry for each set of policies, and no limit that a person
 * sets for one is of them all.  So that none can have the caches of the others
 * dropped, it has a share, and counts for no more than that: also while
 * sessions of it run, whose entries nobody can drop.
 */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/dir.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/flatname.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-cache.h"
#include "record/json.h"
#include "spec/limits.h"

#define DAY_SECONDS 86400

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

struct finding {
	struct given *given;
	int fd; /* borrowed; the entry */
	const char *path;
};

static int find_one(void *context, const struct dirent *entry)
{
	const struct finding *f = context;
	struct given *given = f->given;
	struct cache *new;

	if (!store_is_cache(f->fd, entry->d_name))
		return 0;
	autofree char *cache = alloc_text("%s/%s", f->path, entry->d_name);

	given->caches = alloc_array(given->caches, given->count,
				    sizeof(*given->caches));
	new = &given->caches[given->count++];
	*new = (struct cache){
		.name = alloc_copy(entry->d_name, strlen(entry->d_name)),
		.amount = store_measure(cache),
	};
	given->bytes += new->amount.bytes;
	return 0;
}

/* What is not seen would be taken for none, and the entry for empty. */
static void find_caches(struct given *given, int fd, const char *path)
{
	struct finding finding = { given, fd, path };
	int r = dir_each(fd, find_one, &finding);

	if (r < 0)
		die(EXIT_SYSTEM, "cannot list '%s': %s", path, strerror(-r));
}

static int by_size(const void *a, const void *b)
{
	const struct cache *one = a;
	const struct cache *two = b;

	if (one->amount.bytes != two->amount.bytes)
		return one->amount.bytes > two->amount.bytes ? -1 : 1;
	return strcmp(one->name, two->name);
}

static void tell_dropped(struct given *given, const struct cache *cache,
			 const char *why)
{
	autobuf struct buf path = { 0 };
	autobuf struct buf size = { 0 };

	/* What stands there by another's hand is told as it is called. */
	if (flatname_path(&path, span_of(cache->name)) < 0)
		buf_adds(&path, cache->name);
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
	if (most == CACHE_SHARE) {
		buf_addf(reason, "; a project has %dGiB, whatever the limit",
			 CACHE_SHARE_GIB);
		return;
	}
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

enum trimmed { TRIM_OLD, TRIM_SHARE, TRIM_TOTAL };

static void tell_trimmed(const struct entry *entry, enum trimmed why)
{
	const char *project = buf_str(&entry->project);

	switch (why) {
	case TRIM_OLD:
		warn("the caches of '%s' are dropped: no session had them for "
		     "%d days",
		     project, CACHE_DAYS);
		return;
	case TRIM_SHARE:
		warn("caches of '%s' are dropped, of the policies that it had "
		     "longest ago: a project has %dGiB together",
		     project, CACHE_SHARE_GIB);
		return;
	case TRIM_TOTAL:
		warn("the caches of '%s' are dropped: all projects' have more "
		     "than %dGiB together",
		     project, CACHE_GIB);
	}
}

static void sum_up(struct entries *entries)
{
	size_t i, lead;

	for (i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		for (lead = 0;
		     !span_equal(buf_span(&entries->items[lead].project),
				 buf_span(&entry->project));
		     lead++)
			;
		entry->lead = lead;
		entries->items[lead].sum += entry->bytes;
	}
}

/* Of a project no more than its share. */
static uint64_t of_all(const struct entries *entries)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < entries->count; i++) {
		const uint64_t sum = entries->items[i].sum;

		total += sum < CACHE_SHARE ? sum : CACHE_SHARE;
	}
	return total;
}

static bool is_trimmed(const struct entries *entries, const struct entry *entry,
		       enum trimmed why)
{
	switch (why) {
	case TRIM_OLD:
		return store_age(entry) / DAY_SECONDS >= CACHE_DAYS;
	case TRIM_SHARE:
		return entries->items[entry->lead].sum > CACHE_SHARE;
	case TRIM_TOTAL:
		return of_all(entries) > CACHE_TOTAL;
	}
	return false;
}

/* Entries of other projects and policies, that used last at the end. */
static void trim(struct entries *entries, enum trimmed why)
{
	size_t i;

	for (i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		if (entry->gone || entry->running ||
		    !is_trimmed(entries, entry, why) || !store_remove(entry))
			continue;
		tell_trimmed(entry, why);
		entries->items[entry->lead].sum -= entry->bytes;
		entry->gone = true;
	}
}

void cache_give(int fd, uint64_t most)
{
	struct entries entries = { 0 };
	autoprogress struct progress progress = { 0 };
	struct stat st;
	size_t i;

	if (fstat(fd, &st) < 0)
		die_errno(EXIT_SYSTEM, "cannot look at descriptor %d", fd);
	progress_begin(&progress, "trimming the caches");
	store_all(&entries, false);
	for (i = 0; i < entries.count; i++)
		if (entries.items[i].dev == st.st_dev &&
		    entries.items[i].ino == st.st_ino)
			give_own(&entries.items[i], fd,
				 most < CACHE_SHARE ? most : CACHE_SHARE);
	sum_up(&entries);
	trim(&entries, TRIM_OLD);
	trim(&entries, TRIM_SHARE);
	trim(&entries, TRIM_TOTAL);
	store_drop(&entries);
}
