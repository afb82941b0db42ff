/* SPDX-License-Identifier: ISC */
#include "call/command.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "policy/action.h"

#define UNPARSED "exec.unparsed"

/*
 * Puts @path behind @clean without "." and doubled slashes.  A ".." is not
 * taken away with what is before it, which may be a link to elsewhere: then
 * the result is false.
 */
static bool add_clean(struct buf *clean, const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		struct span part = { path, len };

		if (span_is(part, ".."))
			return false;
		if (len && !span_is(part, ".")) {
			buf_addc(clean, '/');
			buf_add(clean, part);
		}
		path += len + (path[len] ? 1 : 0);
	}
	return true;
}

/* What of @path is below the directory @above, with its slash; or NULL. */
static const char *below(const char *path, const char *above)
{
	autobuf struct buf clean = { 0 };
	size_t len;

	if (!add_clean(&clean, above))
		return NULL;
	len = clean.len;
	if (strncmp(path, buf_str(&clean), len) != 0 || path[len] != '/')
		return NULL;
	return path + len;
}

static void add_absolute(struct buf *action, const char *path,
			 const char *const *projects)
{
	const char *rest;

	for (; *projects; projects++) {
		rest = below(path, *projects);
		if (!rest)
			continue;
		buf_adds(action, "exec.workspace");
		action_add(action, span_of(rest + 1));
		return;
	}
	rest = below(path, "/nix/store");
	buf_adds(action, rest ? "exec.nix.store" : "exec.system");
	action_add(action, span_of(rest ? rest + 1 : path));
}

void command_action(struct buf *action, const char *program,
		    const char *directory, const char *const *projects)
{
	autobuf struct buf path = { 0 };
	bool absolute = *program == '/' || (directory && *directory == '/');
	bool clear = true;

	if (!strchr(program, '/')) {
		buf_adds(action, "exec.path");
		action_add(action, span_of(program));
		return;
	}
	if (*program != '/' && directory)
		clear = add_clean(&path, directory);
	if (!clear || !add_clean(&path, program) || !path.len ||
	    program[strlen(program) - 1] == '/') {
		buf_adds(action, UNPARSED);
	} else if (absolute) {
		add_absolute(action, buf_str(&path), projects);
	} else {
		buf_adds(action, "exec.workspace");
		action_add(action, span_of(buf_str(&path) + 1));
	}
}

/* ---- files and directories ---------------------------------------------- */

/* Puts @path as seen from @directory behind @clean; false with a "..". */
static bool add_seen(struct buf *clean, const char *path, const char *directory)
{
	return (*path == '/' || !directory || add_clean(clean, directory)) &&
	       add_clean(clean, path);
}

bool command_file(struct buf *action, const char *path, const char *directory,
		  const char *const *projects)
{
	autobuf struct buf clean = { 0 };
	bool absolute = *path == '/' || (directory && *directory == '/');

	if (!add_seen(&clean, path, directory) || !clean.len)
		return false;
	for (; absolute && *projects; projects++)
		if (below(buf_str(&clean), *projects))
			absolute = false;
	if (absolute)
		action_add(action, buf_span(&clean));
	else
		buf_reset(action);
	return true;
}

bool command_directory(struct buf *path, const char *to, const char *directory)
{
	bool absolute = *to == '/' || (directory && *directory == '/');

	if (!absolute)
		buf_addc(path, '.');
	if (!add_seen(path, to, directory))
		return false;
	if (!path->len)
		buf_addc(path, '/');
	return true;
}

bool command_in_project(const char *directory, const char *const *projects)
{
	autobuf struct buf clean = { 0 };

	if (*directory != '/')
		return add_clean(&clean, directory);
	if (!add_clean(&clean, directory))
		return false;
	buf_addc(&clean, '/');
	for (; *projects; projects++)
		if (below(buf_str(&clean), *projects))
			return true;
	return false;
}
