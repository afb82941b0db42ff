/* SPDX-License-Identifier: ISC */
#include "base/amount.h"

#include <errno.h>
#include <fts.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/progress.h"

#define BLOCK 512 /* stat(3type), st_blocks */

static void count(struct amount *amount, const FTSENT *at)
{
	switch (at->fts_info) {
	case FTS_DP:
		return;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
	case FTS_DC:
		amount->opaque = true;
		amount->empty = false;
		return;
	default:
		amount->bytes += (uint64_t)at->fts_statp->st_blocks * BLOCK;
		if (at->fts_level > FTS_ROOTLEVEL || at->fts_info != FTS_D)
			amount->empty = false;
	}
}

struct amount amount_of(const char *path)
{
	autofree char *root = alloc_copy(path, strlen(path));
	char *paths[2] = { root, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_XDEV, NULL);
	struct amount amount = { .empty = true, .opaque = !tree };
	FTSENT *at;

	errno = 0;
	while (tree && (at = fts_read(tree))) {
		progress_step();
		count(&amount, at);
		errno = 0;
	}
	amount.opaque |= errno != 0;
	if (tree)
		(void)fts_close(tree);
	return amount;
}
