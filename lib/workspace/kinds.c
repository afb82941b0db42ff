/* SPDX-License-Identifier: ISC */
#include "workspace/kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/repo.h"

#define NAME "kinds"
#define TEXT_MAX 64

/* "MODE ID STAGE\tPATH" each, git-ls-files(1). */
static void take_staged(struct kinds *kinds, struct buf *paths,
			struct span staged)
{
	while (staged.len) {
		struct span path = span_cut(&staged, '\0');

		kinds->modules += span_starts(path, "160000 ");
		(void)span_cut(&path, '\t');
		buf_add(paths, path);
		buf_addc(paths, '\0');
	}
}

/* "PATH", "filter", its value, a NUL behind each, git-check-attr(1). */
static void take_attributes(struct kinds *kinds, struct span values)
{
	while (values.len) {
		(void)span_cut(&values, '\0');
		(void)span_cut(&values, '\0');
		const struct span value = span_cut(&values, '\0');

		kinds->filtered += !span_is(value, "unspecified") &&
				   !span_is(value, "unset");
	}
}

static bool has_attributes(const struct buf *paths)
{
	static const char name[] = ".gitattributes";

	return paths->len &&
	       memmem(paths->data, paths->len, name, sizeof(name));
}

int kinds_count(struct kinds *kinds, const struct git *git, bool attributes,
		struct why *why)
{
	static const char *const list[] = { "ls-files", "-s", "-z", NULL };
	static const char *const filter[] = { "check-attr", "--cached", "-z",
					      "--stdin",    "filter",   NULL };
	struct git call = *git;
	autobuf struct buf staged = { 0 };
	autobuf struct buf paths = { 0 };
	autobuf struct buf values = { 0 };
	int r = git_read(&call, list, &staged, why);

	*kinds = (struct kinds){ 0 };
	if (!r)
		take_staged(kinds, &paths, buf_span(&staged));
	if (!r && (attributes || has_attributes(&paths)))
		r = git_filter(&call, filter, buf_span(&paths), &values, why);
	r = git_settle(&call, r, "list the project's files", why);
	if (!r)
		take_attributes(kinds, buf_span(&values));
	return r;
}

int kinds_write(const struct kinds *kinds, const char *dir, struct why *why)
{
	autobuf struct buf text = { 0 };

	buf_addf(&text, "%zu %zu\n", kinds->modules, kinds->filtered);
	return repo_write(dir, NAME, buf_span(&text), why);
}

int kinds_read(struct kinds *kinds, const char *dir)
{
	autofree char *path = alloc_text("%s/" NAME, dir);
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	struct span rest;
	uint64_t modules, filtered;
	int r = file_read_path(&text, AT_FDCWD, path, TEXT_MAX, &why);

	if (r < 0)
		return r;
	rest = buf_span(&text);
	if (num_read(&modules, span_cut(&rest, ' '), UINT32_MAX) < 0 ||
	    num_read(&filtered, span_cut(&rest, '\n'), UINT32_MAX) < 0 ||
	    rest.len)
		return -EBADMSG;
	kinds->modules = modules;
	kinds->filtered = filtered;
	return 0;
}
