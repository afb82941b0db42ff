/* SPDX-License-Identifier: ISC */
#include "workspace/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "base/word.h"
#include "workspace/beneath.h"
#include "workspace/quote.h"
#include "workspace/repo.h"

bool hidden_is(const struct space *space, const char *path)
{
	return space->hiding->hides(space->hiding, path);
}

/* One line of git-ls-tree(1): "MODE TYPE ID", a tab, the path. */
struct entry {
	const char *mode;
	const char *type;
	const char *id;
	const char *path;
};

/* Cuts @line up. */
static bool read_entry(struct entry *entry, char *line)
{
	char *rest = line;
	char *tab = strchr(line, '\t');

	if (!tab)
		return false;
	*tab = '\0';
	entry->mode = strsep(&rest, " ");
	entry->type = strsep(&rest, " ");
	entry->id = strsep(&rest, " ");
	entry->path = tab + 1;
	return entry->type && entry->id;
}

static int list_tree(struct names *lines, const struct space *s,
		     struct why *why)
{
	const char *const args[] = { "ls-tree",     "-r",
				     "-t",          "-z",
				     "--full-tree", buf_str(&s->head),
				     NULL };
	autobuf struct buf out = { 0 };
	struct git git = space_git(s);
	int r = git_settle(&git, git_read(&git, args, &out, why),
			   "list the commit's files", why);

	if (!r)
		names_split(lines, buf_span(&out), '\0');
	return r;
}

static void sort_entry(struct hidden *h, const struct space *s,
		       const struct entry *entry, struct names *links)
{
	const bool blob = !strcmp(entry->type, "blob");

	if (blob && hidden_is(s, entry->path)) {
		names_add(&h->paths, span_of(entry->path));
		hidden_add_blob(h, entry->id, entry->path);
	} else if (blob || !strcmp(entry->type, "tree")) {
		buf_addf(&h->objects, "%s\n", entry->id);
	}
	if (!strcmp(entry->mode, "120000"))
		names_add(links, span_of(entry->path));
}

/* The statement by which @path is hidden. */
static void add_pattern(struct buf *word, const struct space *s,
			const char *path)
{
	const struct names *patterns = s->hiding->patterns;
	size_t i;

	for (i = 0; i < patterns->count; i++) {
		const struct names one = { &patterns->items[i], 1 };
		const struct hiding hiding = { s->hiding->hides, &one, NULL };

		if (!hiding.hides(&hiding, path))
			continue;
		word_policy(word, span_of(patterns->items[i]));
		return;
	}
}

/* A hidden path with the bytes of @id. */
static const char *path_of(const struct hidden *h, const char *id)
{
	const size_t len = strlen(id);
	size_t i;

	for (i = 0; i < h->whose.count; i++)
		if (!strncmp(h->whose.items[i], id, len))
			return h->whose.items[i] + len + 1;
	return "";
}

/* Two names of the same bytes are one object, which is there or is not. */
static int check_shared(const struct hidden *h, const struct space *s,
			const struct entry *entry, struct why *why)
{
	autobuf struct buf path = { 0 };
	autobuf struct buf other = { 0 };
	autobuf struct buf pattern = { 0 };

	if (!names_has(&h->blobs, entry->id) || hidden_is(s, entry->path))
		return 0;
	quote_line(&path, span_of(entry->path));
	quote_line(&other, span_of(path_of(h, entry->id)));
	add_pattern(&pattern, s, path_of(h, entry->id));
	return why_set(why, EINVAL,
		       "cannot hide '%s', as 'hide %s' says: '%s' has the same "
		       "bytes and is not hidden; hide that as well, or change "
		       "one of the two",
		       buf_str(&other), buf_str(&pattern), buf_str(&path));
}

/* A mistake more likely than meant: nothing would be left to work on. */
static int check_all(const struct hidden *h, size_t count, struct why *why)
{
	if (!count || h->paths.count < count)
		return 0;
	return why_set(why, EINVAL,
		       "cannot hide all %zu files of the commit: nothing is "
		       "left to work on; hide less",
		       count);
}

/* git writes each file as these say, and cannot do so without reading them. */
static int check_attributes(const struct hidden *h, const struct space *s,
			    struct why *why)
{
	static const char name[] = ".gitattributes";
	autobuf struct buf path = { 0 };
	autobuf struct buf pattern = { 0 };
	size_t i;

	for (i = 0; i < h->paths.count; i++) {
		const char *at = h->paths.items[i];
		const char *slash = strrchr(at, '/');

		if (strcasecmp(slash ? slash + 1 : at, name) != 0)
			continue;
		quote_line(&path, span_of(at));
		add_pattern(&pattern, s, at);
		return why_set(
			why, EINVAL,
			"cannot hide '%s', as 'hide %s' says: git has to "
			"read it to write the other files",
			buf_str(&path), buf_str(&pattern));
	}
	return 0;
}

/* Whether a link is at @path, in the commit or in the working tree. */
static bool is_link(const struct names *links, const struct space *s,
		    const char *path)
{
	autofree char *there = alloc_text("%s/%s", buf_str(&s->project), path);
	struct stat st;

	return names_has(links, path) ||
	       (!lstat(there, &st) && S_ISLNK(st.st_mode));
}

/* What is behind a link has another name as well, by which it is not hidden. */
static int check_way(const char *pattern, const struct space *s,
		     const struct names *links, struct why *why)
{
	autofree char *path = alloc_copy(pattern, strcspn(pattern, "*"));
	char *slash = path;

	if (!strcmp(pattern, ".git"))
		return why_set(why, EINVAL,
			       "cannot hide '%s': a copy has a repository of "
			       "its own there, and cannot do without it",
			       pattern);
	while ((slash = strchr(slash, '/'))) {
		*slash = '\0';
		if (is_link(links, s, path))
			return why_set(why, EINVAL,
				       "cannot hide '%s': '%s' is a symbolic "
				       "link; hide what it leads to",
				       pattern, path);
		*slash++ = '/';
	}
	return 0;
}

int hidden_find(struct hidden *hidden, const struct space *space,
		const struct project *project, struct why *why)
{
	const struct names *patterns = space->hiding->patterns;
	autofree char *tree = alloc_text("%s^{tree}", buf_str(&project->head));
	const char *const ask[] = { "rev-parse", "-q", "--verify", tree, NULL };
	autobuf struct buf root = { 0 };
	autonames struct names lines = { 0 };
	autonames struct names links = { 0 };
	struct entry *entries;
	struct git git = space_git(space);
	size_t files = 0, i;
	int r = 0;

	if (project->head.len) {
		r = git_settle(&git, git_one(&git, ask, &root, why),
			       "read the commit", why);
		if (!r)
			r = list_tree(&lines, space, why);
		buf_addf(&hidden->objects, "%s\n%s\n", buf_str(&project->head),
			 buf_str(&root));
	}
	if (r < 0)
		return r;
	entries = alloc_zero(lines.count + 1, sizeof(*entries));
	for (i = 0; !r && i < lines.count; i++) {
		if (!read_entry(&entries[i], lines.items[i]))
			r = why_set(why, EBADMSG, "cannot read the commit");
		else
			sort_entry(hidden, space, &entries[i], &links);
		files += !r && strcmp(entries[i].type, "tree") != 0;
	}
	if (!r)
		r = check_all(hidden, files, why);
	if (!r)
		r = check_attributes(hidden, space, why);
	names_tidy(&links);
	for (i = 0; !r && i < patterns->count; i++)
		r = check_way(patterns->items[i], space, &links, why);
	if (!r)
		r = hidden_now(hidden, space, project, why);
	names_tidy(&hidden->blobs);
	for (i = 0; !r && i < lines.count; i++)
		r = check_shared(hidden, space, &entries[i], why);
	free(entries);
	hidden->cut = true;
	if (r < 0 || !project->head.len || hidden->paths.count ||
	    hidden->unknown || project->settings.partial)
		return r;
	return hidden_history(hidden, space, project, why);
}

int hidden_pack(const struct hidden *hidden, const struct space *space,
		const char *git_dir, struct why *why)
{
	autofree char *dir = alloc_text("%s/objects/pack", git_dir);
	autofree char *base = alloc_text("%s/pack", dir);
	autofree char *mark = NULL;
	const char *const args[] = { "pack-objects", "-q", "--window=0", base,
				     NULL };
	autobuf struct buf hash = { 0 };
	struct git git = space_git(space);
	int r;

	if (!hidden->objects.len)
		return 0;
	if (hidden->objects.full)
		return why_set(why, EFBIG, "the commit has too many files");
	r = git_settle(
		&git,
		git_filter(&git, args, buf_span(&hidden->objects), &hash, why),
		"pack what is not hidden", why);
	if (r < 0 || !hidden->cut)
		return r;
	while (hash.len && hash.data[hash.len - 1] == '\n')
		hash.data[--hash.len] = '\0';
	mark = alloc_text("pack-%s.promisor", buf_str(&hash));
	return repo_write(dir, mark, (struct span){ 0 }, why);
}

static int put_notice(int files_fd, const char *path)
{
	const char *name;
	autoclose int above_fd = beneath_make(files_fd, path, &name);
	autoclose int fd = -1;

	if (above_fd < 0)
		return above_fd;
	/* An old git writes what it was told to skip. */
	(void)unlinkat(above_fd, name, 0);
	fd = openat(above_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0666);
	return fd < 0 ? -errno : file_write(fd, span_of(HIDDEN_NOTICE));
}

static int put_notices(const struct hidden *hidden, const char *files,
		       struct why *why)
{
	autoclose int files_fd =
		open(files, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t i;

	if (files_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", files);
	for (i = 0; i < hidden->paths.count; i++) {
		const int r = put_notice(files_fd, hidden->paths.items[i]);

		if (r < 0)
			return why_sys(why, -r, "cannot write '%s'",
				       hidden->paths.items[i]);
	}
	return 0;
}

int hidden_fill(const struct hidden *hidden, struct git *git, const char *head,
		struct why *why)
{
	const char *const read_tree[] = { "read-tree", head, NULL };
	static const char *const skip[] = { "update-index", "-z",
					    "--skip-worktree", "--stdin",
					    NULL };
	static const char *const write[] = {
		"-c", "checkout.workers=0", "checkout-index", "-q", "-u", "-a",
		NULL
	};
	autobuf struct buf list = { 0 };
	autobuf struct buf out = { 0 };
	int r;

	names_join(&hidden->paths, &list, '\0');
	r = git_run(git, read_tree, why);
	if (!r && list.len)
		r = git_filter(git, skip, buf_span(&list), &out, why);
	if (!r)
		r = git_run(git, write, why);
	r = git_settle(git, r, "check out the copy", why);
	return r < 0 ? r : put_notices(hidden, git->work_tree, why);
}

int hidden_check_out(const struct hidden *hidden, const struct space *space,
		     const char *git_dir, struct why *why)
{
	struct git git = GIT_CALL(.dir = space->copy, .git_dir = git_dir,
				  .work_tree = space->copy);

	return space->head.len
		       ? hidden_fill(hidden, &git, buf_str(&space->head), why)
		       : 0;
}

static bool is_notice(const char *path)
{
	autobuf struct buf bytes = { 0 };
	struct why why = { 0 };
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) &&
	       st.st_size == sizeof(HIDDEN_NOTICE) - 1 &&
	       !file_read_path(&bytes, AT_FDCWD, path,
			       sizeof(HIDDEN_NOTICE) - 1, &why) &&
	       span_is(buf_span(&bytes), HIDDEN_NOTICE);
}

bool hidden_is_noticed(const struct hidden *hidden, const char *files)
{
	size_t i;

	for (i = 0; i < hidden->paths.count; i++) {
		autofree char *path =
			alloc_text("%s/%s", files, hidden->paths.items[i]);

		if (!is_notice(path))
			return false;
	}
	return true;
}

void hidden_drop(struct hidden *hidden)
{
	names_drop(&hidden->paths);
	names_drop(&hidden->blobs);
	names_drop(&hidden->whose);
	buf_drop(&hidden->objects);
	buf_drop(&hidden->refs);
}
