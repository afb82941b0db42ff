/* SPDX-License-Identifier: ISC */
#include "policyfile/truststore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "policyfile/guard.h"

#define NEW ".new" /* behind the name of a record that is being written */

_Static_assert(TRUST_HEX == SHA256_HEX, "a record holds SHA-256");

/* Who is called, and for which part of the store. */
struct listing {
	void (*each)(void *context, const struct trust *trust);
	void *context;
	struct why *why;
};

/* ---- hashes ------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct trusted_file *const *left = a;
	const struct trusted_file *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

void truststore_hash(struct trust *trust, char digest[TRUST_HEX + 1])
{
	autofree const struct trusted_file **sorted =
		alloc_zero(trust->count, sizeof(struct trusted_file *));
	autobuf struct buf list = { 0 };
	size_t i;

	for (i = 0; i < trust->count; i++) {
		sha256_hex(trust->files[i].sha256,
			   buf_span(&trust->files[i].bytes));
		sorted[i] = &trust->files[i];
	}
	qsort(sorted, trust->count, sizeof(*sorted), by_name);
	for (i = 0; i < trust->count; i++)
		buf_addf(&list, "%s  %s\n", sorted[i]->sha256, sorted[i]->name);
	sha256_hex(digest, buf_span(&list));
}

/* ---- writing ------------------------------------------------------------ */

static int put_record(struct buf *record, const struct trust *trust,
		      struct why *why)
{
	size_t total = 0;
	size_t i;

	buf_addf(record, TRUST_HEADER "date %s\nproject %zu\n%s\n", trust->date,
		 strlen(trust->project), trust->project);
	for (i = 0; i < trust->count; i++) {
		const struct trusted_file *file = &trust->files[i];

		buf_addf(record, "file %zu %zu %s\n%s\n", strlen(file->name),
			 file->bytes.len, file->sha256, file->name);
		buf_add(record, buf_span(&file->bytes));
		buf_addc(record, '\n');
		total += file->bytes.len;
	}
	buf_adds(record, "end\n");
	if (total > TRUST_BYTES_MAX)
		return why_set(why, EFBIG,
			       "the policy and what it includes have more than "
			       "%zu bytes",
			       TRUST_BYTES_MAX);
	return 0;
}

/* The path of @project's record, and in @dir_fd the directory that it is in. */
static int open_dir_of(struct buf *path, int *dir_fd, const char *project,
		       bool make, struct why *why)
{
	autofree char *dir = NULL;
	int r = trust_store_path(path, why);

	if (r < 0)
		return r;
	buf_addc(path, '/');
	trust_name(path, project);
	dir = alloc_copy(path->data,
			 (size_t)(strrchr(path->data, '/') - path->data));
	if (make && file_mkdirs(dir, 0700, why) < 0)
		r = place_blame_data(why);
	if (r < 0)
		return r;
	*dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", dir);
	return guard_check(*dir_fd, dir, why);
}

/* The whole of @record under @new, then, in one step, under @name. */
static int replace(int dir_fd, const char *new, const char *name,
		   struct span record)
{
	autoclose int fd = -1;
	int r;

	/* Left over by one of us that was killed: half a record. */
	if (unlinkat(dir_fd, new, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dir_fd, new,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = file_write(fd, record);
	if (!r && (fsync(fd) < 0 || renameat(dir_fd, new, dir_fd, name) < 0 ||
		   fsync(dir_fd) < 0))
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir_fd, new, 0);
	return r;
}

int truststore_save(const struct trust *trust, struct why *why)
{
	autobuf struct buf record = { 0 };
	autobuf struct buf path = { 0 };
	autobuf struct buf new = { 0 };
	autoclose int dir_fd = -1;
	const char *name;
	int r = put_record(&record, trust, why);

	if (!r)
		r = open_dir_of(&path, &dir_fd, trust->project, true, why);
	if (r < 0)
		return r;
	name = strrchr(buf_str(&path), '/') + 1;
	buf_addf(&new, "%s" NEW, name);
	r = replace(dir_fd, buf_str(&new), name, buf_span(&record));
	return r < 0 ? why_sys(why, -r, "cannot write '%s'", buf_str(&path))
		     : 0;
}

int truststore_remove(const char *project, struct why *why)
{
	autobuf struct buf path = { 0 };
	autoclose int dir_fd = -1;
	int r = open_dir_of(&path, &dir_fd, project, false, why);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (unlinkat(dir_fd, strrchr(buf_str(&path), '/') + 1, 0) < 0)
		return errno == ENOENT
			       ? 0
			       : why_sys(why, errno, "cannot remove '%s'",
					 buf_str(&path));
	if (fsync(dir_fd) < 0)
		return why_sys(why, errno, "cannot remove '%s'",
			       buf_str(&path));
	return 1;
}

/* ---- listing ------------------------------------------------------------ */

static bool is_record(const char *name)
{
	size_t len = strlen(name);
	size_t leaf = strlen(TRUST_LEAF);

	return len > leaf && !strcmp(name + len - leaf, TRUST_LEAF);
}

static int list_record(const struct listing *listing, const char *path)
{
	autotrust struct trust trust = { 0 };
	autobuf struct buf bytes = { 0 };
	struct why ignored = { 0 };

	if (guard_read(&bytes, path, TRUST_BYTES_MAX * 2, listing->why) < 0)
		return -listing->why->errnum;
	if (trust_read(&trust, buf_span(&bytes), path, &ignored) < 0) {
		trust_drop(&trust);
		trust.project = alloc_copy(path, strlen(path));
	}
	listing->each(listing->context, &trust);
	return 0;
}

/* Directories nest no deeper than a path is long. */
static int list_dir(const struct listing *listing, const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0
				       : why_sys(listing->why, errno,
						 "cannot open '%s'", path);
	while (!r && (errno = 0, entry = readdir(dir))) {
		autobuf struct buf below = { 0 };

		buf_addf(&below, "%s/%s", path, entry->d_name);
		if (is_record(entry->d_name))
			r = list_record(listing, buf_str(&below));
		else if (strlen(entry->d_name) > TRUST_CHUNK - strlen("%XX") &&
			 entry->d_type == DT_DIR)
			r = list_dir(listing, buf_str(&below));
	}
	if (!r && errno)
		r = why_sys(listing->why, errno, "cannot list '%s'", path);
	(void)closedir(dir);
	return r;
}

int truststore_each(void (*each)(void *context, const struct trust *trust),
		    void *context, struct why *why)
{
	const struct listing listing = { each, context, why };
	autobuf struct buf path = { 0 };
	int r = trust_store_path(&path, why);

	return r < 0 ? r : list_dir(&listing, buf_str(&path));
}
