/* SPDX-License-Identifier: ISC */
/* Which changed files git would run a program for. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/effect.h"
#include "workspace/git.h"

#define ATTRIBUTES ".gitattributes"

/* More are words of a command line no longer. */
#define PLACES_MAX 200

/* Takes of "PATH NUL ATTRIBUTE NUL VALUE NUL" the first path with each. */
static void take_attributes(struct effect *e, const struct names *words)
{
	size_t i;

	for (i = 2; i < words->count; i += 3) {
		const char *value = words->items[i];
		const bool filter = !strcmp(words->items[i - 1], "filter");
		struct buf *first = filter ? &e->filtered : &e->driven;

		if (!first->len && strcmp(value, "unspecified") != 0 &&
		    strcmp(value, "unset") != 0 &&
		    (filter || strcmp(value, "set") != 0))
			buf_adds(first, words->items[i - 2]);
	}
}

/* The files of attributes that have a say on @path, as far as it is a path. */
static void add_places(struct names *places, const char *path)
{
	const char *slash = path;

	names_add(places, span_of(ATTRIBUTES));
	while ((slash = strchr(slash, '/'))) {
		autofree char *place = alloc_text("%.*s/" ATTRIBUTES,
						  (int)(slash - path), path);

		names_add(places, span_of(place));
		slash++;
	}
}

/*
 * Fills the index with those files of @commit, and none of the others, for a
 * tree of a hundred thousand files takes its time.
 */
static int read_places(struct git *git, const char *commit,
		       const struct names *places, struct why *why)
{
	static const char *const first[] = { "--literal-pathspecs", "ls-tree",
					     "-z", "--full-tree", NULL };
	static const char *const fill[] = { "update-index", "-z",
					    "--index-info", NULL };
	autonames struct names args = { 0 };
	autobuf struct buf found = { 0 };
	autobuf struct buf said = { 0 };
	size_t i;
	int r;

	names_words(&args, first);
	names_add(&args, span_of(commit));
	names_add(&args, span_of("--"));
	for (i = 0; i < places->count; i++)
		names_add(&args, span_of(places->items[i]));
	r = git_read(git, names_argv(&args), &found, why);
	return r || !found.len
		       ? r
		       : git_filter(git, fill, buf_span(&found), &said, why);
}

/* What a repository has besides its files; git makes none of itself. */
static bool has_own(const struct git *git)
{
	autofree char *own = alloc_text("%s/info/attributes", git->git_dir);

	return access(own, F_OK) == 0;
}

/* Whether the two commits differ in what says which attributes files have. */
static bool changes_attributes(const struct effect *e)
{
	size_t i;

	for (i = 0; i < e->change_count; i++) {
		const char *slash = strrchr(e->changes[i].path, '/');

		if (!strcasecmp(slash ? slash + 1 : e->changes[i].path,
				ATTRIBUTES))
			return true;
	}
	return false;
}

/* Finds changed paths that have a program in the tree @commit. */
static int find_programs(struct effect *e, struct git git, const char *commit,
			 struct span paths, struct why *why)
{
	static const char *const attributes[] = { "check-attr", "--cached",
						  "-z",         "--stdin",
						  "filter",     "merge",
						  NULL };
	const char *const read_tree[] = { "read-tree", commit, NULL };
	autobuf struct buf out = { 0 };
	autonames struct names words = { 0 };
	autonames struct names places = { 0 };
	size_t i;
	int r;

	for (i = 0; i < e->change_count && places.count <= PLACES_MAX; i++) {
		add_places(&places, e->changes[i].path);
		if (places.count > PLACES_MAX)
			names_tidy(&places);
	}
	names_tidy(&places);
	space_fresh_index(git.index);
	r = places.count > PLACES_MAX ? git_run(&git, read_tree, why)
				      : read_places(&git, commit, &places, why);
	/* Without an index, and without that file, nothing has an attribute. */
	if (!r && (has_own(&git) || !access(git.index, F_OK)))
		r = git_filter(&git, attributes, paths, &out, why);
	if (r)
		return r < 0 ? r
			     : effect_refuse(why, &git,
					     "its attributes are unsound");
	names_split(&words, buf_span(&out), '\0');
	take_attributes(e, &words);
	return 0;
}

/*
 * Attributes count before and after: git would have to run the filter to
 * write a file, and to tell whether the one that is there is unchanged.
 */
int effect_attributes(struct effect *e, const struct space *s, struct why *why)
{
	autofree char *index = alloc_text("%s/index-attributes", s->dir);
	autobuf struct buf paths = { 0 };
	struct git git = space_git(s);
	size_t i;
	int r;

	for (i = 0; i < e->change_count; i++)
		buf_add(&paths,
			(struct span){ e->changes[i].path,
				       strlen(e->changes[i].path) + 1 });
	git.index = index;
	r = find_programs(e, git, buf_str(&e->to), buf_span(&paths), why);
	if (!r && e->from.len && changes_attributes(e))
		r = find_programs(e, git, buf_str(&e->from), buf_span(&paths),
				  why);
	(void)unlink(index);
	return r;
}
