/* SPDX-License-Identifier: ISC */
/* The differences themselves, made of objects that came out. */
#include "workspace/differ.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/rough.h"
#include "base/why.h"
#include "workspace/also.h"
#include "workspace/effect.h"
#include "workspace/leftover.h"
#include "workspace/look.h"
#include "workspace/offered.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/repo.h"

#define SHORT 12        /* digits of a commit, in a heading */
#define SUBJECT_MAX 200 /* bytes of its first line */

/* What a diff is made by: a quarantine of its own, beside that of the question
 * whose objects it can read, so that nothing is changed under an answer. */
struct making {
	struct buf *text;
	const struct inside *inside; /* of @space */
	const struct offered *asked; /* borrowed */
	struct space *space;         /* borrowed; with another quarantine */
	char *dir;                   /* owned; all that is made */
	char *index;                 /* owned; of the files that are left */
	bool stat;
};

/* What is held against what; without a commit, the index. */
struct compared {
	const char *from, *to;
	const char *most; /* bytes of a file; of a larger one it is the name */
	bool stat;
};

/* ---- a place to make it in ----------------------------------------------- */

static int prepare(struct making *m, const struct space *asked, struct why *why)
{
	const struct project *project = m->inside->project;
	autofree char *objects = alloc_text("%s/objects", asked->quarantine);
	autonames struct names stores = { 0 };
	size_t i;
	int r;

	m->dir = alloc_text("%s/diff-XXXXXX", asked->dir);
	if (!mkdtemp(m->dir)) {
		r = why_sys(why, errno, "cannot make '%s'", m->dir);
		free(m->dir);
		m->dir = NULL;
		return r;
	}
	m->space->quarantine = alloc_text("%s/quarantine", m->dir);
	m->space->pack = alloc_text("%s/pack", m->dir);
	m->index = alloc_text("%s/index", m->dir);
	for (i = 0; i < project->stores.count; i++)
		names_add(&stores, span_of(project->stores.items[i]));
	names_add(&stores, span_of(objects));
	r = space_quarantine(m->space, project, why);
	if (!r)
		r = repo_borrow(m->space->quarantine, &stores, why);
	return r < 0 ? r
		     : repo_write(m->space->quarantine, "info/attributes",
				  span_of(LEFTOVER_ATTRIBUTES), why);
}

static void clean_up(struct making *m)
{
	struct why why = { 0 };

	if (m->dir)
		(void)file_remove_tree(AT_FDCWD, m->dir, &why);
	free(m->space->quarantine);
	free(m->space->pack);
	free(m->index);
	free(m->dir);
}

/* No attributes are found where it runs, and no index. */
static struct git git_of(const struct making *m)
{
	struct git git = space_git(m->space);

	git.dir = m->space->quarantine;
	return git;
}

/* ---- sections ------------------------------------------------------------ */

static int too_much(struct why *why)
{
	return why_set(why, EFBIG, "with it there would be more than %zu bytes",
		       DIFFER_MAX);
}

/* Both or none. */
static int add(struct making *m, const struct buf *heading,
	       const struct buf *diff, struct why *why)
{
	if (m->text->len + heading->len + diff->len > DIFFER_MAX)
		return too_much(why);
	buf_add(m->text, buf_span(heading));
	buf_add(m->text, buf_span(diff));
	return 0;
}

/* What is too much, or refused, is said in a line, and the rest is shown. */
static int pass_over(struct making *m, const char *part, int r, struct why *why)
{
	if (r != -EFBIG && r != -EBADMSG)
		return r;
	buf_addf(m->text, "# %s, and not shown: ", part);
	quote_line(m->text, span_of(why->text));
	buf_addc(m->text, '\n');
	*why = (struct why){ 0 };
	return 0;
}

static const char *begin(const struct space *s)
{
	return s->head.len ? buf_str(&s->head) : git_empty_tree(s->sha256);
}

static int compare(const struct making *m, struct buf *diff,
		   const struct compared *of, struct why *why)
{
	autofree char *named = alloc_text("core.bigFileThreshold=%s", of->most);
	const char *index = of->to ? NULL : m->index;
	const char *const args[] = { "-c",
				     named,
				     "diff",
				     "--no-color",
				     "--no-ext-diff",
				     "--no-textconv",
				     "--ignore-submodules=none",
				     "--submodule=short",
				     of->stat ? "--stat" : "--patch",
				     index ? "--cached" : of->from,
				     index ? of->from : of->to,
				     "--",
				     NULL };
	struct git git = git_of(m);
	int r;

	git.index = index;
	buf_reset(diff);
	*why = (struct why){ 0 };
	r = git_settle(&git, git_read(&git, args, diff, why), "compare", why);
	return r < 0 || m->text->len + diff->len <= DIFFER_MAX ? r
							       : too_much(why);
}

/* Puts @heading and the difference, if there is any; of @to, or else of what
 * the index has.  Where all is too much large files are named, at last all. */
static int show(struct making *m, struct buf *heading, const char *from,
		const char *to, struct why *why)
{
	static const char *const most[] = { DIFFER_NAMED, "256k", "8k" };
	static const char binary[] = "\nBinary files ";
	struct compared of = { from, to, NULL, m->stat };
	autobuf struct buf diff = { 0 };
	size_t i;
	int r = -EFBIG;

	for (i = 0; r == -EFBIG && i < sizeof(most) / sizeof(*most); i++) {
		of.most = most[i];
		r = compare(m, &diff, &of, why);
	}
	if (r == -EFBIG) {
		buf_adds(heading, "# it is too much to show: a line a file\n");
		of.stat = true;
		r = compare(m, &diff, &of, why);
	} else if (!r && diff.len &&
		   memmem(diff.data, diff.len, binary, strlen(binary))) {
		buf_addf(heading,
			 "# binary: with a NUL, or more than %s bytes\n",
			 of.most);
	}
	return r < 0 || (!diff.len && !to) ? r : add(m, heading, &diff, why);
}

static int show_commits(struct making *m, const char *from, const char *to,
			const char *what, struct why *why)
{
	autobuf struct buf heading = { 0 };

	buf_addf(&heading, "# committed, from %.*s to %.*s: %s\n", SHORT, from,
		 SHORT, to, what);
	return show(m, &heading, from, to, why);
}

/* It names neither a repository of ours nor of the session's. */
static int add_subject(struct buf *heading, const struct making *m,
		       const char *id, struct why *why)
{
	autofree char *commit = alloc_text("%s^{commit}", id);
	const char *const args[] = {
		"-c",          "i18n.logOutputEncoding=UTF-8",
		"log",         "-1",
		"--format=%s", commit,
		"--",          NULL
	};
	struct git git = git_of(m);
	autobuf struct buf subject = { 0 };
	int r = git_settle(&git, git_one(&git, args, &subject, why),
			   "read a commit", why);

	subject.len = subject.len < SUBJECT_MAX ? subject.len : SUBJECT_MAX;
	quote_line(heading, buf_span(&subject));
	return r;
}

static int show_other(struct making *m, const char *id, const char *ref,
		      struct why *why)
{
	autofree char *to = alloc_text("%s^{commit}", id);
	autobuf struct buf heading = { 0 };
	int r;

	buf_adds(&heading, "# not on the branch: ");
	quote_line(&heading, span_of(ref));
	buf_addf(&heading, " at %.*s: ", SHORT, id);
	r = add_subject(&heading, m, id, why);
	buf_addf(&heading, "\n# after a yes, it is " ALSO_PARKED "%s/",
		 buf_str(&m->space->id));
	quote_line(&heading, span_of(ref));
	buf_addc(&heading, '\n');
	return r < 0 ? r : show(m, &heading, begin(m->space), to, why);
}

static int show_others(struct making *m, const struct offered *asked,
		       struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < asked->refs.count; i++) {
		autobuf struct buf part = { 0 };

		buf_adds(&part, "not on the branch: ");
		quote_line(&part, span_of(asked->refs.items[i]));
		r = show_other(m, asked->ids.items[i], asked->refs.items[i],
			       why);
		r = pass_over(m, buf_str(&part), r, why);
	}
	return r;
}

static bool is_asked(const struct offered *asked, struct span id)
{
	size_t i;

	for (i = 0; i < asked->ids.count; i++)
		if (span_is(id, asked->ids.items[i]))
			return true;
	return false;
}

/* Those of which nothing has come out are named, as the copy has them. */
static int name_others(struct making *m, const struct look *look,
		       struct why *why)
{
	autobuf struct buf text = { 0 };
	size_t i;

	for (i = 0; i < look->moved.count; i++) {
		struct span rest = span_of(look->moved.items[i]);
		const struct span id = span_cut(&rest, ' ');

		if (is_asked(m->asked, id))
			continue;
		buf_adds(&text, "# not on the branch, and not shown: ");
		quote_line(&text, rest);
		buf_addf(&text, " at %.*s\n", SHORT, id.data);
	}
	return pass_over(m, "not on the branch",
			 add(m, &text, &(struct buf){ 0 }, why), why);
}

static int show_left(struct making *m, struct names *odd, const char *base,
		     struct why *why)
{
	autobuf struct buf heading = { 0 };
	int r = leftover_find(odd, m->inside, m->index, base, why);

	buf_adds(&heading, "# not committed, and not applied\n");
	return r < 0 ? r : show(m, &heading, base, NULL, why);
}

/* ---- all of it ----------------------------------------------------------- */

/* Whether the project has the work that was asked about. */
static bool is_kept(const struct making *m, const struct offered *asked)
{
	autofree char *ref =
		alloc_text(REFS_PARKED "%s", buf_str(&m->space->id));
	const char *const args[] = { "rev-parse", "-q", "--verify", ref, NULL };
	const struct project *project = m->inside->project;
	struct git git = GIT_CALL(.dir = buf_str(&project->root),
				  .git_dir = buf_str(&project->git_dir));
	autobuf struct buf id = { 0 };
	struct why why = { 0 };

	return asked->to.len && !git_one(&git, args, &id, &why) &&
	       span_equal(buf_span(&id), buf_span(&asked->to));
}

/* What a question would refuse is compared with nothing. */
static int refuse(struct making *m, struct buf *base, int r, struct why *why)
{
	buf_reset(base);
	buf_adds(base, begin(m->space));
	return pass_over(m, "committed", r, why);
}

/*
 * What is committed and was not asked about: a copy can be asked again, and
 * answer otherwise.  What its files are to be held against is put into @base.
 */
static int show_new(struct making *m, struct buf *base, const char *from,
		    struct why *why)
{
	const bool partial = m->inside->project->settings.partial;
	autolook struct look look = { 0 };
	autoeffect struct effect effect = { 0 };
	int r = look_inside(&look, m->inside, EFFECT_PACK_MAX, why);

	if (r < 0)
		return refuse(m, base, r, why);
	buf_adds(base, look.tip.len ? buf_str(&look.tip) : begin(m->space));
	r = name_others(m, &look, why);
	if (r < 0 || !strcmp(buf_str(base), from) ||
	    !strcmp(buf_str(base), begin(m->space)))
		return r;
	r = effect_receive(m->space, partial, why);
	if (!r)
		r = effect_find(&effect, m->space, buf_span(base), why);
	if (r < 0)
		return refuse(m, base, r, why);
	r = show_commits(m, from, buf_str(base),
			 "nobody was asked about it yet", why);
	return pass_over(m, "committed", r, why);
}

static int make(struct making *m, struct differ_left *left, struct why *why)
{
	const struct offered *asked = m->asked;
	autobuf struct buf base = { 0 };
	const char *to = asked->to.len ? buf_str(&asked->to) : begin(m->space);
	const bool kept = is_kept(m, asked);
	int r = 0;

	if (asked->to.len && !kept)
		r = show_commits(m, begin(m->space), to,
				 "what a yes brings back", why);
	r = pass_over(m, "committed", r, why);
	if (!r)
		r = show_new(m, &base, to, why);
	if (!r)
		r = pass_over(m, "not committed",
			      show_left(m, &left->odd, buf_str(&base), why),
			      why);
	if (!r)
		r = show_others(m, asked, why);
	if (!r && kept)
		r = show_commits(m, begin(m->space), to, "brought back already",
				 why);
	return pass_over(m, "committed", r, why);
}

int differ_show(struct buf *text, struct differ_left *left,
		const struct inside *inside, bool stat, struct why *why)
{
	struct space space = *inside->space;
	const struct inside own = { &space, inside->project, inside->seconds };
	autooffered struct offered asked = { 0 };
	struct making m = { text, &own, &asked, &space, NULL, NULL, stat };
	int r;

	space.quarantine = NULL;
	space.pack = NULL;
	r = offered_read(&asked, inside->space, why);
	if (!r)
		r = prepare(&m, inside->space, why);
	if (!r)
		r = make(&m, left, why);
	clean_up(&m);
	return r;
}
