/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - the part that finds kept workspaces, and knows of each
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/amount.h"
#include "base/auto.h"
#include "base/dir.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/line.h"
#include "base/num.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-kept.h"
#include "log/logfile.h"
#include "log/stamp.h"
#include "record/record.h"
#include "workspace/intent.h"
#include "workspace/names.h"
#include "workspace/space.h"
#include "workspace/written.h"

#define EXPIRES_MAX 20

/* ---- what is known of one ----------------------------------------------- */

static void read_state(struct kept *kept)
{
	autofree char *path = alloc_text("%s/state", kept->workspace);
	const struct space space = { .dir = kept->workspace };
	autorecord struct record record = { 0 };
	autobuf struct buf bytes = { 0 };
	struct why why = { 0 };

	/* A git project has one from before an apply until it is over; where
	 * that cannot be told it counts as having one. */
	kept->landing = intent_there(&space) != 0;
	if (file_read_path(&bytes, AT_FDCWD, path, LINE_MAX_LEN, &why) < 0 ||
	    record_read(&record, buf_span(&bytes), &why) < 0 ||
	    value_text(&kept->project, record_get(&record, "project")) < 0)
		return;
	kept->overlay = value_is(record_get(&record, "kind"), "overlay");
	if (kept->overlay)
		kept->landing = value_is_true(record_get(&record, "landing"));
}

static void read_expiry(struct kept *kept)
{
	autofree char *path =
		alloc_text("%s/%s", kept->workspace, KEPT_EXPIRES);
	autobuf struct buf bytes = { 0 };
	struct why why = { 0 };

	if (file_read_path(&bytes, AT_FDCWD, path, EXPIRES_MAX, &why) < 0)
		return;
	if (num_read(&kept->expires, buf_span(&bytes), INT64_MAX) < 0)
		kept->expires = 0;
}

void kept_measure(struct kept *kept)
{
	kept->bytes = amount_of(kept->workspace).bytes;
}

/* ---- finding them ------------------------------------------------------- */

struct finding {
	void (*told)(void *context, const struct kept *kept);
	void *context;
	const char *id; /* NULL: all */
};

static void open_kept(struct kept *kept, const char *dir, const char *id)
{
	memcpy(kept->id, id, SESSION_ID_LEN);
	kept->workspace = alloc_text("%s/%s", dir, id);
	kept->log = alloc_text("%s%s", kept->workspace, LOGFILE_SUFFIX);
	(void)session_id_started(&kept->started, span_of(id));
	read_state(kept);
	read_expiry(kept);
	kept_read_log(kept);
}

struct place {
	const struct finding *finding;
	const char *path;
};

static int find_one(void *context, const struct dirent *entry)
{
	const struct place *place = context;
	const struct finding *finding = place->finding;
	const char *id = entry->d_name;
	autofree char *path = alloc_text("%s/%s", place->path, id);
	autokept_session struct kept kept = { 0 };
	struct stat st;
	uint64_t ms;

	if (session_id_started(&ms, span_of(id)) < 0 ||
	    (finding->id && strcmp(finding->id, id) != 0) ||
	    lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	open_kept(&kept, place->path, id);
	finding->told(finding->context, &kept);
	return 0;
}

static void say_unlisted(const char *place, int errnum)
{
	static struct names said;

	if (names_has(&said, place))
		return;
	names_add(&said, span_of(place));
	names_tidy(&said);
	if (errnum == EPERM)
		warn("cannot list '%s': it is somebody else's, or others may "
		     "write to it",
		     place);
	else
		warn("cannot list '%s': %s", place, strerror(errnum));
}

/* One that cannot be listed hides no other, and is no empty one. */
void kept_each_name(const char *place, dir_name *each, void *context)
{
	autoclose int fd = dir_open_own(place, 022);
	int r = fd < 0 ? fd : dir_each(fd, each, context);

	if (r < 0 && r != -ENOTDIR && r != -ENOENT)
		say_unlisted(place, -r);
}

static void find_in(void *context, const char *path)
{
	struct place place = { context, path };

	kept_each_name(path, find_one, &place);
}

struct placing {
	void (*told)(void *context, const char *place);
	void *context;
	const char *path;
};

static int place_one(void *context, const struct dirent *entry)
{
	const struct placing *placing = context;
	autofree char *path = alloc_text("%s/%s", placing->path, entry->d_name);

	if (entry->d_name[0] != '.')
		placing->told(placing->context, path);
	return 0;
}

void kept_each_place(void (*told)(void *context, const char *place),
		     void *context)
{
	autobuf struct buf path = { 0 };
	struct placing placing = { told, context, NULL };
	struct why why = { 0 };

	if (place_state(&path, &why) < 0)
		die_why(&why);
	buf_adds(&path, "/sessions");
	placing.path = buf_str(&path);
	autoclose int fd = dir_open_own(placing.path, 022);
	int r = fd < 0 ? fd : dir_each(fd, place_one, &placing);

	if (r == -EPERM)
		die(EXIT_MISUSE,
		    "cannot list '%s': it is somebody else's, or others may "
		    "write to it",
		    placing.path);
	if (r < 0 && (fd >= 0 || r != -ENOENT)) {
		why_sys(&why, -r, "cannot list '%s'", placing.path);
		(void)place_blame_state(&why);
		die_why(&why);
	}
}

static void find_all(struct finding *finding)
{
	kept_each_place(find_in, finding);
}

void kept_each(void (*told)(void *context, const struct kept *kept),
	       void *context)
{
	struct finding finding = { told, context, NULL };

	find_all(&finding);
}

void kept_copy(struct kept *to, const struct kept *from)
{
	*to = *from;
	to->log = alloc_copy(from->log, strlen(from->log));
	to->workspace = alloc_copy(from->workspace, strlen(from->workspace));
	to->project = (struct buf){ 0 };
	buf_add(&to->project, buf_span(&from->project));
	to->ended = (struct buf){ 0 };
	buf_add(&to->ended, buf_span(&from->ended));
}

static void take(void *context, const struct kept *kept)
{
	struct kept *found = context;

	kept_drop(found);
	kept_copy(found, kept);
}

void kept_find(struct kept *kept, const char *id, const char *verb)
{
	struct finding finding = { take, kept, id };

	find_all(&finding);
	if (!kept->workspace)
		kept_waiting_refuse(id, verb);
}

/* Its objects, or what is below the layers, is there. */
void kept_check_project(const struct kept *kept)
{
	autofree char *project =
		alloc_copy(kept->project.data, kept->project.len);

	if (access(project, F_OK) < 0 && errno == ENOENT)
		die(EXIT_MISUSE,
		    "the project '%s' is not there any more; once it is moved "
		    "back, what is kept can be applied, adopted and exported",
		    project);
}

/* ---- removing ----------------------------------------------------------- */

static void say_mended(void *context, const char *path, bool mended,
		       const char *sentence)
{
	(void)context;
	(void)path;
	if (mended)
		warn("%s", sentence);
}

/* With its lock, if it has a log: what else was known of it may be old. */
static int remove_locked(struct kept *kept, bool expired, struct why *why)
{
	struct space space = { .dir = kept->workspace };

	kept->landing = false;
	kept->expires = 0;
	read_state(kept);
	read_expiry(kept);
	if (kept->landing)
		return why_set(why, EBUSY,
			       "cannot remove '%s': an apply was cut off, and "
			       "another apply has to go on with it",
			       kept->workspace);
	if (expired && !kept_is_over(kept))
		return 0;
	if (written_end(kept->workspace, say_mended, NULL, why) < 0)
		return why_within(why, "cannot remove '%s'", kept->workspace);
	return space_remove(&space, why);
}

bool kept_is_over(const struct kept *kept)
{
	return kept->expires && kept->expires <= stamp_now() / 1000;
}

int kept_remove(const struct kept *kept, bool expired, struct why *why)
{
	autologfile struct logfile log = LOGFILE_CLOSED;
	autokept_session struct kept now = { 0 };
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "removing what a session left");
	if (!access(kept->log, F_OK) &&
	    logfile_create(&log, kept->log, why) < 0)
		return why_within(why, "cannot remove '%s'", kept->workspace);
	kept_copy(&now, kept);
	return remove_locked(&now, expired, why);
}

static void sweep_one(void *context, const struct kept *kept)
{
	struct why why = { 0 };

	(void)context;
	if (!kept_is_over(kept) || kept->running)
		return;
	if (kept_remove(kept, true, &why) < 0 && why.errnum != EAGAIN)
		warn("%s", why.text);
}

void kept_sweep(void)
{
	kept_each(sweep_one, NULL);
}

void kept_drop(struct kept *kept)
{
	free(kept->log);
	free(kept->workspace);
	buf_drop(&kept->project);
	buf_drop(&kept->ended);
	*kept = (struct kept){ 0 };
}
