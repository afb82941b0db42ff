/* SPDX-License-Identifier: ISC */
#include "workspace/effect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/breadth.h"

int effect_refuse(struct why *why, const struct git *git, const char *what)
{
	return why_set(why, EBADMSG, "the session's work is refused: %s%s%s",
		       what, git->said[0] ? ": " : "", git->said);
}

int effect_receive(const struct space *space, bool partial, struct why *why)
{
	/* What is lost with the power is brought out of the copy again. */
	const char *const args[] = { "-c",         "core.fsync=none",
				     "index-pack", git_strict(partial),
				     "--stdin",    NULL };
	autoclose int pack_fd = open(space->pack, O_RDONLY | O_CLOEXEC);
	struct git git = space_git(space);
	int r;

	if (pack_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", space->pack);
	git.in_fd = pack_fd;
	r = git_run(&git, args, why);
	return r > 0 ? effect_refuse(why, &git, "its pack is not sound") : r;
}

/* "ID commit SIZE", and "ID tree SIZE" of its tree. */
static int take_tree(struct effect *e, struct span out)
{
	struct span commit = span_cut(&out, '\n');
	struct span tree = span_cut(&out, '\n');
	struct span id;

	if (!span_equal(span_cut(&commit, ' '), buf_span(&e->to)) ||
	    !span_is(span_cut(&commit, ' '), "commit"))
		return -EINVAL;
	id = span_cut(&tree, ' ');
	if (!git_is_id(id) || !span_is(span_cut(&tree, ' '), "tree"))
		return -EBADMSG;
	buf_reset(&e->tree);
	buf_add(&e->tree, id);
	return 0;
}

static int find_tree(struct effect *e, struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file", "--batch-check", NULL };
	autobuf struct buf names = { 0 };
	autobuf struct buf out = { 0 };
	int r;

	buf_addf(&names, "%s\n%s^{tree}\n", buf_str(&e->to), buf_str(&e->to));
	r = git_filter(git, args, buf_span(&names), &out, why);
	if (!r)
		r = take_tree(e, buf_span(&out));
	if (r > 0 || r == -EINVAL)
		return effect_refuse(why, git, "what it ends at is no commit");
	return r == -EBADMSG ? effect_refuse(why, git, "its commit has no tree")
			     : r;
}

/* "LEFT RIGHT": how many commits only the one has, and only the other. */
static int take_counts(struct effect *e, struct span out, uint64_t *behind)
{
	uint64_t commits;
	struct span line = span_cut(&out, '\n');
	const struct span left = span_cut(&line, '\t');

	if (num_read(behind, left, SIZE_MAX) < 0 ||
	    num_read(&commits, line, SIZE_MAX) < 0)
		return -EBADMSG;
	e->commits = (size_t)commits;
	return 0;
}

/* It follows from where the session began if that has nothing of its own. */
static int count_commits(struct effect *e, struct git *git, struct why *why)
{
	autofree char *both = e->from.len
				      ? alloc_text("%s...%s", buf_str(&e->from),
						   buf_str(&e->to))
				      : alloc_copy(buf_str(&e->to), e->to.len);
	const char *const args[] = { "rev-list", "--count", "--left-right",
				     both, NULL };
	autobuf struct buf out = { 0 };
	uint64_t behind = 0;
	int r = git_read(git, args, &out, why);

	if (r < 0)
		return r;
	if (r > 0 || take_counts(e, buf_span(&out), &behind) < 0)
		return effect_refuse(why, git, "its commits cannot be counted");
	return behind ? effect_refuse(why, git,
				      "it does not descend from the commit "
				      "that the session began at")
		      : 0;
}

/* Whether all is there, and follows from where the session began. */
static int check_history(struct effect *e, struct git *git, struct why *why)
{
	int r = count_commits(e, git, why);

	return r < 0 ? r : breadth_check(git, &e->from, &e->to, why);
}

static enum effect_mode mode_of(const char *octal)
{
	static const struct {
		const char *octal;
		enum effect_mode mode;
	} modes[] = {
		{ "000000", EFFECT_NOTHING },
		{ "100755", EFFECT_EXECUTABLE },
		{ "120000", EFFECT_LINK },
		{ "160000", EFFECT_MODULE },
	};
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(octal, modes[i].octal))
			return modes[i].mode;
	return EFFECT_FILE;
}

bool effect_is_module(const struct effect_change *change)
{
	return change->was == EFFECT_MODULE || change->mode == EFFECT_MODULE;
}

/* One record: ":MODE MODE ID ID S", a NUL, the path, a NUL. */
static int take_change(struct effect *e, char *fields, const char *path)
{
	const char *words[5];
	struct effect_change *change;
	char *rest = fields + 1;
	size_t i;

	if (fields[0] != ':' || strlen(path) >= PATH_MAX)
		return -EBADMSG;
	for (i = 0; i < 5; i++)
		words[i] = strsep(&rest, " ");
	if (!words[4] || !strchr("AMDT", words[4][0]) || !words[4][0] || rest)
		return -EBADMSG;
	e->changes =
		alloc_array(e->changes, e->change_count, sizeof(*e->changes));
	change = &e->changes[e->change_count++];
	*change = (struct effect_change){
		.status = words[4][0],
		.was = mode_of(words[0]),
		.mode = mode_of(words[1]),
		.path = path,
	};
	if (change->mode != EFFECT_NOTHING && change->mode != EFFECT_MODULE)
		change->blob = words[3];
	e->modules += effect_is_module(change);
	return 0;
}

static int find_changes(struct effect *e, const struct space *s,
			struct git *git, struct why *why)
{
	const char *from = e->from.len ? buf_str(&e->from)
				       : git_empty_tree(s->sha256);
	const char *const args[] = { "diff-tree",
				     "-r",
				     "-z",
				     "--raw",
				     "--no-abbrev",
				     "--no-renames",
				     "--ignore-submodules=none",
				     from,
				     buf_str(&e->to),
				     NULL };
	size_t at = 0;
	int r = git_read(git, args, &e->raw, why);

	if (r)
		return r < 0 ? r
			     : effect_refuse(why, git, "it cannot be compared");
	while (!r && at < e->raw.len) {
		char *fields = e->raw.data + at;
		char *path = fields + strlen(fields) + 1;

		if (path >= e->raw.data + e->raw.len)
			return effect_refuse(why, git, "it cannot be compared");
		at = (size_t)(path - e->raw.data) + strlen(path) + 1;
		r = take_change(e, fields, path);
	}
	return r < 0 ? effect_refuse(why, git, "it cannot be compared") : 0;
}

/* Puts the sizes that git said, a line each, to the changes. */
static int take_sizes(struct effect *e, const struct names *sizes)
{
	uint64_t total = 0;
	size_t i, said = 0;

	for (i = 0; i < e->change_count; i++) {
		struct effect_change *change = &e->changes[i];

		if (!change->blob)
			continue;
		if (said == sizes->count ||
		    num_read(&change->size, span_of(sizes->items[said++]),
			     INT64_MAX) < 0)
			return -EBADMSG;
		total += change->size < EFFECT_FILES_MAX ? change->size
							 : EFFECT_FILES_MAX;
		if (total >= EFFECT_FILES_MAX)
			return -EFBIG;
	}
	return 0;
}

static int check_size(struct effect *e, struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file",
					    "--batch-check=%(objectsize)",
					    NULL };
	autobuf struct buf ids = { 0 };
	autobuf struct buf out = { 0 };
	autonames struct names sizes = { 0 };
	size_t i;
	int r;

	for (i = 0; i < e->change_count; i++)
		if (e->changes[i].blob)
			buf_addf(&ids, "%s\n", e->changes[i].blob);
	r = ids.full ? -EFBIG
		     : git_filter(git, args, buf_span(&ids), &out, why);
	names_split(&sizes, buf_span(&out), '\n');
	if (!r)
		r = take_sizes(e, &sizes);
	if (r == -EFBIG)
		return why_set(why, EFBIG,
			       "the session's work is refused: its files are "
			       "more than %llu bytes",
			       (unsigned long long)EFFECT_FILES_MAX);
	return r > 0 || r == -EBADMSG
		       ? effect_refuse(why, git, "a file is missing")
		       : r;
}

static int compare(struct effect *effect, const struct space *space,
		   struct why *why)
{
	struct git git = space_git(space);
	int r = find_changes(effect, space, &git, why);

	if (!r)
		r = check_size(effect, &git, why);
	return r < 0 ? r : effect_attributes(effect, space, why);
}

int effect_compare(struct effect *effect, const struct space *space,
		   struct why *why)
{
	struct git git = space_git(space);
	int r = find_tree(effect, &git, why);

	return r < 0 ? r : compare(effect, space, why);
}

int effect_find(struct effect *effect, const struct space *space,
		struct span to, struct why *why)
{
	struct git git = space_git(space);
	int r;

	if (!git_is_id(to) || (to.len == 64) != space->sha256)
		return why_set(why, EBADMSG,
			       "the session's work is refused: what it ends at "
			       "is no commit");
	buf_add(&effect->to, to);
	buf_add(&effect->from, buf_span(&space->head));
	r = find_tree(effect, &git, why);
	if (!r)
		r = check_history(effect, &git, why);
	return r < 0 ? r : compare(effect, space, why);
}

int effect_subjects(const struct effect *effect, const struct space *space,
		    size_t max, struct names *lines, struct why *why)
{
	autofree char *not_from = alloc_text("^%s", buf_str(&effect->from));
	autofree char *limit = alloc_text("--max-count=%zu", max);
	const char *const args[] = { "-c",
				     "i18n.logOutputEncoding=UTF-8",
				     "rev-list",
				     "--no-commit-header",
				     "--reverse",
				     "--topo-order",
				     "--format=%h %s",
				     limit,
				     buf_str(&effect->to),
				     effect->from.len ? not_from : NULL,
				     NULL };
	autobuf struct buf out = { 0 };
	struct git git = space_git(space);
	int r = git_read(&git, args, &out, why);

	r = git_settle(&git, r, "list the session's commits", why);
	if (!r)
		names_split(lines, buf_span(&out), '\n');
	return r;
}

void effect_drop(struct effect *effect)
{
	buf_drop(&effect->to);
	buf_drop(&effect->from);
	buf_drop(&effect->tree);
	free(effect->changes);
	buf_drop(&effect->raw);
	buf_drop(&effect->filtered);
	buf_drop(&effect->driven);
	buf_drop(&effect->converted);
	*effect = (struct effect){ 0 };
}
