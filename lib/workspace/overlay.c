/* SPDX-License-Identifier: ISC */
#include "workspace/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/line.h"
#include "base/progress.h"
#include "base/why.h"
#include "cow/node.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/project.h"
#include "workspace/space.h"

#define NAMES "names"

static void set_paths(struct overlay *o, const char *dir)
{
	o->dir = alloc_copy(dir, strlen(dir));
	o->listed = alloc_text("%s/" NAMES, dir);
	o->layers = alloc_text("%s/layers", dir);
	o->upper = alloc_text("%s/layers/upper", dir);
}

/* Two sessions of one name did not begin at one time. */
static void set_owner(struct overlay *o)
{
	o->owner = alloc_text("%s %lld.%09ld", buf_str(&o->id),
			      (long long)o->origin.real.tv_sec,
			      o->origin.real.tv_nsec);
	o->origin.owner = o->owner;
	o->before.path = o->listed;
	o->origin.before = o->names ? &o->before : NULL;
}

/* ---- state -------------------------------------------------------------- */

static void put_time(struct buf *state, const char *name,
		     const struct timespec *time)
{
	json_open_object(state, name);
	json_num(state, "seconds", time->tv_sec);
	json_num(state, "nanoseconds", time->tv_nsec);
	json_close_object(state);
}

int overlay_sync(const struct overlay *overlay, struct why *why)
{
	autoclose int fd = overlay_upper(overlay, why);

	if (fd == -ENOENT)
		return 0;
	if (fd >= 0 && syncfs(fd) < 0)
		return why_sys(why, errno, "cannot write out '%s'",
			       overlay->upper);
	return fd < 0 ? fd : 0;
}

int overlay_save(const struct overlay *o, struct why *why)
{
	const struct deferred_origin *origin = &o->origin;
	autobuf struct buf state = { 0 };

	json_open(&state);
	json_num(&state, "version", 1);
	json_str(&state, "kind", span_of("overlay"));
	json_str(&state, "session", buf_span(&o->id));
	json_str(&state, "project", buf_span(&o->project));
	json_num(&state, "device", (int64_t)origin->dev);
	json_num(&state, "inode", (int64_t)origin->ino);
	put_time(&state, "since", &origin->since);
	put_time(&state, "real", &origin->real);
	put_time(&state, "up", &origin->boot);
	json_str(&state, "boot", span_of(origin->boot_id));
	json_bool(&state, "names", o->names);
	json_bool(&state, "landing", o->landing);
	json_bool(&state, "landed", o->landed);
	json_close_line(&state);
	return file_put(o->dir, "state", buf_span(&state), why);
}

static bool take_time(struct timespec *time, const struct record *record,
		      const char *name)
{
	const struct record_value *value = record_get(record, name);
	int64_t seconds, nanoseconds;

	if (value_int(&seconds, value_field(value, "seconds")) < 0 ||
	    value_int(&nanoseconds, value_field(value, "nanoseconds")) < 0)
		return false;
	*time = (struct timespec){ .tv_sec = seconds, .tv_nsec = nanoseconds };
	return true;
}

static bool take_truth(bool *truth, const struct record *record,
		       const char *name)
{
	*truth = value_is_true(record_get(record, name));
	return record_has(record, name);
}

static bool take_origin(struct deferred_origin *origin,
			const struct record *record)
{
	const char *boot_id = value_string(record_get(record, "boot"));
	int64_t dev, ino;

	if (value_int(&dev, record_get(record, "device")) < 0 ||
	    value_int(&ino, record_get(record, "inode")) < 0 || !boot_id ||
	    strlen(boot_id) != DEFERRED_BOOT_LEN)
		return false;
	origin->dev = (uint64_t)dev;
	origin->ino = (uint64_t)ino;
	memcpy(origin->boot_id, boot_id, DEFERRED_BOOT_LEN + 1);
	return take_time(&origin->since, record, "since") &&
	       take_time(&origin->real, record, "real") &&
	       take_time(&origin->boot, record, "up");
}

static bool take_state(struct overlay *o, const struct record *record)
{
	int64_t version;

	o->names = value_is_true(record_get(record, "names"));
	return value_int(&version, record_get(record, "version")) >= 0 &&
	       version == 1 &&
	       value_is(record_get(record, "kind"), "overlay") &&
	       value_text(&o->id, record_get(record, "session")) >= 0 &&
	       space_is_id(buf_str(&o->id)) &&
	       value_text(&o->project, record_get(record, "project")) >= 0 &&
	       take_origin(&o->origin, record) &&
	       take_truth(&o->landing, record, "landing") &&
	       take_truth(&o->landed, record, "landed");
}

/* The caller's own, and nobody else's to write to. */
static char *find_dir(const char *path)
{
	autofree char *dir = realpath(path, NULL);
	struct stat st;

	if (!dir || !strcmp(dir, "/") || lstat(dir, &st) < 0 ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077))
		return NULL;
	return alloc_copy(dir, strlen(dir));
}

static int read_state(struct buf *bytes, struct record *record, const char *dir,
		      struct why *why)
{
	autofree char *name = alloc_text("%s/state", dir);
	int r = file_read_path(bytes, AT_FDCWD, name, LINE_MAX_LEN, why);

	return r < 0 ? r : record_read(record, buf_span(bytes), why);
}

int overlay_is(const char *path, struct why *why)
{
	autofree char *dir = find_dir(path);
	autorecord struct record record = { 0 };
	autobuf struct buf bytes = { 0 };

	if (!dir || read_state(&bytes, &record, dir, why) < 0)
		return why_set(why, EINVAL,
			       "cannot use '%s': it is not a workspace of "
			       "chock",
			       path);
	return value_is(record_get(&record, "kind"), "overlay");
}

int overlay_open(struct overlay *overlay, const char *path, struct why *why)
{
	autofree char *dir = find_dir(path);
	autorecord struct record record = { 0 };
	autobuf struct buf bytes = { 0 };

	if (!dir || read_state(&bytes, &record, dir, why) < 0 ||
	    !take_state(overlay, &record))
		return why_set(why, EINVAL,
			       "cannot use '%s': it is not a workspace of "
			       "chock with an overlay",
			       path);
	set_paths(overlay, dir);
	set_owner(overlay);
	(void)node_regain(overlay->upper);
	return 0;
}

/* ---- making it ---------------------------------------------------------- */

/* Where there are too many, none is known, and that is no failure. */
static int note_names(const struct overlay *o, struct why *why)
{
	autobuf struct buf names = { 0 };
	autoprogress struct progress progress = { 0 };
	int r;

	progress_begin(&progress, "listing the project's files");
	r = before_list(&names, buf_str(&o->project));

	if (r == -E2BIG)
		return 0;
	if (r < 0)
		return why_sys(why, -r, "cannot list the files of '%s'",
			       buf_str(&o->project));
	return file_put(o->dir, NAMES, buf_span(&names), why);
}

static int fill(const struct overlay *o, struct why *why)
{
	int r = overlay_save(o, why);

	if (!r && mkdir(o->layers, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", o->layers);
	return r || !o->names ? r : note_names(o, why);
}

int overlay_start(struct overlay *overlay, const char *dir, const char *id,
		  const char *path, struct why *why)
{
	autofree char *future = space_new_path(path, why);
	autobuf struct buf root = { 0 };
	int r = future ? project_plain_root(&root, dir, why) : -why->errnum;

	overlay->names = true;
	if (!r && space_within(future, buf_str(&root)))
		r = space_apart(future, buf_str(&root), why);
	return r < 0 ? r
		     : overlay_start_of(overlay, buf_str(&root), id, path, why);
}

int overlay_start_of(struct overlay *overlay, const char *root, const char *id,
		     const char *path, struct why *why)
{
	autofree char *future = space_new_path(path, why);
	struct why lost = { 0 };
	int r;

	if (!future)
		return -why->errnum;
	buf_adds(&overlay->project, root);
	r = deferred_begin(&overlay->origin, root, why);
	if (r < 0)
		return r;
	set_paths(overlay, future);
	buf_adds(&overlay->id, id);
	set_owner(overlay);
	if (mkdir(future, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", future);
	r = fill(overlay, why);
	if (r < 0)
		(void)file_remove_tree(AT_FDCWD, future, &lost);
	return r;
}

int overlay_upper(const struct overlay *overlay, struct why *why)
{
	int fd = open(overlay->upper,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? why_sys(why, errno, "cannot open '%s'", overlay->upper)
		      : fd;
}

void overlay_drop(struct overlay *overlay)
{
	buf_drop(&overlay->id);
	buf_drop(&overlay->project);
	free(overlay->owner);
	free(overlay->dir);
	free(overlay->listed);
	free(overlay->layers);
	before_drop(&overlay->before);
	free(overlay->upper);
	*overlay = (struct overlay){ 0 };
}
