/* SPDX-License-Identifier: ISC */
#include "policy/path.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/policy.h"

const char *path_fault(struct span path)
{
	size_t start = 0;
	size_t i;

	if (path.len && memchr(path.data, '\0', path.len))
		return "a path with a NUL byte";
	for (i = 0; i <= path.len; i++) {
		struct span part = { path.data + start, i - start };

		if (i < path.len && path.data[i] != '/')
			continue;
		if (span_is(part, ".") || span_is(part, ".."))
			return "a path with '.' or '..' in it";
		start = i + 1;
	}
	return NULL;
}

size_t path_hidden_len(const char *pattern)
{
	size_t len = strlen(pattern);

	if (len > 3 && !strcmp(pattern + len - 3, "/**"))
		len -= 3;
	while (len > 1 && pattern[len - 1] == '/')
		len--;
	return len;
}

/* Whether @word is @start alone or goes on with a slash. */
static bool is_below(const char *word, const char *start)
{
	size_t len = strlen(start);

	return !strncmp(word, start, len) && (!word[len] || word[len] == '/');
}

static int expand(struct buf *path, const char *directory, const char *rest,
		  const char *what, struct why *why)
{
	if (!directory || *directory != '/')
		return why_set(why, EINVAL, "there is no %s here", what);
	buf_adds(path, directory);
	buf_adds(path, rest);
	return 0;
}

int policy_path(struct buf *path, const char *word, const char *home,
		const char *project, struct why *why)
{
	const char *fault = path_fault(span_of(word));

	if (fault)
		return why_set(why, EINVAL, "%s", fault);
	if (is_below(word, "~"))
		return expand(path, home, word + 1, "home directory", why);
	if (is_below(word, PATH_PROJECT))
		return expand(path, project, word + strlen(PATH_PROJECT),
			      "project", why);
	if (*word != '/')
		return why_set(
			why, EINVAL,
			"not a path that starts with '/', '~' or '" PATH_PROJECT
			"'");
	buf_adds(path, word);
	return 0;
}
