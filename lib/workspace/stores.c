/* SPDX-License-Identifier: ISC */
#include "workspace/stores.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/project.h"
#include "workspace/quote.h"

static int add_store(struct names *stores, const char *path, struct why *why)
{
	autofree char *real = realpath(path, NULL);

	if (!real)
		return why_sys(why, errno, "cannot find the objects in '%s'",
			       path);
	names_add(stores, span_of(real));
	return 0;
}

/* git itself follows the list of stores, so that we read it as it does. */
static int add_borrowed(struct project *p, struct why *why)
{
	static const char *const count[] = { "count-objects", "-v", NULL };
	static const char mark[] = "alternate: ";
	autobuf struct buf out = { 0 };
	autonames struct names lines = { 0 };
	struct git git = project_git(p);
	int r = git_read(&git, count, &out, why);
	size_t i;

	r = git_settle(&git, r, "list the project's object stores", why);
	names_split(&lines, buf_span(&out), '\n');
	for (i = 0; !r && i < lines.count; i++) {
		autobuf struct buf path = { 0 };

		if (strncmp(lines.items[i], mark, sizeof(mark) - 1) != 0)
			continue;
		if (quote_c_read(&path, span_of(lines.items[i] + sizeof(mark) -
						1)) < 0)
			return why_set(why, EINVAL,
				       "cannot use '%s': it borrows objects "
				       "from a place with a name that cannot "
				       "be read",
				       buf_str(&p->root));
		r = add_store(&p->stores, buf_str(&path), why);
	}
	return r;
}

int stores_find(struct project *p, struct why *why)
{
	autofree char *own = alloc_text("%s/objects", buf_str(&p->common_dir));
	autofree char *list = alloc_text("%s/info/alternates", own);
	int r = add_store(&p->stores, own, why);

	if (!r && !access(list, F_OK))
		r = add_borrowed(p, why);
	return r;
}
