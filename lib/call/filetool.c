/* SPDX-License-Identifier: ISC */
#include "call/filetool.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/why.h"
#include "call/call.h"
#include "call/cleanpath.h"
#include "policy/action.h"
#include "record/record.h"

static const struct {
	const char *name;
	const char *action;
} tools[] = {
	{ "read_file", "fs.read" },   { "list_directory", "fs.read" },
	{ "find_files", "fs.read" },  { "search_files", "fs.read" },
	{ "write_file", "fs.write" }, { "edit_file", "fs.write" },
};

static const char *action_of(struct span tool)
{
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (span_is(tool, tools[i].name))
			return tools[i].action;
	return NULL;
}

static int add_part(struct buf *clean, struct span part, const char *name,
		    struct why *why)
{
	if (part.len && *part.data == '~')
		return why_set(why, EINVAL,
			       "'%s' starts with '~', which may be a home "
			       "directory: name it in full",
			       name);
	if (part.len && !cleanpath_add(clean, part.data))
		return why_set(why, EINVAL,
			       "'%s' has '..' in it: name the path in full",
			       name);
	return 0;
}

int filetool_read(struct call *call, const struct record_value *args,
		  const char *const *projects, struct why *why)
{
	const char *name = action_of(call->asker.tool);
	struct span path = { NULL, 0 }, cwd = { NULL, 0 };
	autobuf struct buf clean = { 0 };
	autobuf struct buf action = { 0 };
	bool absolute;
	int r;

	if (!name)
		return 0;
	r = call_keep_text(call, &path, value_field(args, "path"), "path", why);
	if (!r)
		r = call_keep_cwd(call, &cwd, args, why);
	absolute = path.len && *path.data == '/';
	if (!r && !absolute)
		r = add_part(&clean, cwd, "cwd", why);
	if (!r)
		r = add_part(&clean, path, "path", why);
	absolute = absolute || (cwd.len && *cwd.data == '/');
	if (r < 0 || !absolute || cleanpath_in(buf_str(&clean), projects))
		return r;
	buf_adds(&action, name);
	action_add(&action, clean.len ? buf_span(&clean) : span_of("/"));
	call_want(call, buf_span(&action),
		  span_of(*projects ? "" : "no --project is known"));
	return 0;
}
