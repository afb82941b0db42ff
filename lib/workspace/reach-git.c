/* SPDX-License-Identifier: ISC */
/*
 * reach - the part that adds what the project's own git runs or reads
 *
 * A hook of it can be a link into the working tree, and its configuration can
 * name hooks, drivers and files to include there.  Each stands as a link in
 * .git, which rules of workspace.protected name.
 */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "workspace/project.h"
#include "workspace/reach.h"

/* Between the words of a command, as far as paths can stand there. */
#define BETWEEN " \t\n'\"`;|&()<>="

static bool is_below(const char *path, const char *root)
{
	const size_t len = strlen(root);

	return !strncmp(path, root, len) && path[len] == '/' && path[len + 1];
}

/* A repository may lie elsewhere: then only what is there leads back. */
static void add_place(struct reach *reach, const char *root, const char *path)
{
	autofree char *name = alloc_text(".git/%zu", reach->count);
	autofree char *real = is_below(path, root) ? NULL
						   : realpath(path, NULL);

	if (real)
		path = real;
	if (is_below(path, root))
		reach_add(reach, name, span_of(path));
}

static void add_word(struct reach *reach, const char *dir, const char *root,
		     const char *word)
{
	const char *home = getenv("HOME");
	const bool own = !strncmp(word, "~/", 2) && home;
	autofree char *path = alloc_text(
		"%s%s%s", own ? home : (*word == '/' ? "" : dir),
		own || *word == '/' ? "" : "/", own ? word + 1 : word);

	add_place(reach, root, path);
}

/* A command's first word without a slash is looked for in PATH. */
static void add_command(struct reach *reach, const char *root, const char *text)
{
	autofree char *words = alloc_copy(text, strlen(text));
	char *rest = words + strspn(words, "!");
	bool first = true;
	char *word;

	while ((word = strsep(&rest, BETWEEN))) {
		if (!*word)
			continue;
		if (!first || strchr(word, '/'))
			add_word(reach, root, root, word);
		first = false;
	}
}

static void add_link(struct reach *reach, const char *root, const char *dir,
		     const char *name)
{
	autofree char *path = alloc_text("%s/%s", dir, name);
	char text[PATH_MAX];
	const ssize_t len = readlink(path, text, sizeof(text) - 1);

	if (len < 0)
		return;
	text[len] = '\0';
	add_word(reach, dir, root, text);
}

static void add_hooks(struct reach *reach, const char *root, const char *git)
{
	autofree char *hooks = alloc_text("%s/hooks", git);
	const struct dirent *entry;
	size_t count = 0;
	DIR *dir;

	add_link(reach, root, git, "hooks");
	dir = opendir(hooks);
	if (!dir) {
		reach->many |= errno != ENOENT && errno != ENOTDIR;
		return;
	}
	while (!reach->many && (errno = 0, entry = readdir(dir))) {
		reach->many = ++count > REACH_HOOKS_MAX;
		add_link(reach, root, hooks, entry->d_name);
	}
	/* What cannot be listed may lead anywhere, as what is too much may. */
	reach->many |= errno != 0;
	(void)closedir(dir);
}

void reach_add_git(struct reach *reach, const struct project *project)
{
	const struct settings *settings = &project->settings;
	const char *root = buf_str(&project->root);
	const char *git = buf_str(&project->common_dir);
	size_t i;

	add_hooks(reach, root, git);
	for (i = 0; i < settings->commands.count; i++)
		add_command(reach, root, settings->commands.items[i]);
	for (i = 0; i < settings->places.count; i++) {
		add_word(reach, root, root, settings->places.items[i]);
		add_word(reach, git, root, settings->places.items[i]);
	}
}
