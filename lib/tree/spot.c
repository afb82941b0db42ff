/* SPDX-License-Identifier: ISC */
#include "tree/spot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"

/* The walk: where it is, and what is still to be gone. */
struct walk {
	struct spot *at;
	struct spot_links *links; /* borrowed, or NULL */
	struct buf todo;
	unsigned int followed;
};

const char *path_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (len == 1)
		return path + 1;
	if (strncmp(path, dir, len) != 0)
		return NULL;
	if (!path[len])
		return path + len;
	return path[len] == '/' ? path + len + 1 : NULL;
}

static void cut_last(struct buf *path)
{
	while (path->len > 1 && path->data[path->len - 1] != '/')
		path->len--;
	if (path->len > 1)
		path->len--;
	path->data[path->len] = '\0';
}

static void add_name(struct buf *path, struct span name)
{
	if (path->len > 1)
		buf_addc(path, '/');
	buf_add(path, name);
}

/* The next name of @path, which is moved behind it; none at the end. */
static struct span next_name(const char **path)
{
	struct span name;

	*path += strspn(*path, "/");
	name = (struct span){ *path, strcspn(*path, "/") };
	*path += name.len;
	return name;
}

/* Without links, ".." takes away just the name before it. */
static void tidy(struct buf *tidied, const char *path)
{
	struct span name;

	buf_addc(tidied, '/');
	while ((name = next_name(&path)).len)
		if (span_is(name, ".."))
			cut_last(tidied);
		else if (!span_is(name, "."))
			add_name(tidied, name);
}

static void keep_link(struct spot_links *links, const struct buf *dir,
		      struct span name, const char *text)
{
	struct spot_link *link;

	if (!links)
		return;
	links->links = alloc_array(links->links, links->count, sizeof(*link));
	link = &links->links[links->count++];
	link->path = alloc_text("%s%s%.*s", buf_str(dir),
				dir->len > 1 ? "/" : "", (int)name.len,
				name.data);
	link->text = alloc_copy(text, strlen(text));
	link->by = links->by;
}

static void restart(struct spot *at, int owned_fd)
{
	if (at->fd >= 0)
		(void)close(at->fd);
	at->fd = owned_fd;
}

/* Puts what the link @fd says in front of @rest. */
static int follow(struct walk *walk, int fd, struct span name, const char *rest)
{
	autobuf struct buf todo = { 0 };
	char text[PATH_MAX];
	ssize_t len = readlinkat(fd, "", text, sizeof(text) - 1);

	if (len < 0)
		return -errno;
	if (++walk->followed > SPOT_LINKS_MAX)
		return -ELOOP;
	text[len] = '\0';
	keep_link(walk->links, &walk->at->path, name, text);
	if (*text == '/') {
		restart(walk->at, open("/", O_PATH | O_CLOEXEC));
		buf_reset(&walk->at->path);
		buf_addc(&walk->at->path, '/');
	}
	buf_adds(&todo, text);
	buf_addc(&todo, '/');
	buf_adds(&todo, rest);
	buf_drop(&walk->todo);
	walk->todo = todo;
	todo = (struct buf){ 0 };
	return 0;
}

/* One name onwards; @rest is what is to be gone behind it. */
static int step(struct walk *walk, struct span name, const char *rest)
{
	autofree char *copy = alloc_copy(name.data, name.len);
	autoclose int fd =
		openat(walk->at->fd, copy, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode)) {
		r = follow(walk, fd, (struct span){ copy, name.len }, rest);
		return r < 0 ? r : 1;
	}
	if (span_is(name, ".."))
		cut_last(&walk->at->path);
	else if (!span_is(name, "."))
		add_name(&walk->at->path, (struct span){ copy, name.len });
	walk->at->mode = st.st_mode;
	restart(walk->at, take_fd(&fd));
	return 0;
}

/* Goes all of it; after -ENOENT, at->path is the name of what is missing. */
static int go(struct walk *walk)
{
	const char *path = buf_str(&walk->todo);
	struct span name;
	int r;

	while ((name = next_name(&path)).len) {
		r = step(walk, name, path);
		if (r == -ENOENT) {
			autobuf struct buf missing = { 0 };

			buf_adds(&missing, buf_str(&walk->at->path));
			buf_addc(&missing, '/');
			buf_adds(&missing, name.data);
			buf_reset(&walk->at->path);
			tidy(&walk->at->path, buf_str(&missing));
		}
		if (r < 0)
			return r;
		if (r > 0)
			path = buf_str(&walk->todo);
	}
	return 0;
}

static int walk_links(struct spot *spot, const char *path,
		      struct spot_links *links)
{
	struct walk walk = { .at = spot, .links = links };
	int r;

	buf_reset(&spot->path);
	buf_addc(&spot->path, '/');
	spot->fd = open("/", O_PATH | O_CLOEXEC);
	spot->mode = S_IFDIR;
	buf_adds(&walk.todo, path);
	r = spot->fd < 0 ? -errno : go(&walk);
	buf_drop(&walk.todo);
	if (r < 0) {
		restart(spot, -1);
		spot->mode = 0;
	}
	return r;
}

/*
 * Goes there if there is no link on the way; -ELOOP if there is one.  Returns
 * 1 if what is there is one itself.
 */
static int walk_plain(struct spot *spot, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				      .resolve = RESOLVE_NO_SYMLINKS };
	struct stat st;

	*spot = SPOT_NOWHERE;
	spot->fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (spot->fd < 0 || fstat(spot->fd, &st) < 0)
		return -errno;
	spot->mode = st.st_mode;
	tidy(&spot->path, path);
	return S_ISLNK(st.st_mode);
}

/*
 * From a link on whose way there is no other to what it names, if that is true
 * of it too, as of /bin: in six calls of the kernel where walk_links() needs
 * nineteen.  Otherwise -ELOOP, and nothing is kept.
 */
static int hop(struct spot *link, struct spot_links *links)
{
	char *path = link->path.data;
	char *name = strrchr(path, '/') + 1;
	autobuf struct buf dir = { 0 };
	autobuf struct buf target = { 0 };
	autospot struct spot next = SPOT_NOWHERE;
	char text[PATH_MAX];
	ssize_t len = readlinkat(link->fd, "", text, sizeof(text) - 1);

	if (len < 0)
		return -ELOOP;
	text[len] = '\0';
	buf_add(&dir, (struct span){ path, (size_t)(name - path) });
	if (*text != '/')
		buf_add(&target, buf_span(&dir));
	buf_adds(&target, text);
	if (walk_plain(&next, buf_str(&target)) != 0)
		return -ELOOP;
	if (dir.len > 1)
		cut_last(&dir);
	keep_link(links, &dir, span_of(name), text);
	spot_close(link);
	*link = next;
	next = SPOT_NOWHERE;
	return 0;
}

int spot_find(struct spot *spot, const char *path, struct spot_links *links,
	      struct why *why)
{
	int r = walk_plain(spot, path);

	if (r > 0)
		r = hop(spot, links);
	if (r == -ELOOP || r == -ENOSYS) {
		spot_close(spot);
		r = walk_links(spot, path, links);
	} else if (r < 0) { /* a link before the missing name gives ELOOP */
		tidy(&spot->path, path);
	}
	return r < 0 ? why_sys(why, -r, "cannot find '%s'", path) : 0;
}

/* Without openat2(2), Linux 5.6, the walk itself tells what it followed. */
int spot_again(struct spot *spot, const char *path, struct why *why)
{
	struct spot_links links = { 0 };
	int r = walk_plain(spot, path);

	if (r > 0) {
		spot_close(spot);
		r = -ELOOP;
	}
	if (r == -ENOSYS) {
		r = walk_links(spot, path, &links);
		if (!r && links.count) {
			spot_close(spot);
			r = -ELOOP;
		}
		spot_links_drop(&links);
	}
	return r < 0 ? why_sys(why, -r, "cannot find '%s' again", path) : 0;
}

void spot_close(struct spot *spot)
{
	if (spot->fd >= 0)
		(void)close(spot->fd);
	buf_drop(&spot->path);
	*spot = SPOT_NOWHERE;
}

void spot_links_drop(struct spot_links *links)
{
	size_t i;

	for (i = 0; i < links->count; i++) {
		free(links->links[i].path);
		free(links->links[i].text);
	}
	free(links->links);
	*links = (struct spot_links){ 0 };
}
