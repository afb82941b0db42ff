/* SPDX-License-Identifier: ISC */
#include "workspace/among.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "cow/layerdiff.h"
#include "workspace/space.h"

struct finding {
	struct buf *paths;
	size_t count;
	bool more;
};

/* Of a directory git knows no mode. */
static int take(void *context, const struct layerdiff_change *change,
		struct why *why)
{
	struct finding *f = context;

	(void)why;
	if (change->kind == LAYERDIFF_MODE || !strcmp(change->path, ".git"))
		return 0;
	if (++f->count > AMONG_MAX) {
		f->more = true;
		return 1;
	}
	buf_add(f->paths,
		(struct span){ change->path, strlen(change->path) + 1 });
	return 0;
}

static void leave_out(void *context, const char *path, const char *what)
{
	struct finding *f = context;

	(void)path;
	(void)what;
	f->more = true;
}

bool among_find(struct buf *paths, const struct space *space)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	autoclose int upper_fd = open(space->copy, flags);
	autoclose int lower_fd = open(buf_str(&space->below), flags);
	struct finding finding = { .paths = paths };
	/* Nobody changes what is below, so that nothing is asked of its age. */
	const struct layerdiff diff = { .upper_fd = upper_fd,
					.lower_fd = lower_fd,
					.since = { .tv_sec = INT64_MAX },
					.change = take,
					.left_out = leave_out,
					.context = &finding };
	struct why why = { 0 };

	return upper_fd >= 0 && lower_fd >= 0 && !layerdiff_tell(&diff, &why) &&
	       !finding.more && !paths->full;
}
