/* SPDX-License-Identifier: ISC */
/*
 * reach - the part that adds what the project's own git runs or reads
 *
 * A hook of it can be a link into the working tree, and its configuration can
 * name hooks, drivers and files to include there.  Each stands as a link in
 * .git, which rules of workspace.protected name.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/place.h"
#include "base/why.h"
#include "workspace/project.h"
#include "workspace/reach.h"

/* Between the words of a value, as far as paths can stand there. */
#define BETWEEN " \t\n'\"`;|&()<>=:,{}"

/* Behind these a word goes on: what they end is known to a shell alone. */
#define BEFORE "'\"`)}"

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

/* ---- the words of a value ------------------------------------------------ */

/* The same with the home where a shell would put it. */
static char *with_home(const char *text)
{
	static const char *const names[] = { "${HOME}", "$HOME" };
	const char *home = getenv("HOME");
	autobuf struct buf out = { 0 };

	while (*text) {
		const char *name = names[text[1] != '{'];
		const size_t len = strlen(name);

		if (home && !strncmp(text, name, len) && text[len] != '_' &&
		    (name == names[0] || !isalnum((unsigned char)text[len]))) {
			buf_adds(&out, home);
			text += len;
		} else {
			buf_addc(&out, *text++);
		}
	}
	return alloc_copy(buf_str(&out), out.len);
}

/* The top itself is in every other command, as "git add .". */
static void add_path(struct reach *reach, const char *root, const char *path)
{
	if (path[strspn(path, "./")])
		add_word(reach, root, root, path);
}

/*
 * What an option has behind its letter, and, where a shell puts something
 * before it that is not known here, all that can be the path in the project.
 */
static void add_parts(struct reach *reach, const char *root, const char *word,
		      bool goes_on)
{
	const char *slash = word;

	add_path(reach, root, word);
	if (*word == '-' && word[1]) {
		add_path(reach, root, word + 1);
		add_path(reach, root, word + 2);
	}
	while ((goes_on || strchr(word, '$')) && (slash = strchr(slash, '/')))
		add_path(reach, root, ++slash);
}

/* Whether a value is a command: its words may be paths without a slash. */
enum value_kind { VALUE_ANY, VALUE_COMMAND };

/* A command's first word without a slash is looked for in PATH. */
static void add_words(struct reach *reach, const char *root, const char *text,
		      enum value_kind kind)
{
	autofree char *words = alloc_copy(text, strlen(text));
	char *rest = words + strspn(words, "!");
	bool first = true;
	char *word;

	while ((word = strsep(&rest, BETWEEN))) {
		const char before = word > words ? text[word - words - 1] : ' ';

		if (!*word)
			continue;
		if (strchr(word, '/') || (kind == VALUE_COMMAND && !first))
			add_parts(reach, root, word,
				  *word == '/' && strchr(BEFORE, before));
		first = false;
	}
}

/* A quote may stand between words, or in one. */
static void add_value(struct reach *reach, const char *root, const char *value,
		      enum value_kind kind)
{
	autofree char *text = with_home(value);
	char *to = text;
	size_t i;

	if (strchr(text, '/'))
		add_path(reach, root, text);
	add_words(reach, root, text, kind);
	if (!strpbrk(text, "'\""))
		return;
	for (i = 0; text[i]; i++)
		if (text[i] != '\'' && text[i] != '"')
			*to++ = text[i];
	*to = '\0';
	add_words(reach, root, text, kind);
}

/* ---- the repository ------------------------------------------------------ */

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

	if (*git)
		add_hooks(reach, root, git);
	for (i = 0; i < settings->commands.count; i++)
		add_value(reach, root, settings->commands.items[i],
			  VALUE_COMMAND);
	for (i = 0; i < settings->values.count; i++)
		add_value(reach, root, settings->values.items[i], VALUE_ANY);
	for (i = 0; i < settings->places.count; i++) {
		add_word(reach, root, root, settings->places.items[i]);
		if (*git)
			add_word(reach, git, root, settings->places.items[i]);
	}
}

int reach_find_git(struct reach *reach, const char *dir, struct why *why)
{
	autoproject struct project project = { 0 };
	autobuf struct buf program = { 0 };
	struct why lost = { 0 };
	int r;

	/* Where there is no git it runs nothing. */
	if (place_host(&program, "git", &lost) < 0)
		return 0;
	r = project_open(&project, dir, why);
	if (r < 0 && r != -ENOTDIR)
		return r;
	if (r < 0) {
		buf_reset(&project.root);
		buf_adds(&project.root, dir);
	}
	reach_add_git(reach, &project);
	return 0;
}
