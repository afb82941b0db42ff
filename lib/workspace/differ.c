/* SPDX-License-Identifier: ISC */
#include "workspace/differ.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/why.h"

/* The commit-less start of a new branch is compared as an empty tree. */
static const char *begin(const struct space *s)
{
	return s->head.len ? buf_str(&s->head) : git_empty_tree(s->sha256);
}

static const char *const others[] = { "ls-files", "-z", "--others",
				      "--exclude-standard", NULL };

static int cannot(struct why *why)
{
	return why_set(why, EBADMSG, "git cannot compare the copy's files");
}

int differ_names(struct names *words, const struct inside *inside,
		 struct why *why)
{
	const char *const diff[] = { "diff",
				     "--name-status",
				     "-z",
				     "--no-renames",
				     "--no-ext-diff",
				     "--ignore-submodules=dirty",
				     begin(inside->space),
				     "--",
				     NULL };
	autobuf struct buf list = { 0 };
	autonames struct names untracked = { 0 };
	struct sink sink = { .buf = &list, .max = INSIDE_LIST_MAX };
	size_t i;
	int r = inside_git(inside, diff, (struct span){ 0 }, &sink, why);

	if (r)
		return r > 0 ? cannot(why) : r;
	names_split(words, buf_span(&list), '\0');
	buf_reset(&list);
	r = inside_git(inside, others, (struct span){ 0 }, &sink, why);
	names_split(&untracked, buf_span(&list), '\0');
	for (i = 0; i < untracked.count; i++) {
		names_add(words, span_of("A"));
		names_add(words, span_of(untracked.items[i]));
	}
	return r > 0 || words->count % 2 ? cannot(why) : r;
}

int differ_show(struct buf *text, size_t *untracked,
		const struct inside *inside, bool stat, struct why *why)
{
	const char *const diff[] = { "diff",
				     "--no-color",
				     "--no-ext-diff",
				     "--no-textconv",
				     "--ignore-submodules=dirty",
				     stat ? "--stat" : "--patch",
				     begin(inside->space),
				     "--",
				     NULL };
	const struct sink sink = { .buf = text, .max = DIFFER_MAX };
	autobuf struct buf list = { 0 };
	const struct sink list_sink = { .buf = &list, .max = INSIDE_LIST_MAX };
	size_t i;
	int r = inside_git(inside, diff, (struct span){ 0 }, &sink, why);

	if (!r)
		r = inside_git(inside, others, (struct span){ 0 }, &list_sink,
			       why);
	*untracked = 0;
	for (i = 0; i < list.len; i++)
		*untracked += !list.data[i];
	return r > 0 ? cannot(why) : r;
}
