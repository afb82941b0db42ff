/* SPDX-License-Identifier: ISC */
/*
 * changeset - the part that finds what of it runs later on the host
 *
 * What a layer holds may be unreadable until a walk lends it a mode, so that a
 * file is looked at when the walk is there.  Links can lead on through others,
 * and are followed once all is known.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "cow/cow.h"
#include "cow/list.h"
#include "cow/node.h"
#include "workspace/changeset.h"
#include "workspace/protect.h"

#define EXECUTE 0111U /* by anybody */
#define OTHERS 0077U  /* of the group, and everybody */
#define LINKS_MAX 40  /* path_resolution(7), as many as the kernel follows */

static enum effect_mode mode_of(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return EFFECT_LINK;
	if (!S_ISREG(st->st_mode))
		return EFFECT_NOTHING;
	return st->st_mode & EXECUTE ? EFFECT_EXECUTABLE : EFFECT_FILE;
}

/* The text of a link, or NULL with errno. */
static char *read_link(int dir_fd, const char *name)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(dir_fd, name, text, sizeof(text));

	return len < 0 ? NULL : alloc_copy(text, (size_t)len);
}

static bool is_attributes(const char *name)
{
	return !strcasecmp(name, ".gitattributes");
}

/* One that is too long to be looked at counts as one that has drivers. */
static int look_at_attributes(enum protect_reason *protect,
			      const struct list_line *line)
{
	autonode struct node node = NODE_CLOSED;
	autobuf struct buf text = { 0 };
	char chunk[4096];
	ssize_t got;
	int r = node_open(&node, line->fd, line->name, true);

	if (r < 0)
		return r;
	while (text.len <= PROTECT_ATTRIBUTES_MAX &&
	       (got = read(node.fd, chunk, sizeof(chunk))) > 0)
		buf_add(&text, (struct span){ chunk, (size_t)got });
	if (text.len <= PROTECT_ATTRIBUTES_MAX && got < 0)
		return -errno;
	if (text.len > PROTECT_ATTRIBUTES_MAX ||
	    protect_has_drivers(buf_span(&text)))
		*protect = PROTECT_DRIVERS;
	return 0;
}

/* A link has no mode.  One that cannot be looked at was not there. */
static void look_at_mode(struct changeset_file *file,
			 const struct list_line *line, const struct stat *st)
{
	struct stat old;

	if (line->old_fd < 0 || S_ISLNK(st->st_mode) ||
	    node_stat(line->old_fd, line->name, &old) <= 0 ||
	    S_ISLNK(old.st_mode))
		return;
	file->before = old.st_mode & NODE_MODE;
	file->after = st->st_mode & NODE_MODE;
	file->widens = file->after & ~file->before & OTHERS;
}

int changeset_look(struct changeset_file *file, const struct list_line *line)
{
	struct stat st;
	int r;

	if (line->fd < 0)
		return 0;
	r = node_stat(line->fd, line->name, &st);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	file->mode = mode_of(&st);
	look_at_mode(file, line, &st);
	if (file->mode == EFFECT_LINK) {
		file->link = read_link(line->fd, line->name);
		return file->link ? 0 : -errno;
	}
	return S_ISREG(st.st_mode) && is_attributes(line->name)
		       ? look_at_attributes(&file->protect, line)
		       : 0;
}

/* ---- once all is known -------------------------------------------------- */

/*
 * What stands at @path in one layer, without a link followed on the way: 1, 0
 * if that layer says nothing of it, or -errno.
 */
static int find(int layer_fd, const char *path, struct stat *st, char **link)
{
	const char *name;
	autoclose int fd = node_parent(layer_fd, path, &name);
	int r = fd < 0 ? fd : node_stat(fd, name, st);

	if (r == -ENOENT)
		return 0;
	if (r > 0 && S_ISLNK(st->st_mode)) {
		*link = read_link(fd, name);
		r = *link ? 1 : -errno;
	}
	return r;
}

/* Whether a link is at @path once all has landed; then its text as well. */
static int find_link(const int layers[2], const char *path, char **link)
{
	struct stat st;
	size_t i;
	int r = 0;

	for (i = 0; !r && i < 2; i++)
		r = layers[i] < 0 ? 0 : find(layers[i], path, &st, link);
	return r < 0 ? r : *link != NULL;
}

/* Takes off @dir its last part. */
static void go_up(struct buf *dir)
{
	const char *slash = strrchr(buf_str(dir), '/');
	autofree char *rest = alloc_copy(
		buf_str(dir), slash ? (size_t)(slash - buf_str(dir)) : 0);

	buf_reset(dir);
	buf_adds(dir, rest);
}

/*
 * Follows @target from a link at @at until another link is met: then @at is
 * that one's path, and @target its text with what was left.  Returns whether
 * one was, or -errno where it cannot be told.
 */
static int next_link(const int layers[2], struct buf *at, struct buf *target)
{
	autofree char *text = alloc_copy(buf_str(target), target->len);
	char *rest = text;
	char *part;
	int r = 0;

	go_up(at);
	while (!r && (part = strsep(&rest, "/"))) {
		autofree char *link = NULL;

		if (!strcmp(part, "..")) {
			go_up(at);
			continue;
		}
		if (!*part || !strcmp(part, "."))
			continue;
		buf_addf(at, "%s%s", at->len ? "/" : "", part);
		r = find_link(layers, buf_str(at), &link);
		if (r <= 0)
			continue;
		buf_reset(target);
		buf_addf(target, "%s/%s", link, rest ? rest : "");
	}
	return r == -ENOTDIR ? 0 : r;
}

static bool leads_out(const int layers[2], const struct changeset_file *file)
{
	autobuf struct buf target = { 0 };
	autobuf struct buf at = { 0 };
	int followed;
	int r = 1;

	buf_adds(&target, file->link);
	buf_adds(&at, file->path);
	for (followed = 0; r > 0 && followed < LINKS_MAX; followed++) {
		if (protect_leads_out(buf_str(&at), buf_span(&target)))
			return true;
		r = next_link(layers, &at, &target);
	}
	return r != 0;
}

static bool was_executable(int dir_fd, const char *path)
{
	autofree char *link = NULL;
	struct stat st;

	return find(dir_fd, path, &st, &link) > 0 &&
	       mode_of(&st) == EFFECT_EXECUTABLE;
}

void changeset_protect(struct changeset *changeset, const struct cow *cow,
		       int upper_fd)
{
	const int layers[2] = { upper_fd, cow->dir_fd };
	size_t i;

	for (i = 0; i < changeset->count; i++) {
		struct changeset_file *file = &changeset->files[i];

		if (file->link && leads_out(layers, file))
			file->protect = PROTECT_LINK;
		else if (file->mode == EFFECT_EXECUTABLE &&
			 !was_executable(cow->dir_fd, file->path))
			file->protect = PROTECT_EXECUTABLE;
	}
}

void changeset_effect(struct effect *effect, const struct changeset *changeset)
{
	size_t i;

	buf_adds(&effect->tree, changeset->tree);
	for (i = 0; i < changeset->count; i++) {
		const struct changeset_file *file = &changeset->files[i];

		effect->changes = alloc_array(effect->changes,
					      effect->change_count,
					      sizeof(*effect->changes));
		effect->changes[effect->change_count++] =
			(struct effect_change){ .status = file->status,
						.mode = file->mode,
						.protect = file->protect,
						.path = file->path };
	}
}
