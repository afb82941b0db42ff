/* SPDX-License-Identifier: ISC */
#include "call/command.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "call/cleanpath.h"
#include "policy/action.h"

#define UNPARSED "exec.unparsed"

static void add_absolute(struct buf *action, const char *path,
			 const char *const *projects)
{
	const char *rest;

	for (; *projects; projects++) {
		rest = cleanpath_below(path, *projects);
		if (!rest)
			continue;
		buf_adds(action, "exec.workspace");
		action_add(action, span_of(rest));
		return;
	}
	rest = cleanpath_below(path, "/nix/store");
	buf_adds(action, rest ? "exec.nix.store" : "exec.system");
	action_add(action, span_of(rest ? rest : path));
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
		clear = cleanpath_add(&path, directory);
	if (!clear || !cleanpath_add(&path, program) || !path.len ||
	    program[strlen(program) - 1] == '/') {
		buf_adds(action, UNPARSED);
	} else if (absolute) {
		add_absolute(action, buf_str(&path), projects);
	} else {
		buf_adds(action, "exec.workspace");
		action_add(action, span_of(buf_str(&path) + 1));
	}
}

/* Whether @path, which is clean, is in a folder named bin or sbin. */
static bool is_in_bin(struct span path)
{
	size_t last = path.len;

	while (last && path.data[last - 1] != '/')
		last--;
	path.len = last;
	return (path.len >= 5 &&
		!memcmp(path.data + path.len - 5, "/bin/", 5)) ||
	       (path.len >= 6 &&
		!memcmp(path.data + path.len - 6, "/sbin/", 6));
}

/* Puts @path as seen from @directory behind @clean; false with a "..". */
static bool add_seen(struct buf *clean, const char *path, const char *directory)
{
	return (*path == '/' || !directory ||
		cleanpath_add(clean, directory)) &&
	       cleanpath_add(clean, path);
}

bool command_bare(struct buf *name, const char *program, const char *directory)
{
	autobuf struct buf path = { 0 };
	bool absolute = *program == '/' || (directory && *directory == '/');
	const char *slash = strrchr(program, '/');

	if (!slash || !slash[1])
		return false;
	if (add_seen(&path, program, directory) &&
	    (!absolute || !is_in_bin(buf_span(&path))))
		return false;
	buf_adds(name, slash + 1);
	return true;
}

/* ---- files and directories ---------------------------------------------- */

bool command_file(struct buf *action, const char *path, const char *directory,
		  const char *const *projects)
{
	autobuf struct buf clean = { 0 };
	bool absolute = *path == '/' || (directory && *directory == '/');

	if (!add_seen(&clean, path, directory) || !clean.len)
		return false;
	if (absolute && !cleanpath_in(buf_str(&clean), projects))
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

	return cleanpath_add(&clean, directory) &&
	       (*directory != '/' || cleanpath_in(buf_str(&clean), projects));
}

const char *command_outside(const char *directory, const char *const *projects)
{
	return *directory == '/' && !*projects ? ": no --project is known" : "";
}
