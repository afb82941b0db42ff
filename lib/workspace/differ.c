/* SPDX-License-Identifier: ISC */
#include "workspace/differ.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/beneath.h"

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

/* git gives up at the first path that is neither file, link nor directory. */
static int find_odd(struct names *odd, const struct inside *inside,
		    struct why *why)
{
	autoclose int copy_fd =
		open(inside->space->copy,
		     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	autonames struct names words = { 0 };
	struct stat st;
	size_t i;
	int r = copy_fd < 0 ? cannot(why) : differ_names(&words, inside, why);

	for (i = 1; !r && i < words.count; i += 2)
		if (!beneath_stat(copy_fd, words.items[i], &st) &&
		    !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) &&
		    !S_ISDIR(st.st_mode))
			names_add(odd, span_of(words.items[i]));
	return !r && (!odd->count || odd->count > DIFFER_ODD_MAX) ? cannot(why)
								  : r;
}

/* git's status, or -errno. */
static int show(struct buf *text, const struct names *odd,
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
	autonames struct names args = { 0 };
	size_t i;

	names_words(&args, diff);
	for (i = 0; i < odd->count; i++) {
		autofree char *spec =
			alloc_text(":(exclude,top,literal)%s", odd->items[i]);

		names_add(&args, span_of(spec));
	}
	buf_reset(text);
	return inside_git(inside, names_argv(&args), (struct span){ 0 }, &sink,
			  why);
}

int differ_show(struct buf *text, struct differ_left *left,
		const struct inside *inside, bool stat, struct why *why)
{
	autobuf struct buf list = { 0 };
	const struct sink list_sink = { .buf = &list, .max = INSIDE_LIST_MAX };
	size_t i;
	int r = show(text, &left->odd, inside, stat, why);

	if (r > 0) {
		r = find_odd(&left->odd, inside, why);
		if (!r)
			r = show(text, &left->odd, inside, stat, why);
	}
	if (!r)
		r = inside_git(inside, others, (struct span){ 0 }, &list_sink,
			       why);
	for (i = 0; i < list.len; i++)
		left->untracked += !list.data[i];
	return r > 0 ? cannot(why) : r;
}

void differ_left_drop(struct differ_left *left)
{
	names_drop(&left->odd);
	left->untracked = 0;
}
