/* SPDX-License-Identifier: ISC */
#include "workspace/course.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/bug.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/making.h"
#include "workspace/quote.h"

/* What git prints for options that it does not know. */
#define GIT_USAGE 129

static const char *const words[COURSE_WAYS] = {
	[COURSE_MERGE] = "merge",   [COURSE_REBASE] = "rebase",
	[COURSE_SQUASH] = "squash", [COURSE_ASK] = "ask",
	[COURSE_PARK] = "park",
};

const char *course_word(enum course_way way)
{
	return words[way];
}

enum course_way course_way_of(const char *word)
{
	unsigned int i = 0;

	while (i < COURSE_WAYS && strcmp(words[i], word) != 0)
		i++;
	return (enum course_way)i;
}

/* ---- calls of git -------------------------------------------------------- */

int making_end(struct making *m, int r, const char *what)
{
	if (r > 0)
		buf_addf(&m->course->reason, "git cannot %s: %s", what,
			 m->git.said[0] ? m->git.said : "it says no reason");
	return r < 0 ? r : 0;
}

int making_commit(struct making *m, const struct made *made, struct buf *id,
		  struct why *why)
{
	const char *args[8] = { "commit-tree", made->tree };
	size_t count = 2;
	size_t i;
	int r;

	for (i = 0; i < 2 && made->parents[i]; i++) {
		args[count++] = "-p";
		args[count++] = made->parents[i];
	}
	buf_reset(id);
	r = git_filter(&m->git, args, made->message, id, why);
	if (!r && id->len && id->data[id->len - 1] == '\n')
		id->data[--id->len] = '\0';
	return r || git_is_id(buf_span(id)) ? r : 1;
}

/* ---- merging ------------------------------------------------------------- */

/*
 * What merge-tree -z prints of a conflict: the tree, the paths, an empty one;
 * then of each message how many paths it has, these, its kind, its text.
 */
static void say_conflict(struct buf *reason, const struct names *said)
{
	const size_t from = reason->len;
	size_t i = 1, more = 0;
	uint64_t paths;

	while (i < said->count && *said->items[i])
		i++;
	for (i++; i < said->count; i += (size_t)paths + 3) {
		const char *kind;

		if (num_read(&paths, span_of(said->items[i]), said->count) <
			    0 ||
		    !paths || i + paths + 2 >= said->count)
			break;
		kind = said->items[i + paths + 1];
		if (strncmp(kind, "CONFLICT (", 10) != 0)
			continue;
		if (reason->len > from) {
			more++;
			continue;
		}
		buf_adds(reason, "it conflicts in '");
		quote_line(reason, span_of(said->items[i + 1]));
		buf_addf(reason, "' %s", strchr(kind, '('));
	}
	if (reason->len == from)
		buf_adds(reason, "it conflicts");
	if (more)
		buf_addf(reason, " and %zu more", more);
}

int making_merge(struct making *m, const char *ours, const char *theirs,
		 struct buf *tree, struct why *why)
{
	const char *const args[] = { "merge-tree",  "--write-tree",
				     "-z",          "--messages",
				     "--name-only", ours,
				     theirs,        NULL };
	autobuf struct buf out = { 0 };
	autonames struct names said = { 0 };
	int r = git_read(&m->git, args, &out, why);

	if (r == GIT_USAGE) {
		buf_adds(&m->course->reason,
			 "the branch moved since the session began, and this "
			 "machine's git is too old to merge without a working "
			 "tree (2.38 can)");
		return 0;
	}
	if (r < 0 || r > 1)
		return making_end(m, r, "merge it");
	names_split(&said, buf_span(&out), '\0');
	buf_reset(tree);
	if (r)
		say_conflict(&m->course->reason, &said);
	else if (said.count && git_is_id(span_of(said.items[0])))
		buf_adds(tree, said.items[0]);
	else
		buf_adds(&m->course->reason, "git names no merged tree");
	return 0;
}

/* ---- the ways ------------------------------------------------------------ */

static const char *branch_name(const struct space *s)
{
	return s->branch.len ? buf_str(&s->branch) + strlen("refs/heads/")
			     : "HEAD";
}

static int merge(struct making *m, struct why *why)
{
	struct course *p = m->course;
	const char *const parents[2] = { buf_str(&p->onto),
					 buf_str(&m->effect->to) };
	autobuf struct buf tree = { 0 };
	autobuf struct buf message = { 0 };
	int r = making_merge(m, parents[0], parents[1], &tree, why);

	if (r < 0 || p->reason.len)
		return r;
	buf_addf(&message, "Merge the work of session %s into %s\n",
		 buf_str(&m->space->id), branch_name(m->space));
	r = making_commit(m,
			  &(struct made){ buf_str(&tree),
					  { parents[0], parents[1] },
					  buf_span(&message) },
			  &p->commit, why);
	return making_end(m, r, "make a commit");
}

/* The messages of all commits, the first one's subject as that of the whole. */
static int squash_message(struct making *m, struct buf *message,
			  struct why *why)
{
	autofree char *range = alloc_text("%s..%s", buf_str(&m->effect->from),
					  buf_str(&m->effect->to));
	const char *const args[] = {
		"-c",          "i18n.logOutputEncoding=UTF-8",
		"rev-list",    "--no-commit-header",
		"--reverse",   "--topo-order",
		"--format=%B", range,
		NULL
	};

	return git_read(&m->git, args, message, why);
}

static int squash(struct making *m, struct why *why)
{
	struct course *p = m->course;
	const char *const parents[2] = { buf_str(&p->onto), NULL };
	autobuf struct buf tree = { 0 };
	autobuf struct buf message = { 0 };
	int r = 0;

	if (span_equal(buf_span(&p->onto), buf_span(&m->effect->from)))
		buf_add(&tree, buf_span(&m->effect->tree));
	else
		r = making_merge(m, parents[0], buf_str(&m->effect->to), &tree,
				 why);
	if (r < 0 || p->reason.len)
		return r;
	r = squash_message(m, &message, why);
	if (!r)
		r = making_commit(m,
				  &(struct made){ buf_str(&tree),
						  { parents[0], parents[1] },
						  buf_span(&message) },
				  &p->commit, why);
	return making_end(m, r, "make a commit");
}

/* ---- all of it ----------------------------------------------------------- */

/* Whether the branch can simply go forward to the session's own commit. */
static bool is_forward(const struct course *p, const struct effect *e)
{
	return span_equal(buf_span(&p->onto), buf_span(&e->from)) &&
	       (p->way != COURSE_SQUASH || e->commits == 1);
}

static int check_onto(struct making *m, struct why *why)
{
	const char *const there[] = { "cat-file", "-e",
				      buf_str(&m->course->onto), NULL };
	const char *const within[] = { "merge-base", "--is-ancestor",
				       buf_str(&m->effect->to),
				       buf_str(&m->course->onto), NULL };
	int r = git_is_id(buf_span(&m->course->onto))
			? git_run(&m->git, there, why)
			: 1;

	if (r)
		return r < 0 ? r
			     : why_set(why, EBADMSG, "'%s' is no commit",
				       buf_str(&m->course->onto));
	r = git_run(&m->git, within, why);
	if (!r)
		buf_adds(&m->course->reason, "the branch has the work already");
	return r < 0 ? r : 0;
}

/*
 * The person is author and committer of what is made.  Who that is is never
 * guessed from the names of a user and a host: such a commit would stay.
 */
static void add_person(struct names *env, const struct project *p)
{
	size_t i;

	names_add(env, span_of("GIT_CONFIG_COUNT=1"));
	names_add(env, span_of("GIT_CONFIG_KEY_0=user.useConfigOnly"));
	names_add(env, span_of("GIT_CONFIG_VALUE_0=true"));
	for (i = 0; i < p->reflog.count; i++) {
		const char *pair = p->reflog.items[i];
		autofree char *author = NULL;

		names_add(env, span_of(pair));
		if (strncmp(pair, "GIT_COMMITTER_", 14) != 0)
			continue;
		author = alloc_text("GIT_AUTHOR_%s", pair + 14);
		names_add(env, span_of(author));
	}
}

int course_make(struct course *course, const struct space *space,
		const struct project *project, const struct effect *effect,
		struct why *why)
{
	static int (*const makers[])(struct making * m, struct why * why) = {
		[COURSE_MERGE] = merge,
		[COURSE_REBASE] = making_replay,
		[COURSE_SQUASH] = squash,
	};
	struct making m = { course, space_git(space), { 0 }, effect, space };
	int r = 0;

	if (is_forward(course, effect)) {
		buf_add(&course->commit, buf_span(&effect->to));
		return 0;
	}
	bug_if(course->way > COURSE_SQUASH);
	add_person(&m.env, project);
	m.git.env = &m.env;
	r = check_onto(&m, why);
	if (!r && !course->reason.len)
		r = makers[course->way](&m, why);
	if (course->reason.len)
		buf_reset(&course->commit);
	names_drop(&m.env);
	return r;
}

void course_drop(struct course *course)
{
	buf_drop(&course->onto);
	buf_drop(&course->commit);
	buf_drop(&course->reason);
	*course = (struct course){ 0 };
}
