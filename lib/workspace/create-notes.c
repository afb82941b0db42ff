/* SPDX-License-Identifier: ISC */
#include "workspace/create-notes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "base/word.h"
#include "workspace/carried.h"
#include "workspace/carry.h"
#include "workspace/dirt.h"
#include "workspace/git.h"
#include "workspace/hidden.h"
#include "workspace/kinds.h"
#include "workspace/project.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/space.h"
#include "workspace/template.h"

/* Of files left behind for their bytes, and of statements that hide nothing,
 * no more are named. */
#define LEFT_NAMED ((size_t)5)

/* Nor of stores outside. */
#define OUTSIDE_NAMED ((size_t)5)

static void add_note(struct buf *note, size_t count, const char *one,
		     const char *many)
{
	if (!count)
		return;
	if (note->len)
		buf_adds(note, "; ");
	buf_addf(note, "%zu %s", count, count == 1 ? one : many);
}

/* A hidden file is named by nobody; one with its bytes is, for it is missed. */
static int leave_hidden(struct dirt *dirt, const struct space *s,
			const struct hidden *hidden, struct buf *note,
			struct why *why)
{
	autonames struct names left = { 0 };
	size_t i;
	int r = hidden_leave_bytes(&dirt->changed, &left, hidden, s, why);

	if (!r)
		r = hidden_leave_bytes(&dirt->untracked, &left, hidden, s, why);
	for (i = 0; !r && i < left.count && i < LEFT_NAMED; i++) {
		buf_adds(note, note->len ? "; '" : "'");
		quote_line(note, span_of(left.items[i]));
		buf_adds(note, "' was left behind, for it has the bytes of a "
			       "hidden file");
	}
	if (left.count > LEFT_NAMED)
		buf_addf(note, "; so were %zu more", left.count - LEFT_NAMED);
	return r;
}

/*
 * What came along stays uncommitted in the project, where nothing lands before
 * that is seen to; a person is to know it before the work is done.
 */
static void say_carried(struct buf *note, const struct dirt *dirt,
			const struct space *s)
{
	const size_t changed = dirt->changed.count;
	const size_t untracked = dirt->untracked.count;

	add_note(note, changed, "uncommitted change came along",
		 "uncommitted changes came along");
	add_note(note, untracked, "untracked file came along",
		 "untracked files came along");
	if (changed)
		buf_addf(note,
			 "; until %s committed or stashed in the project, its "
			 "branch stays and commits wait at %s%s",
			 changed == 1 ? "that change is" : "those changes are",
			 REFS_PARKED, buf_str(&s->id));
	else if (untracked)
		buf_addf(note,
			 "; a commit that adds %s waits at %s%s until the "
			 "project's own is out of the way",
			 untracked == 1 ? "it" : "one of them", REFS_PARKED,
			 buf_str(&s->id));
}

int create_dirt(const struct space *s, const struct project *p,
		const struct create_dirty *how, struct buf *note,
		struct why *why)
{
	const bool dirty = how->wanted;
	struct dirt *dirt = how->dirt;
	size_t skipped = 0;
	int r = dirt_find(dirt, s, p, why);

	if (!r && s->hidden) {
		hidden_leave(&dirt->changed, s);
		hidden_leave(&dirt->untracked, s);
	}
	if (!r && dirty && s->hidden)
		r = leave_hidden(dirt, s, how->hidden, note, why);
	if (!r && dirty)
		r = (s->below.len ? carry_dirt_over : carry_dirt)(
			s->copy, buf_str(&p->root), dirt, &skipped, why);
	if (!r && dirty)
		r = carried_note(s, dirt, why);
	if (r < 0)
		return r;
	if (dirty)
		say_carried(note, dirt, s);
	add_note(note, dirty ? skipped : 0,
		 "path that is neither file nor link was left behind",
		 "paths that are neither file nor link were left behind");
	add_note(note, dirty ? 0 : dirt->changed.count,
		 "uncommitted change was left behind",
		 "uncommitted changes were left behind");
	add_note(note, dirty ? 0 : dirt->untracked.count,
		 "untracked file was left behind",
		 "untracked files were left behind");
	return 0;
}

/* Whether a file of the project's index has the name that the pattern @pattern
 * of no directory stands for, in one; where that cannot be told, not. */
static bool is_deeper(const struct space *s, const struct project *p,
		      const char *pattern)
{
	autofree char *spec = alloc_text(":(glob)**/%s", pattern);
	const char *const args[] = { "ls-files", "-z", "--", spec, NULL };
	autobuf struct buf out = { 0 };
	struct git git = space_git(s);
	struct why why = { 0 };

	git.work_tree = buf_str(&p->root);
	git.index = s->index;
	return !strchr(pattern, '/') && !git_read(&git, args, &out, &why) &&
	       out.len;
}

/* As it stands in a policy, or would have to. */
static void add_hide(struct buf *note, const char *before, const char *pattern)
{
	autobuf struct buf path = { 0 };
	autobuf struct buf word = { 0 };

	buf_addf(&path, "%s%s", before, pattern);
	word_policy(&word, buf_span(&path));
	buf_adds(note, "'hide ");
	quote_line(note, buf_span(&word));
	buf_addc(note, '\'');
}

void create_unmatched(const struct space *s, const struct project *p,
		      const struct hidden *hidden, struct buf *note)
{
	const struct names *meant = s->hiding->meant;
	size_t count = 0, i;

	/* Not all was looked at then. */
	if (!meant || hidden->unknown)
		return;
	for (i = 0; i < meant->count; i++) {
		if (hidden_matches(hidden, s, meant->items[i]) ||
		    ++count > LEFT_NAMED)
			continue;
		buf_adds(note, count > 1   ? ", "
			       : note->len ? "; nothing matches "
					   : "nothing matches ");
		add_hide(note, "", meant->items[i]);
		if (!is_deeper(s, p, meant->items[i]))
			continue;
		buf_adds(note, " (");
		add_hide(note, "**/", meant->items[i]);
		buf_adds(note, " would)");
	}
	if (count > LEFT_NAMED)
		buf_addf(note, " and %zu more", count - LEFT_NAMED);
}

/* What a template is of was counted when it was made. */
static int find_kinds(struct kinds *kinds, const struct space *s,
		      const struct project *p, struct why *why)
{
	struct git git = space_git(s);

	if (s->below.len && !template_kinds(kinds, s))
		return 0;
	git.work_tree = buf_str(&p->root);
	git.index = s->index;
	return kinds_count(kinds, &git, p->attributes.len > 0, why);
}

/* It is the repository that names them, and not the person. */
static void say_outside(const struct project *p, struct buf *note)
{
	size_t i;

	for (i = 0; i < p->outside.count && i < OUTSIDE_NAMED; i++) {
		buf_addf(note, "%sgit's objects outside of the project, in '",
			 note->len ? "; " : "");
		quote_line(note, span_of(p->outside.items[i]));
		buf_adds(note, "', can be read");
	}
	if (p->outside.count > OUTSIDE_NAMED)
		buf_addf(note, "; so can those of %zu more places",
			 p->outside.count - OUTSIDE_NAMED);
}

static void say_links(const struct project *p, struct buf *note)
{
	size_t i;

	for (i = 0; i < p->links.count; i++)
		buf_addf(note,
			 "%s'%s' of the repository is a link, and was not read",
			 note->len ? "; " : "", p->links.items[i]);
}

int create_kinds(const struct space *s, const struct project *p,
		 const struct hidden *hidden, struct buf *note, struct why *why)
{
	struct kinds kinds = { 0 };
	int r = find_kinds(&kinds, s, p, why);

	if (r < 0)
		return r;
	say_outside(p, note);
	say_links(p, note);
	if (hidden->cut)
		buf_addf(note,
			 "%sits history ends there, for something in it "
			 "%s",
			 note->len ? "; " : "",
			 hidden->unknown ? "may be hidden: not all hidden "
					   "files could be read"
					 : "is hidden");
	if (p->sparse.len)
		buf_addf(note, "%sit is a sparse checkout, as the project is",
			 note->len ? "; " : "");
	add_note(note, kinds.modules, "submodule is an empty directory",
		 "submodules are empty directories");
	add_note(note, kinds.filtered,
		 "file with a filter (LFS) is left as git stores it",
		 "files with a filter (LFS) are left as git stores them");
	return 0;
}
