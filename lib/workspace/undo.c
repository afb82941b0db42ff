/* SPDX-License-Identifier: ISC */
#include "workspace/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/rough.h"
#include "base/why.h"
#include "workspace/beneath.h"
#include "workspace/dirt.h"
#include "workspace/indexlock.h"
#include "workspace/names.h"
#include "workspace/quote.h"

/* What is at the path of a change. */
enum as {
	AS_GONE,
	AS_FROM,   /* as before the apply */
	AS_TO,     /* as the apply left it */
	AS_PART,   /* as the apply would leave it if it ended while it wrote */
	AS_OTHER,  /* as neither */
	AS_DIR,    /* a directory */
	AS_BARRED, /* a parent is no directory */
};

struct undoing {
	const struct intent *intent;
	const struct effect *effect;
	const struct space *space;
	struct git git; /* in the quarantine, with an index of ours */
	int root_fd;    /* of the project's files */
	char *made;     /* owned; a directory with the files of to */
	int made_fd;
	struct names not_from; /* what is not as from has it */
	struct buf from_stage; /* what an index of the two has */
	struct buf to_stage;
	enum as *as; /* owned; one for each change */
};

/* ---- what git says ------------------------------------------------------- */

static int run(struct undoing *u, const char *const *args, struct why *why)
{
	return git_settle(&u->git, git_run(&u->git, args, why),
			  "compare the project's files", why);
}

static int read_out(struct undoing *u, const char *const *args, struct buf *out,
		    struct why *why)
{
	return git_settle(&u->git, git_read(&u->git, args, out, why),
			  "compare the project's files", why);
}

/* Whether git says that files need it is found by what is compared next. */
static int refresh(struct undoing *u, struct why *why)
{
	static const char *const args[] = { "update-index", "-q", "--refresh",
					    NULL };
	int r = git_run(&u->git, args, why);

	return r == 1 ? 0 : git_settle(&u->git, r, "look at the files", why);
}

static int read_tree(struct undoing *u, const char *commit, struct why *why)
{
	const char *const args[] = { "read-tree", commit, NULL };

	return run(u, args, why);
}

static int list_stage(struct undoing *u, struct buf *out, struct why *why)
{
	static const char *const args[] = { "ls-files", "--stage", "-z", NULL };

	return read_out(u, args, out, why);
}

static int list_changed(struct undoing *u, struct why *why)
{
	static const char *const diff[] = { "diff-files",
					    "--name-only",
					    "-z",
					    "--no-renames",
					    "--ignore-submodules=all",
					    NULL };
	autobuf struct buf out = { 0 };
	int r = read_tree(u, buf_str(&u->effect->from), why);

	if (!r)
		r = list_stage(u, &u->from_stage, why);
	if (!r)
		r = refresh(u, why);
	if (!r)
		r = read_out(u, diff, &out, why);
	names_split(&u->not_from, buf_span(&out), '\0');
	names_tidy(&u->not_from);
	return r;
}

/* ---- what is there ------------------------------------------------------- */

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec ||
	       (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static void add_path(struct buf *paths, const char *path)
{
	buf_add(paths, (struct span){ path, strlen(path) + 1 });
}

/* By names and git alone: what is neither gone nor as before is AS_OTHER. */
static int look(struct undoing *u, size_t i, struct why *why)
{
	const struct effect_change *c = &u->effect->changes[i];
	struct stat st;
	int r = beneath_stat(u->root_fd, c->path, &st);

	if (r == -ELOOP || r == -ENOTDIR)
		u->as[i] = AS_BARRED;
	else if (r == -ENOENT)
		u->as[i] = AS_GONE;
	else if (r < 0)
		return why_sys(why, -r, "cannot look at '%s'", c->path);
	else if (S_ISDIR(st.st_mode))
		u->as[i] = AS_DIR;
	else if (c->was != EFFECT_NOTHING && !names_has(&u->not_from, c->path))
		u->as[i] = AS_FROM;
	else
		u->as[i] = AS_OTHER;
	return 0;
}

/* The files of to that something else is in the place of, for comparison. */
static int make_files(struct undoing *u, struct why *why)
{
	autofree char *prefix = alloc_text("--prefix=%s/", u->made);
	const char *const args[] = { "checkout-index", prefix, "-z", "--stdin",
				     NULL };
	autobuf struct buf paths = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;
	int r;

	for (i = 0; i < u->effect->change_count; i++)
		if (u->as[i] == AS_OTHER &&
		    u->effect->changes[i].mode != EFFECT_NOTHING)
			add_path(&paths, u->effect->changes[i].path);
	r = read_tree(u, buf_str(&u->effect->to), why);
	if (!r)
		r = list_stage(u, &u->to_stage, why);
	if (!r && (file_remove_tree(AT_FDCWD, u->made, why) < 0 ||
		   file_mkdirs(u->made, 0700, why) < 0))
		r = -why->errnum;
	if (r < 0)
		return r;
	u->made_fd = open(u->made, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (u->made_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", u->made);
	return !paths.len ? 0
			  : git_settle(&u->git,
				       git_filter(&u->git, args,
						  buf_span(&paths), &out, why),
				       "write the files to compare with", why);
}

/* Whether the file that is there was written since the apply began to write. */
static bool is_recent(const struct undoing *u, const char *path)
{
	struct stat st;

	return !beneath_stat(u->root_fd, path, &st) &&
	       !is_before(st.st_mtim, u->intent->since) &&
	       !is_before(st.st_ctim, u->intent->since);
}

static void compare(struct undoing *u, size_t i)
{
	const struct effect_change *c = &u->effect->changes[i];

	if (u->as[i] != AS_OTHER || c->mode == EFFECT_NOTHING)
		return;
	switch (beneath_compare(u->root_fd, u->made_fd, c->path)) {
	case BENEATH_SAME:
		u->as[i] = AS_TO;
		break;
	case BENEATH_PART:
		u->as[i] = is_recent(u, c->path) ? AS_PART : AS_OTHER;
		break;
	case BENEATH_OTHER:
	default:
		break;
	}
}

/*
 * git writes one file after the other, in the order of the changes: the one
 * that it was writing is the only one, and none behind it is written.
 */
static void judge_part(struct undoing *u)
{
	size_t parts = 0;
	bool doubt = false;
	size_t i;

	for (i = 0; i < u->effect->change_count; i++) {
		doubt = doubt || (parts && u->as[i] == AS_TO);
		parts += u->as[i] == AS_PART;
	}
	for (i = 0; i < u->effect->change_count; i++)
		if (u->as[i] == AS_PART && (doubt || parts > 1))
			u->as[i] = AS_OTHER;
}

static int look_at_all(struct undoing *u, struct why *why)
{
	size_t i;
	int r = list_changed(u, why);

	for (i = 0; !r && i < u->effect->change_count; i++)
		r = look(u, i, why);
	if (!r)
		r = make_files(u, why);
	for (i = 0; !r && i < u->effect->change_count; i++)
		compare(u, i);
	judge_part(u);
	return r;
}

/* ---- what is done -------------------------------------------------------- */

static int remove_ours(struct undoing *u, struct why *why)
{
	size_t i;

	for (i = 0; i < u->effect->change_count; i++) {
		const struct effect_change *c = &u->effect->changes[i];
		int r;

		if (u->as[i] == AS_TO || u->as[i] == AS_PART) {
			r = beneath_unlink(u->root_fd, c->path);
			if (r < 0)
				return why_sys(why, -r, "cannot remove '%s'",
					       c->path);
		} else if (u->as[i] != AS_GONE) {
			continue;
		}
		if (c->was == EFFECT_NOTHING)
			beneath_prune(u->root_fd, c->path, &u->intent->since);
	}
	return 0;
}

static void leave(struct undone *undone, const char *path)
{
	if (!undone->left++)
		quote_line(&undone->what, span_of(path));
}

/* Only where nothing is: without -f nothing is overwritten. */
static int restore(struct undoing *u, struct undone *undone, struct why *why)
{
	static const char *const args[] = { "checkout-index", "-z", "--stdin",
					    NULL };
	autobuf struct buf paths = { 0 };
	autobuf struct buf out = { 0 };
	struct stat st;
	size_t i;
	int r;

	for (i = 0; i < u->effect->change_count; i++) {
		const struct effect_change *c = &u->effect->changes[i];

		if (u->as[i] == AS_FROM)
			continue;
		if (u->as[i] != (c->was == EFFECT_NOTHING ? AS_GONE : AS_OTHER))
			undone->begun = true;
		if (c->was == EFFECT_NOTHING) {
			if (u->as[i] == AS_OTHER)
				leave(undone, c->path);
			continue;
		}
		if (beneath_stat(u->root_fd, c->path, &st) == -ENOENT)
			add_path(&paths, c->path);
		else
			leave(undone, c->path);
	}
	r = read_tree(u, buf_str(&u->effect->from), why);
	return r < 0 || !paths.len
		       ? r
		       : git_settle(&u->git,
				    git_filter(&u->git, args, buf_span(&paths),
					       &out, why),
				    "put files back", why);
}

/* One that is neither as before nor as afterwards somebody else wrote. */
static int undo_index(struct undoing *u, struct undone *undone,
		      const struct project *p, struct why *why)
{
	const char *to = buf_str(&u->effect->to);
	const char *from = buf_str(&u->effect->from);
	const char *const back[] = { "read-tree", "-i", "-m", to, from, NULL };
	const char *own = u->git.index;
	autobuf struct buf stage = { 0 };
	int r = dirt_copy_index(u->space, p, why);

	if (r < 0)
		return r;
	u->git.index = u->space->index;
	r = list_stage(u, &stage, why);
	if (!r && span_equal(buf_span(&stage), buf_span(&u->to_stage)))
		r = run(u, back, why);
	else if (!r && !span_equal(buf_span(&stage), buf_span(&u->from_stage)))
		undone->index = true;
	if (!r && !undone->index)
		r = refresh(u, why);
	u->git.index = own;
	return r < 0 || undone->index ? r : indexlock_place(u->space, p, why);
}

static void drop(struct undoing *u, const char *own)
{
	struct why lost = { 0 };

	(void)unlink(own);
	(void)file_remove_tree(AT_FDCWD, u->made, &lost);
	auto_close(&u->root_fd);
	auto_close(&u->made_fd);
	auto_free(&u->made);
	auto_free(&u->as);
	names_drop(&u->not_from);
	buf_drop(&u->from_stage);
	buf_drop(&u->to_stage);
}

int undo_apply(struct undone *undone, const struct intent *intent,
	       const struct landing *landing, struct why *why)
{
	const struct space *space = landing->space;
	const struct project *project = landing->project;
	autofree char *own = alloc_text("%s/index-undo", space->dir);
	struct undoing u = {
		.intent = intent,
		.effect = landing->effect,
		.space = space,
		.git = space_git(space),
		.made = alloc_text("%s/undo", space->dir),
		.made_fd = -1,
		.as = alloc_zero(landing->effect->change_count + 1,
				 sizeof(*u.as)),
	};
	int r = 0;

	space_fresh_index(own);
	u.git.work_tree = buf_str(&project->root);
	u.git.index = own;
	u.root_fd = open(u.git.work_tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (u.root_fd < 0)
		r = why_sys(why, errno, "cannot open '%s'", u.git.work_tree);
	if (!r)
		r = look_at_all(&u, why);
	if (!r)
		r = remove_ours(&u, why);
	if (!r)
		r = restore(&u, undone, why);
	if (!r)
		r = undo_index(&u, undone, project, why);
	drop(&u, own);
	return r;
}

void undone_say(const struct undone *undone, struct buf *what)
{
	if (undone->left)
		buf_addf(what,
			 ", but for %zu file%s that somebody changed since: %s",
			 undone->left, rough_plural(undone->left),
			 buf_str(&undone->what));
	if (undone->index)
		buf_adds(what, undone->left ? ", and the index, too"
					    : ", but for the index, which "
					      "somebody changed since");
}

void undone_drop(struct undone *undone)
{
	buf_drop(&undone->what);
	*undone = (struct undone){ 0 };
}
