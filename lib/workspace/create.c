/* SPDX-License-Identifier: ISC */
#include "workspace/create.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"
#include "workspace/create-notes.h"
#include "workspace/dirt.h"
#include "workspace/hidden.h"
#include "workspace/quote.h"
#include "workspace/repo.h"
#include "workspace/sparse.h"
#include "workspace/template.h"

static char *place_inside(const struct space *space,
			  const struct project *project, size_t store)
{
	const char *place = project->stores.items[store];

	if (space->in_place)
		return alloc_copy(place, strlen(place));
	return store ? alloc_text("%s-%zu", CREATE_OBJECTS, store + 1)
		     : alloc_text("%s", CREATE_OBJECTS);
}

static void add_bind(struct names *binds, const char *from, const char *to)
{
	autobuf struct buf bind = { 0 };

	quote_bind(&bind, span_of(from));
	buf_addc(&bind, ':');
	quote_bind(&bind, span_of(to));
	buf_adds(&bind, ":ro");
	names_add(binds, buf_span(&bind));
}

/*
 * A store's own list of further stores names places outside.  The copy's list
 * has all of them already, so inside it reads as an empty file of ours; in
 * place nothing can be shown for it, and it says again what ours says.
 */
void create_binds(struct names *binds, const struct space *space,
		  const struct project *project)
{
	autofree char *empty = alloc_text("%s/empty", space->dir);
	size_t i;

	for (i = 0; !space->apart && i < project->stores.count; i++) {
		const char *store = project->stores.items[i];
		autofree char *inside = place_inside(space, project, i);
		autofree char *list = alloc_text("%s/info/alternates", store);
		autofree char *list_inside =
			alloc_text("%s/info/alternates", inside);

		add_bind(binds, store, inside);
		if (!space->in_place && !access(list, F_OK))
			add_bind(binds, empty, list_inside);
	}
}

/* Of the branches and tags those that are the commit itself, for of the others
 * no object is there. */
static void keep_head(struct buf *refs, const struct project *p)
{
	autonames struct names lines = { 0 };
	size_t i;

	names_split(&lines, buf_span(refs), '\n');
	buf_reset(refs);
	for (i = 0; i < lines.count; i++)
		if (!strncmp(lines.items[i], buf_str(&p->head), p->head.len) &&
		    lines.items[i][p->head.len] == ' ')
			buf_addf(refs, "%s\n", lines.items[i]);
}

static int make_repository(const struct space *s, const struct project *p,
			   const struct hidden *hidden, const char *git_dir,
			   struct why *why)
{
	autobuf struct buf head = { 0 };
	autobuf struct buf refs = { 0 };
	autobuf struct buf shallow = { 0 };
	struct repo repo = {
		.sha256 = p->sha256,
		.config = buf_span(&p->settings.config),
		.excludes = buf_span(&p->excludes),
		.attributes = buf_span(&p->attributes),
		.shallow = buf_span(&p->shallow),
		.sparse = buf_span(&p->sparse),
	};
	int r = project_refs(p, &refs, why);

	if (r < 0)
		return r;
	if (p->branch.len)
		buf_addf(&head, "ref: %s", buf_str(&p->branch));
	else
		buf_add(&head, buf_span(&p->head));
	if (p->settings.partial)
		repo.partial = CREATE_PARTIAL;
	if (hidden->cut)
		keep_head(&refs, p);
	else if (s->apart) {
		buf_reset(&refs);
		buf_add(&refs, buf_span(&hidden->refs));
	}
	if (hidden->cut && p->head.len) {
		buf_addf(&shallow, "%s\n", buf_str(&p->head));
		repo.shallow = buf_span(&shallow);
		repo.partial = HIDDEN_REMOTE;
	}
	repo.head = buf_span(&head);
	repo.refs = buf_span(&refs);
	r = repo_make(git_dir, &repo, why);
	/* What moved is found by this, see look_inside(). */
	return r < 0 ? r : file_put(s->dir, "refs", repo.refs, why);
}

static int check_out(const struct space *s, const struct project *p,
		     const char *git_dir, struct why *why)
{
	/* Zero workers is git's word for one a processor. */
	const char *const args[] = {
		"-c", "checkout.workers=0", "read-tree", git_counting(), "-m",
		"-u", buf_str(&p->head),    NULL
	};
	autoprogress struct progress progress = { 0 };
	autobuf struct buf borrowed = { 0 };
	struct git git = GIT_CALL(.dir = s->copy, .git_dir = git_dir,
				  .work_tree = s->copy, .counts = true);
	int r;

	if (!p->head.len)
		return 0;
	progress_begin(&progress, "checking out the copy");
	if (!s->apart) {
		project_borrowed(p, &borrowed);
		git.borrowed = buf_str(&borrowed);
	}
	r = git_run(&git, args, why);
	return git_settle(&git, r, "check out the copy", why);
}

static void add_places(struct names *inside, const struct space *s,
		       const struct project *p)
{
	size_t i;

	for (i = 0; i < p->stores.count; i++) {
		autofree char *place = place_inside(s, p, i);

		names_add(inside, span_of(place));
	}
}

/*
 * The list of borrowed stores is written last: while we work here ourselves,
 * the places that it names are not there.
 */
static int fill_by_borrowing(const struct space *s, const struct project *p,
			     const char *git_dir, struct why *why)
{
	autonames struct names inside = { 0 };
	int r = check_out(s, p, git_dir, why);

	if (r < 0)
		return r;
	add_places(&inside, s, p);
	return repo_borrow(git_dir, &inside, why);
}

/* The files are there already. */
static int fill_from_template(const struct space *s, const struct project *p,
			      const struct hidden *hidden, const char *git_dir,
			      struct why *why)
{
	autonames struct names inside = { 0 };
	int r = template_index(s, git_dir, why);

	if (r < 0)
		return r;
	if (s->apart)
		return hidden_pack(hidden, s, git_dir, why);
	add_places(&inside, s, p);
	return repo_borrow(git_dir, &inside, why);
}

static int fill_without_hidden(const struct space *s, const struct project *p,
			       const struct hidden *hidden, const char *git_dir,
			       struct why *why)
{
	int r = hidden_pack(hidden, s, git_dir, why);

	if (r < 0)
		return r;
	return hidden->cut ? hidden_check_out(hidden, s, git_dir, why)
			   : check_out(s, p, git_dir, why);
}

/*
 * Nothing is fetched by us: what comes from where is the person's to say.  A
 * copy of a partial clone has what is there, if that is all of the commit.
 */
static int say_partial(const struct project *p, struct why *why)
{
	autobuf struct buf root = { 0 };

	quote_shell(&root, buf_span(&p->root));
	return why_set(why, EINVAL,
		       "cannot use '%s': it is a partial clone that lacks "
		       "objects of its commit; 'git -C %s archive HEAD "
		       ">/dev/null' fetches them",
		       buf_str(&p->root), buf_str(&root));
}

static int fill(const struct space *s, const struct project *p,
		const struct hidden *hidden, const char *git_dir,
		struct why *why)
{
	int r;

	if (s->below.len)
		return fill_from_template(s, p, hidden, git_dir, why);
	r = s->apart ? fill_without_hidden(s, p, hidden, git_dir, why)
		     : fill_by_borrowing(s, p, git_dir, why);
	return r == -EINVAL && p->settings.partial ? say_partial(p, why) : r;
}

static int make_copy(const struct space *s, const struct project *p,
		     const struct hidden *hidden, struct why *why)
{
	autofree char *git_dir = alloc_text("%s/.git", s->copy);
	struct stat st;
	int r;

	if (stat(buf_str(&p->root), &st) < 0 ||
	    mkdir(s->copy, (st.st_mode & 0777) | 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", s->copy);
	r = make_repository(s, p, hidden, git_dir, why);
	return r < 0 ? r : fill(s, p, hidden, git_dir, why);
}

/* A template that is not as it was made costs a session nothing but time. */
static int lay_over_template(struct space *s, const struct project *p,
			     const struct hidden *hidden, struct why *why)
{
	int r = template_take(s, p, hidden, why);

	if (r == -EINVAL && p->settings.partial)
		return say_partial(p, why);
	if (r != -ESTALE)
		return r;
	*why = (struct why){ 0 };
	return space_lay(s, (struct span){ 0 }, why);
}

/* The project's files are looked at while the copy's are made. */
static int make_all(struct space *space, const struct project *project,
		    const struct create_how *how, struct buf *note,
		    struct why *why)
{
	autohidden struct hidden hidden = { 0 };
	autodirt struct dirt dirt = { 0 };
	const struct create_dirty dirty = { &hidden, &dirt, how->dirty };
	bool over = false;
	int r = repo_write(space->dir, "empty", (struct span){ 0 }, why);

	if (!r && space->hidden)
		r = hidden_find(&hidden, space, project, why);
	if (!r && space->hidden)
		r = hidden_keep(&hidden, space, why);
	space->apart = space->hidden;
	if (!r && hidden.cut && project->sparse.len)
		r = why_set(why, EINVAL,
			    "cannot use '%s': it is a sparse checkout, and in "
			    "a copy of one nothing of a commit can be hidden",
			    buf_str(&project->root));
	if (!r)
		r = sparse_keep(space, project, why);
	if (!r)
		over = template_serves(space, project, how->template_files);
	if (!r)
		r = dirt_begin(&dirt, space, project, why);
	if (!r && over)
		r = lay_over_template(space, project, &hidden, why);
	if (!r)
		r = make_copy(space, project, &hidden, why);
	if (!r)
		r = create_dirt(space, project, &dirty, note, why);
	if (!r)
		r = create_kinds(space, project, &hidden, note, why);
	if (!r && space->hidden)
		create_unmatched(space, project, &hidden, note);
	return r;
}

int create_workspace(struct space *space, const struct project *project,
		     const struct create_how *how, struct buf *note,
		     struct why *why)
{
	struct why lost = { 0 };
	int r = space_quarantine(space, project, why);

	if (!r)
		r = make_all(space, project, how, note, why);
	if (!r)
		r = space_finish(space, why);
	if (r < 0)
		(void)space_remove(space, &lost);
	return r;
}
