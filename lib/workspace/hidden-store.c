/* SPDX-License-Identifier: ISC */
/* Whether a project's own store has something of what is hidden. */
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/dirt.h"
#include "workspace/hidden.h"

static bool is_pattern(const char *word)
{
	return strchr(word, '*') != NULL;
}

/* As git's own pathspecs; see gitglossary(7). */
static void add_pathspecs(struct names *args, const struct names *patterns)
{
	size_t i;

	for (i = 0; i < patterns->count; i++) {
		const char *pattern = patterns->items[i];
		autofree char *one = alloc_text(
			":(%s)%s", is_pattern(pattern) ? "glob" : "literal",
			pattern);
		autofree char *below = alloc_text(":(glob)%s/**", pattern);

		names_add(args, span_of(one));
		if (is_pattern(pattern))
			names_add(args, span_of(below));
	}
}

/* Whether a commit of the project, of whatever reference, has any of it. */
static int in_history(bool *held, const struct space *s,
		      const struct project *p, struct why *why)
{
	static const char *const count[] = { "rev-list", "--count", "--all",
					     "--reflog", NULL };
	static const char *const first[] = {
		"rev-list", "--max-count=1", "--full-history",
		"--all",    "--reflog",      "--",
		NULL
	};
	autobuf struct buf word = { 0 };
	autonames struct names args = { 0 };
	struct git git = project_git(p);
	uint64_t commits = 0;
	int r = git_settle(&git, git_one(&git, count, &word, why),
			   "count the commits", why);

	if (r < 0)
		return r;
	if (num_read(&commits, buf_span(&word), UINT64_MAX) < 0 ||
	    commits > HIDDEN_COMMITS_MAX) {
		*held = true;
		return 0;
	}
	names_words(&args, first);
	add_pathspecs(&args, s->hiding->patterns);
	buf_reset(&word);
	r = git_settle(&git, git_one(&git, names_argv(&args), &word, why),
		       "look for what is hidden", why);
	*held = word.len > 0;
	return r;
}

/* Whether the index has any of it, as what was added and never committed. */
static int in_index(bool *held, const struct space *s, const struct project *p,
		    struct why *why)
{
	static const char *const args[] = { "ls-files", "-z", "--cached",
					    NULL };
	autobuf struct buf out = { 0 };
	autonames struct names paths = { 0 };
	struct git git = space_git(s);
	size_t i;
	int r = dirt_copy_index(s, p, why);

	if (r < 0)
		return r;
	git.work_tree = buf_str(&p->root);
	git.index = s->index;
	r = git_settle(&git, git_read(&git, args, &out, why),
		       "list the project's files", why);
	names_split(&paths, buf_span(&out), '\0');
	for (i = 0; !r && !*held && i < paths.count; i++)
		*held = hidden_is(s, paths.items[i]);
	return r;
}

/* Whether the store has the bytes that are now in the file @path. */
static int in_objects(bool *held, const struct space *s, const char *path,
		      struct why *why)
{
	autofree char *file = alloc_text("%s/%s", buf_str(&s->project), path);
	const char *const hash[] = { "hash-object", "--no-filters", "--", file,
				     NULL };
	autobuf struct buf id = { 0 };
	struct git git = space_git(s);
	struct stat st;
	int r;

	if (lstat(file, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	r = git_settle(&git, git_one(&git, hash, &id, why),
		       "read what is hidden", why);
	if (!r) {
		const char *const there[] = { "cat-file", "-e", buf_str(&id),
					      NULL };

		r = git_run(&git, there, why);
		*held = *held || !r;
	}
	return r < 0 ? r : 0;
}

int hidden_in_store(bool *held, const struct space *space,
		    const struct project *project, struct why *why)
{
	const struct names *patterns = space->hiding->patterns;
	size_t i;
	int r = in_index(held, space, project, why);

	if (!r && !*held)
		r = in_history(held, space, project, why);
	for (i = 0; !r && !*held && i < patterns->count; i++)
		if (!is_pattern(patterns->items[i]))
			r = in_objects(held, space, patterns->items[i], why);
	return r;
}
