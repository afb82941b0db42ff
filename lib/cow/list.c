/* SPDX-License-Identifier: ISC */
#include "cow/list.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/journal.h"
#include "cow/layerdiff.h"
#include "cow/node.h"

#define CHUNK 65536 /* bytes that are collected before they are written */

/* A tree of the old and one of the new side, either may be missing. */
struct pair {
	int old_fd, new_fd; /* borrowed; -1: nothing */
	const char *path;   /* of both */
	const char *name;
	unsigned int depth;
};

static int flush(struct list *list)
{
	int r = list->tell ? 0 : file_write(list->fd, buf_span(&list->lines));

	buf_reset(&list->lines);
	return r;
}

void list_path(struct buf *line, const char *path)
{
	unsigned char c;

	for (; (c = (unsigned char)*path); path++)
		if (c == '\\')
			buf_adds(line, "\\\\");
		else if (c >= ' ' && c < 0x7f)
			buf_addc(line, (char)c);
		else
			buf_addf(line, "\\%03o", c);
}

static int add_line(struct list *list, char letter, const struct pair *pair)
{
	const struct list_line line = { letter, pair->path,
					letter == 'D' ? -1 : pair->new_fd,
					letter == 'A' ? -1 : pair->old_fd,
					pair->name };
	const char *path = pair->path;

	if (list->tell)
		return list->tell(list->context, &line);
	buf_addc(&list->lines, letter);
	buf_addc(&list->lines, ' ');
	if (list->plain)
		buf_adds(&list->lines, path);
	else
		list_path(&list->lines, path);
	buf_addc(&list->lines, list->plain ? '\0' : '\n');
	return list->lines.len < CHUNK ? 0 : flush(list);
}

static void leave_out(const struct list *list, const char *path,
		      const char *what)
{
	if (list->left_out)
		list->left_out(list->context, path, what);
}

static int list_pair(struct list *list, const struct pair *pair);

/* What goes goes as a whole, however long its names are. */
static int list_name(struct list *list, const struct pair *pair)
{
	if (strlen(pair->path) < PATH_MAX)
		return list_pair(list, pair);
	if (pair->new_fd >= 0)
		leave_out(list, pair->path, NODE_TOO_LONG);
	return 0;
}

static int list_names(struct list *list, const struct pair *in,
		      const char *path, unsigned int depth)
{
	autoentries struct entries olds = { 0 }, news = { 0 };
	struct pair below = { .depth = depth };
	size_t o = 0, n = 0;
	int order, r = 0;

	if (in->old_fd >= 0)
		r = entries_read(&olds, in->old_fd);
	if (!r && in->new_fd >= 0)
		r = entries_read(&news, in->new_fd);
	while (!r && (o < olds.count || n < news.count)) {
		order = o == olds.count ? 1
			: n == news.count
				? -1
				: strcmp(olds.names[o], news.names[n]);
		below.old_fd = order <= 0 ? in->old_fd : -1;
		below.new_fd = order >= 0 ? in->new_fd : -1;
		below.name = order <= 0 ? olds.names[o] : news.names[n];
		autofree char *name = alloc_text("%s/%s", path, below.name);

		below.path = name;
		r = list_name(list, &below);
		o += order <= 0;
		n += order >= 0;
	}
	return r;
}

/* What is below a directory of either side; @old and @new: one is there. */
static int list_below(struct list *list, const struct pair *pair, bool old,
		      bool new)
{
	autonode struct node olds = NODE_CLOSED;
	autonode struct node news = NODE_CLOSED;
	struct pair in = { .old_fd = -1, .new_fd = -1 };
	int r = 0;

	if (pair->depth >= node_depth_max()) {
		if (new)
			leave_out(list, pair->path, NODE_TOO_DEEP);
		return 0;
	}
	if (old)
		r = node_open(&olds, pair->old_fd, pair->name, false);
	if (!r && new)
		r = node_open(&news, pair->new_fd, pair->name, true);
	if (r < 0)
		return r;
	in.old_fd = olds.fd;
	in.new_fd = news.fd;
	return list_names(list, &in, pair->path, pair->depth + 1);
}

static int look(int dir_fd, const char *name, struct stat *st)
{
	return dir_fd < 0 ? 0 : node_stat(dir_fd, name, st);
}

static int list_node(struct list *list, const struct pair *pair,
		     const struct stat *old, const struct stat *new)
{
	bool old_dir = old && S_ISDIR(old->st_mode);
	bool new_dir = new &&S_ISDIR(new->st_mode);
	int r = 0;

	if (!old)
		r = add_line(list, 'A', pair);
	else if (!new)
		r = add_line(list, 'D', pair);
	else if (!old_dir || !new_dir)
		r = node_same(pair->new_fd, pair->name, pair->old_fd,
			      pair->name);
	else
		r = !((old->st_mode ^ new->st_mode) & NODE_MODE);
	if (old && new && !r)
		r = add_line(list, 'M', pair);
	if (r >= 0 && (old_dir || new_dir))
		return list_below(list, pair, old_dir, new_dir);
	return r < 0 ? r : 0;
}

static int list_pair(struct list *list, const struct pair *pair)
{
	struct stat old, new;
	int has_old = look(pair->old_fd, pair->name, &old);
	int has_new = look(pair->new_fd, pair->name, &new);

	if (has_old < 0 || has_new < 0)
		return has_old < 0 ? has_old : has_new;
	if (has_new && !strcmp(pair->name, COW_DIR)) {
		leave_out(list, pair->path, NODE_OWN);
		has_new = 0;
	}
	if (has_new && node_what(&new)) {
		if (!node_is_whiteout(&new))
			leave_out(list, pair->path, node_what(&new));
		has_new = 0;
	}
	if (!has_old && !has_new)
		return 0;
	return list_node(list, pair, has_old ? &old : NULL,
			 has_new ? &new : NULL);
}

int list_change(struct list *list, const struct layerdiff_change *change,
		struct why *why)
{
	const struct pair pair = {
		.old_fd = change->has_old ? change->lower_fd : -1,
		.new_fd = change->has_new ? change->upper_fd : -1,
		.path = change->path,
		.name = change->name,
	};
	int r = change->kind == LAYERDIFF_MODE ? add_line(list, 'M', &pair)
					       : list_pair(list, &pair);

	return r < 0 ? why_sys(why, -r, "cannot list '%s'", change->path) : 0;
}

int list_end(struct list *list, struct why *why)
{
	int r = flush(list);

	return r < 0 ? why_sys(why, -r, "cannot write the list") : 0;
}

void list_drop(struct list *list)
{
	buf_drop(&list->lines);
}
