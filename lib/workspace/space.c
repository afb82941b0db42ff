/* SPDX-License-Identifier: ISC */
#include "workspace/space.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/line.h"
#include "base/why.h"
#include "cow/node.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/intent.h"
#include "workspace/own.h"
#include "workspace/quote.h"
#include "workspace/repo.h"
#include "workspace/written.h"

bool space_is_id(const char *id)
{
	size_t len = strlen(id);
	size_t i;

	if (!len || len > SPACE_ID_MAX || !isalnum((unsigned char)id[0]) ||
	    strstr(id, "..") || id[len - 1] == '.')
		return false;
	if (len >= 5 && !strcmp(id + len - 5, ".lock"))
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)id[i]) && !strchr("-_.", id[i]))
			return false;
	return true;
}

static void set_paths(struct space *s, const char *dir)
{
	s->dir = alloc_copy(dir, strlen(dir));
	s->layers = alloc_text("%s/layers", dir);
	s->copy = alloc_text("%s/%s", dir,
			     s->below.len ? "layers/upper" : "copy");
	s->quarantine = alloc_text("%s/quarantine", dir);
	s->index = alloc_text("%s/index", dir);
	s->pack = alloc_text("%s/incoming.pack", dir);
}

bool space_within(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) &&
	       (!path[len] || path[len] == '/' || !strcmp(dir, "/"));
}

char *space_new_path(const char *path, struct why *why)
{
	autofree char *above = alloc_copy(path, strlen(path));
	autofree char *real = NULL;
	const char *name = path;
	char *slash;
	size_t len = strlen(above);

	while (len > 1 && above[len - 1] == '/')
		above[--len] = '\0';
	slash = strrchr(above, '/');
	if (slash) {
		name = slash + 1;
		*slash = '\0';
	}
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		why_set(why, EINVAL, "cannot make '%s': that is no new name",
			path);
		return NULL;
	}
	real = realpath(!slash ? "." : slash == above ? "/" : above, NULL);
	if (!real) {
		why_sys(why, errno, "cannot make '%s'", path);
		return NULL;
	}
	return alloc_text("%s/%s", strcmp(real, "/") ? real : "", name);
}

static int write_state(const struct space *s, struct why *why)
{
	autobuf struct buf state = { 0 };

	json_open(&state);
	json_num(&state, "version", 1);
	json_str(&state, "session", buf_span(&s->id));
	json_bool(&state, "made", s->made);
	json_bool(&state, "in_place", s->in_place);
	json_bool(&state, "hidden", s->hidden);
	json_bool(&state, "apart", s->apart);
	json_str(&state, "project", buf_span(&s->project));
	json_str(&state, "git_dir", buf_span(&s->git_dir));
	json_str(&state, "branch", buf_span(&s->branch));
	json_str(&state, "head", buf_span(&s->head));
	if (s->below.len)
		json_str(&state, "below", buf_span(&s->below));
	json_str(&state, "format", span_of(s->sha256 ? "sha256" : "sha1"));
	json_close_line(&state);
	return file_put(s->dir, "state", buf_span(&state), why);
}

int space_remove(const struct space *space, struct why *why)
{
	autofree char *above = alloc_copy(space->dir, strlen(space->dir));
	autoclose int above_fd = -1;
	char *slash = strrchr(above, '/');
	autobuf struct buf quoted = { 0 };
	int r = intent_there(space);

	if (r < 0)
		return why_sys(why, -r, "cannot remove '%s'", space->dir);
	quote_shell(&quoted, span_of(space->dir));
	if (r)
		return why_set(why, EBUSY,
			       "cannot remove '%s': an apply goes on or was "
			       "cut off; for one that was: chock workspace "
			       "recover -w %s",
			       space->dir, buf_str(&quoted));
	r = written_end(space->dir, NULL, NULL, why);
	if (r < 0)
		return why_within(why, "cannot remove '%s'", space->dir);
	*slash = '\0';
	above_fd = open(slash == above ? "/" : above,
			O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (above_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", above);
	if (file_remove_tree(above_fd, slash + 1, why) < 0)
		return why_within(why, "cannot remove '%s'", space->dir);
	return 0;
}

int space_apart(const char *dir, const char *root, struct why *why)
{
	if (!strcmp(root, "/"))
		return why_set(why, EINVAL,
			       "cannot use '/': all there is would be the "
			       "project; run it in a directory");
	return why_set(why, EINVAL,
		       "cannot make '%s': a workspace never lies in its "
		       "project; run it in a directory below '%s', or have "
		       "XDG_STATE_HOME and XDG_DATA_HOME name others "
		       "outside",
		       dir, root);
}

/* A copy of a git project has nothing of chock's own directories in it. */
static bool is_apart(const struct space *s, const char *dir,
		     const struct project *p)
{
	const char *root = buf_str(&p->root);

	if (space_within(dir, buf_str(&p->common_dir)) || !strcmp(root, "/"))
		return false;
	return !space_within(dir, root) ||
	       own_is(&s->own, dir + strlen(root) + 1);
}

int space_start(struct space *space, const struct project *project,
		const char *id, const char *path, struct why *why)
{
	autofree char *dir = space_new_path(path, why);
	struct why lost = { 0 };
	int r;

	if (!dir)
		return -why->errnum;
	own_find(&space->own, buf_str(&project->root));
	if (!is_apart(space, dir, project))
		return space_apart(dir, buf_str(&project->root), why);
	set_paths(space, dir);
	buf_adds(&space->id, id);
	buf_add(&space->project, buf_span(&project->root));
	buf_add(&space->git_dir, buf_span(&project->git_dir));
	buf_add(&space->branch, buf_span(&project->branch));
	buf_add(&space->head, buf_span(&project->head));
	space->sha256 = project->sha256;
	space->hidden = space->hiding != NULL;
	if (mkdir(dir, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", dir);
	r = write_state(space, why);
	if (r < 0)
		(void)space_remove(space, &lost);
	return r;
}

int space_lay(struct space *space, struct span below, struct why *why)
{
	int r = file_remove_tree(AT_FDCWD, space->layers, why);

	if (r < 0)
		return r;
	buf_reset(&space->below);
	buf_add(&space->below, below);
	free(space->copy);
	space->copy = alloc_text("%s/%s", space->dir,
				 below.len ? "layers/upper" : "copy");
	if (below.len && mkdir(space->layers, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", space->layers);
	return 0;
}

int space_save(const struct space *space, struct why *why)
{
	return write_state(space, why);
}

int space_finish(struct space *space, struct why *why)
{
	space->made = true;
	return write_state(space, why);
}

static int take_state(struct space *s, const struct record *record)
{
	const struct {
		const char *name;
		struct buf *value;
	} texts[] = {
		{ "session", &s->id },      { "project", &s->project },
		{ "git_dir", &s->git_dir }, { "branch", &s->branch },
		{ "head", &s->head },
	};
	int64_t version;
	size_t i;

	if (value_int(&version, record_get(record, "version")) < 0 ||
	    version != 1)
		return -EINVAL;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (value_text(texts[i].value,
			       record_get(record, texts[i].name)) < 0)
			return -EINVAL;
	if (!record_get(record, "made") || !space_is_id(buf_str(&s->id)) ||
	    (s->head.len && !git_is_id(buf_span(&s->head))))
		return -EINVAL;
	if (record_has(record, "below") &&
	    (value_text(&s->below, record_get(record, "below")) < 0 ||
	     buf_str(&s->below)[0] != '/'))
		return -EINVAL;
	s->made = value_is_true(record_get(record, "made"));
	s->in_place = value_is_true(record_get(record, "in_place"));
	s->hidden = value_is_true(record_get(record, "hidden"));
	s->apart = value_is_true(record_get(record, "apart"));
	s->sha256 = value_is(record_get(record, "format"), "sha256");
	return 0;
}

static int no_space(const char *path, const char *what, struct why *why)
{
	return why_set(why, EINVAL, "cannot use '%s': it %s", path, what);
}

int space_open(struct space *space, const char *path, struct why *why)
{
	autofree char *dir = realpath(path, NULL);
	autorecord struct record record = { 0 };
	autobuf struct buf state = { 0 };
	autofree char *name = NULL;
	autofree char *repository = NULL;
	struct stat st;

	if (!dir || lstat(dir, &st) < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	name = alloc_text("%s/state", dir);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077) || !strcmp(dir, "/") ||
	    file_read_path(&state, AT_FDCWD, name, LINE_MAX_LEN, why) < 0 ||
	    record_read(&record, buf_span(&state), why) < 0)
		return no_space(path, "is not a workspace of chock", why);
	if (value_is(record_get(&record, "kind"), "overlay"))
		return no_space(path,
				"is a workspace of a directory without git, "
				"which 'chock overlay' is for",
				why);
	if (take_state(space, &record) < 0)
		return no_space(path, "is not a workspace of chock", why);
	set_paths(space, dir);
	own_find(&space->own, buf_str(&space->project));
	repository = alloc_text("%s/.git", space->copy);
	/* Where it cannot be done, who goes in hears why. */
	if (!node_regain(space->copy))
		(void)node_regain(repository);
	return 0;
}

int space_project(const struct space *space, struct project *project,
		  struct why *why)
{
	const char *root = buf_str(&space->project);
	int r = project_open(project, root, why);

	if (r < 0)
		return r;
	if (!span_equal(buf_span(&project->root), buf_span(&space->project)) ||
	    !span_equal(buf_span(&project->git_dir),
			buf_span(&space->git_dir)) ||
	    project->sha256 != space->sha256)
		return why_set(why, EINVAL,
			       "cannot use '%s': it is not the project that "
			       "the workspace was made from",
			       root);
	return 0;
}

int space_read(struct buf *bytes, const struct space *space, const char *name,
	       struct why *why)
{
	autofree char *path = alloc_text("%s/%s", space->dir, name);
	struct why failed = { 0 };
	int r = file_read_path(bytes, AT_FDCWD, path, BUF_MAX, &failed);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		*why = failed;
	return r < 0 ? r : 1;
}

void space_fresh_index(const char *path)
{
	autofree char *lock = alloc_text("%s.lock", path);

	(void)unlink(lock);
	(void)unlink(path);
}

int space_quarantine(const struct space *space, const struct project *project,
		     struct why *why)
{
	const struct repo repo = {
		.sha256 = project->sha256,
		.head = project->head.len ? buf_span(&project->head)
					  : span_of("ref: refs/heads/none"),
		.config = buf_span(&project->settings.config),
		.excludes = buf_span(&project->excludes),
		.attributes = buf_span(&project->attributes),
		.shallow = buf_span(&project->shallow),
		.sparse = buf_span(&project->sparse),
	};
	int r = repo_make(space->quarantine, &repo, why);

	return r < 0 ? r
		     : repo_borrow(space->quarantine, &project->stores, why);
}

struct git space_git(const struct space *space)
{
	return GIT_CALL(.dir = buf_str(&space->project),
			.git_dir = space->quarantine,
			.keep_fd = space->keep_fd);
}

void space_drop(struct space *space)
{
	buf_drop(&space->id);
	buf_drop(&space->project);
	buf_drop(&space->git_dir);
	buf_drop(&space->branch);
	buf_drop(&space->head);
	names_drop(&space->own);
	free(space->dir);
	buf_drop(&space->below);
	free(space->copy);
	free(space->layers);
	free(space->quarantine);
	free(space->index);
	free(space->pack);
	*space = (struct space){ 0 };
}
