/* SPDX-License-Identifier: ISC */
/* Which files differ, as git in the copy has it. */
#include <errno.h>

#include "base/why.h"
#include "workspace/differ.h"

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

void differ_left_drop(struct differ_left *left)
{
	names_drop(&left->odd);
}
