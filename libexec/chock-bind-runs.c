/* SPDX-License-Identifier: ISC */
/* chock-bind list - which of the project's files run later on the host */
#include <string.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-bind.h"

static void find(struct reach *reach, const struct bind_place *place)
{
	const char *project = buf_str(&place->space.project);
	struct why why = { 0 };
	int r = reach_find_git(reach, project, &why);

	if (r < 0)
		die_why(&why);
	r = reach_find_dir(reach, place->root_fd);
	if (r < 0)
		die(EXIT_SYSTEM, "cannot look for links in '%s': %s", project,
		    strerror(-r));
	reach_settle(reach, project);
}

bool bind_runs_later(struct bind_runs *runs, const struct bind_place *place,
		     const char *path)
{
	struct effect_change change = {
		.status = 'M',
		.path = path,
		.mode = EFFECT_FILE,
	};
	struct effect effect = { .changes = &change, .change_count = 1 };

	if (!runs->found)
		find(&runs->reach, place);
	runs->found = true;
	rules_mark(&effect, runs->rules, &runs->reach);
	return change.protect || change.policy;
}
