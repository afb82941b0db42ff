/* SPDX-License-Identifier: ISC */
#include "workspace/templatestore.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/amount.h"
#include "base/auto.h"
#include "base/dir.h"
#include "base/file.h"
#include "base/num.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "workspace/names.h"
#include "workspace/repo.h"
#include "workspace/space.h"

#define DAY 86400

/* Who is told of all would walk through every file of each. */
#define SIZE "size"
#define SIZE_LEN_MAX ((size_t)32)

/* ---- the directories ---------------------------------------------------- */

static int find_all(struct buf *path, struct why *why)
{
	int r = place_state(path, why);

	if (!r)
		buf_adds(path, "/templates");
	return r;
}

static int lock(int fd, int how)
{
	while (flock(fd, LOCK_EX | how) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Whoever removes the last template of a project removes its directory. */
static bool is_there(int fd, const char *path)
{
	struct stat held, there;

	return !fstat(fd, &held) && !lstat(path, &there) &&
	       held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

static int open_locked(const char *path)
{
	int r;

	for (;;) {
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return -errno;
		autoclose int fd = dir_open_own(path, 077);

		if (fd == -ENOENT)
			continue;
		r = fd < 0 ? fd : lock(fd, 0);
		if (r < 0)
			return r;
		if (is_there(fd, path))
			return take_fd(&fd);
	}
}

int templatestore_open(struct buf *path, const char *name, struct why *why)
{
	int r = find_all(path, why);

	if (!r && file_mkdirs(buf_str(path), 0700, why) < 0)
		r = place_blame_state(why);
	if (r < 0)
		return r;
	buf_addf(path, "/%s", name);
	r = open_locked(buf_str(path));
	return r < 0 ? why_sys(why, -r, "cannot use '%s'", buf_str(path)) : r;
}

/* ---- who needs one ------------------------------------------------------ */

int templatestore_use(const char *dir, const char *workspace, struct why *why)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(hex, span_of(workspace));
	autofree char *name =
		alloc_text("users/%.*s", TEMPLATESTORE_NAME_LEN, hex);
	autoclose int fd =
		open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const int r = repo_write(dir, name, span_of(workspace), why);

	if (!r && (fd < 0 || futimens(fd, NULL) < 0))
		return why_sys(why, errno, "cannot use '%s'", dir);
	return r;
}

/* What cannot be looked at may need it. */
static bool needs(const char *workspace, const char *dir)
{
	autofree char *state = alloc_text("%s/state", workspace);
	autofree char *files = alloc_text("%s/files", dir);
	autospace struct space space = { 0 };
	struct why why = { 0 };
	struct stat st;

	if (lstat(state, &st) < 0)
		return errno != ENOENT && errno != ENOTDIR;
	return space_open(&space, workspace, &why) < 0 ||
	       !strcmp(buf_str(&space.below), files);
}

static bool is_name(const struct dirent *entry)
{
	const char *name = entry->d_name;

	while (isxdigit((unsigned char)*name))
		name++;
	return !*name && name - entry->d_name == TEMPLATESTORE_NAME_LEN;
}

static bool is_user(const char *users, const char *name, const char *dir)
{
	autofree char *path = alloc_text("%s/%s", users, name);
	autobuf struct buf workspace = { 0 };
	struct why why = { 0 };

	return file_read_path(&workspace, AT_FDCWD, path, PATH_MAX, &why) < 0 ||
	       needs(buf_str(&workspace), dir);
}

size_t templatestore_users(const char *dir)
{
	autofree char *users = alloc_text("%s/users", dir);
	DIR *list = opendir(users);
	struct dirent *entry;
	size_t count = 0;

	if (!list)
		return errno == ENOENT ? 0 : 1;
	while ((errno = 0, entry = readdir(list)))
		if (is_name(entry) && is_user(users, entry->d_name, dir))
			count++;
		else if (is_name(entry))
			(void)unlinkat(dirfd(list), entry->d_name, 0);
	count += errno != 0;
	(void)closedir(list);
	return count;
}

/* ---- which go ----------------------------------------------------------- */

static int add_name(void *context, const struct dirent *entry)
{
	if (is_name(entry))
		names_add(context, span_of(entry->d_name));
	return 0;
}

static int list(struct names *names, const char *above, struct why *why)
{
	autoclose int fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -errno : dir_each(fd, add_name, names);

	names_tidy(names);
	if (r < 0 && (fd >= 0 || r != -ENOENT))
		return why_sys(why, -r, "cannot list '%s'", above);
	return 0;
}

static uint64_t last_use(const char *dir)
{
	struct stat st;

	return lstat(dir, &st) < 0 ? 0 : (uint64_t)st.st_mtim.tv_sec;
}

/* One that is half removed is none, so it loses its name first. */
static int discard(const char *above, const char *dir, struct why *why)
{
	autofree char *new = alloc_text("%s/new", above);
	autoprogress struct progress progress = { 0 };
	int r;

	progress_begin(&progress, "removing an old checkout");
	r = file_remove_tree(AT_FDCWD, new, why);
	if (!r && rename(dir, new) < 0)
		return why_sys(why, errno, "cannot remove '%s'", dir);
	return r < 0 ? r : file_remove_tree(AT_FDCWD, new, why);
}

struct spare {
	char *dir; /* owned */
	struct timespec used;
};

static int by_use(const void *a, const void *b)
{
	const struct timespec *one = &((const struct spare *)a)->used;
	const struct timespec *two = &((const struct spare *)b)->used;

	if (one->tv_sec != two->tv_sec)
		return one->tv_sec < two->tv_sec ? 1 : -1;
	if (one->tv_nsec != two->tv_nsec)
		return one->tv_nsec < two->tv_nsec ? 1 : -1;
	return 0;
}

void templatestore_spare(const char *above, size_t spare)
{
	autonames struct names names = { 0 };
	struct spare *all = NULL;
	struct why why = { 0 };
	size_t count = 0;
	size_t i;

	if (list(&names, above, &why) < 0)
		return;
	for (i = 0; i < names.count; i++) {
		char *dir = alloc_text("%s/%s", above, names.items[i]);
		struct stat st;

		if (templatestore_users(dir) || lstat(dir, &st) < 0) {
			free(dir);
			continue;
		}
		all = alloc_array(all, count, sizeof(*all));
		all[count++] = (struct spare){ dir, st.st_mtim };
	}
	if (count)
		qsort(all, count, sizeof(*all), by_use);
	for (i = 0; i < count; i++) {
		if (i >= spare)
			(void)discard(above, all[i].dir, &why);
		free(all[i].dir);
	}
	free(all);
}

int templatestore_measure(const char *dir, struct why *why)
{
	autobuf struct buf text = { 0 };

	buf_addf(&text, "%" PRIu64 "\n", amount_of(dir).bytes);
	return repo_write(dir, SIZE, buf_span(&text), why);
}

uint64_t templatestore_size(const char *dir)
{
	autofree char *path = alloc_text("%s/" SIZE, dir);
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	struct span rest;
	uint64_t bytes;

	if (file_read_path(&text, AT_FDCWD, path, SIZE_LEN_MAX, &why) < 0)
		return amount_of(dir).bytes;
	rest = buf_span(&text);
	return num_read(&bytes, span_cut(&rest, '\n'), INT64_MAX) < 0
		       ? amount_of(dir).bytes
		       : bytes;
}

static void read_project(struct templatestore_entry *template,
			 const char *above)
{
	autofree char *path = alloc_text("%s/" TEMPLATESTORE_PROJECT, above);
	struct why why = { 0 };

	if (file_read_path(&template->project, AT_FDCWD, path, PATH_MAX, &why) <
	    0)
		buf_reset(&template->project);
}

/* Of one project; the directory goes with the last of its templates. */
static int sweep_project(const char *above, templatestore_chosen *chosen,
			 void *context, struct why *why)
{
	autoclose int lock_fd = dir_open_own(above, 077);
	autonames struct names names = { 0 };
	autofree char *project = alloc_text("%s/" TEMPLATESTORE_PROJECT, above);
	size_t gone = 0;
	size_t i;
	int r = 0;

	if (lock_fd < 0 || lock(lock_fd, LOCK_NB) < 0)
		return 0;
	r = list(&names, above, why);
	for (i = 0; !r && i < names.count; i++) {
		autofree char *dir = alloc_text("%s/%s", above, names.items[i]);
		struct templatestore_entry template = {
			.dir = dir,
			.used = last_use(dir),
			.users = templatestore_users(dir)
		};

		read_project(&template, above);
		if (chosen(context, &template) && !template.users) {
			r = discard(above, dir, why);
			gone++;
		}
		buf_drop(&template.project);
	}
	if (!r && gone && gone == names.count && !unlink(project))
		(void)rmdir(above);
	return r;
}

int templatestore_sweep(templatestore_chosen *chosen, void *context,
			struct why *why)
{
	autobuf struct buf all = { 0 };
	autonames struct names names = { 0 };
	size_t i;
	int r = find_all(&all, why);

	if (r < 0)
		return r;
	r = list(&names, buf_str(&all), why);
	for (i = 0; !r && i < names.count; i++) {
		autofree char *above =
			alloc_text("%s/%s", buf_str(&all), names.items[i]);

		r = sweep_project(above, chosen, context, why);
	}
	return r;
}

bool templatestore_is_old(void *context,
			  const struct templatestore_entry *template)
{
	const time_t now = time(NULL);

	(void)context;
	return template->used + (uint64_t)TEMPLATESTORE_DAYS * DAY <
	       (uint64_t)now;
}
