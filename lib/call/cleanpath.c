/* SPDX-License-Identifier: ISC */
#include "call/cleanpath.h"

#include <string.h>

#include "base/buf.h"

bool cleanpath_add(struct buf *clean, const char *path)
{
	while (*path) {
		struct span part = { path, strcspn(path, "/") };

		if (span_is(part, ".."))
			return false;
		if (part.len && !span_is(part, ".")) {
			buf_addc(clean, '/');
			buf_add(clean, part);
		}
		path += part.len + (path[part.len] == '/');
	}
	return true;
}

/* What of @path is behind @above, "" for @above itself; or NULL. */
static const char *behind(const char *path, const char *above)
{
	autobuf struct buf clean = { 0 };

	if (!cleanpath_add(&clean, above) ||
	    strncmp(path, buf_str(&clean), clean.len) != 0 ||
	    (path[clean.len] && path[clean.len] != '/'))
		return NULL;
	return path + clean.len;
}

const char *cleanpath_below(const char *path, const char *above)
{
	const char *rest = behind(path, above);

	return rest && *rest ? rest + 1 : NULL;
}

bool cleanpath_in(const char *path, const char *const *directories)
{
	for (; *directories; directories++)
		if (behind(path, *directories))
			return true;
	return false;
}
