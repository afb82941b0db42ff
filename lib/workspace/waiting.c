/* SPDX-License-Identifier: ISC */
#include "workspace/waiting.h"

#include <string.h>

#include "base/auto.h"
#include "base/why.h"
#include "workspace/also.h"
#include "workspace/git.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/refs.h"

static int settle(const struct git *git, int r, struct why *why)
{
	return git_settle(git, r, "list what waits in the project", why);
}

/* The references of sessions, "ID REF" a line, with the commit of a tag. */
static int list_refs(struct names *lines, const struct project *project,
		     struct why *why)
{
	static const char format[] =
		"--format=%(if)%(*objectname)%(then)%(*objectname)%(else)"
		"%(objectname)%(end) %(refname)";
	static const char *const list[] = {
		"for-each-ref", format, REFS_PARKED, ALSO_PARKED, NULL,
	};
	struct git git = project_git(project);
	autobuf struct buf out = { 0 };
	int r = settle(&git, git_read(&git, list, &out, why), why);

	names_split(lines, buf_span(&out), '\n');
	return r;
}

/* Of the commits that @lines begin with, and of all that lead to them, those
 * that no branch leads to. */
static int list_commits(struct names *commits, const struct names *lines,
			const struct project *project, struct why *why)
{
	static const char *const list[] = { "rev-list", "--stdin", "--not",
					    "--branches", NULL };
	struct git git = project_git(project);
	autobuf struct buf in = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;
	int r;

	for (i = 0; i < lines->count; i++)
		buf_addf(&in, "%.*s\n", (int)strcspn(lines->items[i], " "),
			 lines->items[i]);
	r = settle(&git, git_filter(&git, list, buf_span(&in), &out, why), why);
	names_split(commits, buf_span(&out), '\n');
	names_tidy(commits);
	return r;
}

int waiting_find(struct names *refs, const struct project *project,
		 struct why *why)
{
	autonames struct names lines = { 0 };
	autonames struct names commits = { 0 };
	size_t i;
	int r = list_refs(&lines, project, why);

	if (r < 0 || !lines.count)
		return r;
	r = list_commits(&commits, &lines, project, why);
	for (i = 0; !r && i < lines.count; i++) {
		char *ref = strchr(lines.items[i], ' ');

		if (!ref)
			continue;
		*ref++ = '\0';
		if (names_has(&commits, lines.items[i]))
			names_add(refs, span_of(ref));
	}
	names_tidy(refs);
	return r;
}

int waiting_all(struct names *refs, const struct project *project,
		struct why *why)
{
	autonames struct names lines = { 0 };
	size_t i;
	int r = list_refs(&lines, project, why);

	for (i = 0; !r && i < lines.count; i++)
		names_add(refs, span_from(span_of(lines.items[i]),
					  strcspn(lines.items[i], " ") + 1));
	return r;
}

struct span waiting_session(const char *ref)
{
	struct span rest = span_of(ref);

	if (span_starts(rest, REFS_PARKED))
		rest = span_from(rest, strlen(REFS_PARKED));
	else if (span_starts(rest, ALSO_PARKED))
		rest = span_from(rest, strlen(ALSO_PARKED));
	else
		return (struct span){ NULL, 0 };
	return span_cut(&rest, '/');
}
