/* SPDX-License-Identifier: ISC */
#include "policy/command.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "policy/action.h"

#define UNPARSED "exec.unparsed"

/* Sorted by what they are: shells, wrappers, and finders that run. */
static const char *const runners[] = {
	"sh",      "ash",      "bash",    "csh",     "dash",   "fish",
	"ksh",     "mksh",     "rbash",   "tcsh",    "yash",   "zsh",
	"busybox", "toybox",   "chroot",  "chrt",    "doas",   "env",
	"eval",    "exec",     "flock",   "ionice",  "ltrace", "nice",
	"nohup",   "nsenter",  "prlimit", "runuser", "script", "setarch",
	"setpriv", "setsid",   "stdbuf",  "strace",  "su",     "sudo",
	"taskset", "time",     "timeout", "unshare", "watch",  "command",
	"find",    "parallel", "xargs",
};

bool command_runs_others(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	size_t i;

	for (i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		if (!strcmp(name, runners[i]))
			return true;
	return false;
}

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
	for (; *projects; projects++) {
		const char *rest = below(path, *projects);

		if (!rest)
			continue;
		buf_adds(action, "exec.workspace");
		action_add(action, span_of(rest + 1));
		return;
	}
	buf_adds(action, "exec.system");
	action_add(action, span_of(path));
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
