/* SPDX-License-Identifier: ISC */
#include "cow/descend.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "cow/node.h"

static int go(const struct descend *at, descend_tell *tell, void *context);

static int go_below(const struct descend *at, descend_tell *tell, void *context)
{
	autonode struct node node = NODE_CLOSED;
	autoentries struct entries entries = { 0 };
	size_t i;
	int r = node_open(&node, at->dir_fd, at->name, at->own);

	if (!r && at->depth == node_depth_max())
		r = -ENAMETOOLONG;
	if (!r)
		r = entries_read(&entries, node.fd);
	for (i = 0; i < entries.count && !r; i++) {
		autofree char *path = alloc_text("%s%s%s", at->path,
						 *at->path ? "/" : "",
						 entries.names[i]);
		const struct descend below = { .dir_fd = node.fd,
					       .name = entries.names[i],
					       .path = path,
					       .depth = at->depth + 1,
					       .own = at->own };

		r = go(&below, tell, context);
	}
	return r;
}

static int go(const struct descend *at, descend_tell *tell, void *context)
{
	struct stat st;
	int r = node_stat(at->dir_fd, at->name, &st);

	if (r <= 0)
		return r;
	r = tell(context, at, &st);
	if (!r && S_ISDIR(st.st_mode))
		r = go_below(at, tell, context);
	return r > 0 ? 0 : r;
}

int descend(int root_fd, const char *path, bool own, descend_tell *tell,
	    void *context)
{
	struct descend at = { .path = path, .own = own };
	autoclose int fd = node_parent(root_fd, path, &at.name);

	at.dir_fd = fd;
	return fd < 0 ? fd : go(&at, tell, context);
}

int descend_below(int root_fd, descend_tell *tell, void *context)
{
	const struct descend at = { .dir_fd = root_fd,
				    .name = ".",
				    .path = "" };

	return go_below(&at, tell, context);
}
