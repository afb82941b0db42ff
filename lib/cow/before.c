/* SPDX-License-Identifier: ISC */
#include "cow/before.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/survey.h"

static int take(void *context, const struct survey_name *name)
{
	struct buf *names = context;
	const size_t len = strlen(name->path);

	if (names->len + len >= BEFORE_BYTES_MAX)
		return -E2BIG;
	buf_add(names, (struct span){ name->path, len + 1 });
	return 0;
}

int before_list(struct buf *names, const char *path)
{
	autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : survey(fd, take, names);
}

static int compare(const void *a, const void *b)
{
	const char *const *names[] = { a, b };

	return strcmp(*names[0], *names[1]);
}

/* One that was cut off ends in no NUL, and is none. */
static bool read_all(struct before *before)
{
	const char *at, *end;
	struct why lost = { 0 };

	if (!before->path ||
	    file_read_path(&before->bytes, AT_FDCWD, before->path,
			   BEFORE_BYTES_MAX, &lost) < 0)
		return false;
	at = before->bytes.data;
	end = at + before->bytes.len;
	if (at == end)
		return true;
	if (end[-1])
		return false;
	for (; at < end; at += strlen(at) + 1) {
		before->names = alloc_array(before->names, before->count,
					    sizeof(*before->names));
		before->names[before->count++] = at;
	}
	qsort(before->names, before->count, sizeof(*before->names), compare);
	return true;
}

bool before_has(struct before *before, const char *path)
{
	if (!before->read)
		before->known = read_all(before);
	before->read = true;
	return !before->known ||
	       (before->count && bsearch(&path, before->names, before->count,
					 sizeof(*before->names), compare));
}

void before_drop(struct before *before)
{
	buf_drop(&before->bytes);
	free(before->names);
	*before = (struct before){ 0 };
}
