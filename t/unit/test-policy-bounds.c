/* SPDX-License-Identifier: ISC */
/* bounds: the narrower holds, both are said, and a file counts until its day */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/bounds.h"
#include "tap.h"

#define TODAY "2026-11-29"

struct tried {
	struct buf lines;
	struct why why;
	int result;
};

static void add(struct policy *policy, const char *file, const char *text,
		enum policy_layer layer)
{
	struct why why = { 0 };

	if (text && policy_add(policy, file, span_of(text), layer, NULL, &why))
		printf("# %s\n", why.text);
}

/* What comes of a project's, a person's and a ceiling's text; NULL: none. */
static struct tried try(const char *project, const char *own,
			const char *ceiling, enum holder holder)
{
	autopolicy struct policy policy = { 0 };
	struct tried tried = { .result = 1 };

	add(&policy, "p", project, POLICY_PROJECT);
	add(&policy, "o", own, POLICY_OPERATOR);
	add(&policy, "c", ceiling, POLICY_CEILING);
	tried.result =
		bounds_check(&policy, TODAY, holder, &tried.lines, &tried.why);
	return tried;
}

/* Whether just @lines are said. */
static bool says(const char *project, const char *own, const char *ceiling,
		 const char *lines)
{
	struct tried tried = try(project, own, ceiling, HOLDER_ALL);
	bool right = !tried.result && !strcmp(buf_str(&tried.lines), lines);

	if (!right)
		printf("# got %d: %s%s\n", tried.result, buf_str(&tried.lines),
		       tried.why.text);
	buf_drop(&tried.lines);
	return right;
}

static bool refuses(const char *project, const char *ceiling, const char *text)
{
	struct tried tried = try(project, NULL, ceiling, HOLDER_SPAWN);
	bool right = tried.result == -EINVAL && !strcmp(tried.why.text, text);

	if (!right)
		printf("# got %d: %s\n", tried.result, tried.why.text);
	buf_drop(&tried.lines);
	return right;
}

static void limits(void)
{
	ok(says("limit memory 8GiB\n", NULL, "\nlimit memory 4GiB\n",
		"p:1:1: limit memory 8GiB is above the 4GiB of c:2: 4GiB "
		"holds\n"),
	   "says both numbers of a limit above a ceiling's");
	ok(says("limit memory 4GiB\n", NULL, "limit memory 4096MiB\n", ""),
	   "compares amounts and not how they are written");
	ok(says("limit time none\n", NULL, "limit time 90s\n",
		"p:1:1: limit time none is above the 90s of c:1: 90s holds\n"),
	   "takes none for more than every number");
	ok(says("limit cpu-time 2m\n", NULL, "limit cpu-time 119\n",
		"p:1:1: limit cpu-time 2m is above the 119 of c:1: 119 "
		"holds\n"),
	   "reads a time as a time");
	ok(says("limit processes 50%\n", NULL,
		"limit processes 40%\nlimit processes 10\n",
		"p:1:1: limit processes 50% is above the 40% of c:1: 40% "
		"holds\n"),
	   "compares a part with a part alone");
	ok(says("limit files 90\n", NULL, "limit files 80\nlimit files 70\n",
		"p:1:1: limit files 90 is above the 70 of c:2: 70 holds\n"),
	   "names the narrowest of several bounds");
	ok(says("limit files 90\n", "limit files 80\n", NULL,
		"p:1:1: limit files 90 is above the 80 of o:1: 80 holds\n"),
	   "lets a project lower and not raise a limit of the person's");
	ok(says("limit files 80\n", "limit files 90\n", NULL, "") &&
		   says("net host\n", "net none\n", NULL, ""),
	   "bounds a project by nothing else of the person's");
}

static void others(void)
{
	struct tried tried;

	ok(says("net host\n", NULL, "net none\n",
		"p:1:1: net host is above the none of c:1: none holds\n"),
	   "compares networks");
	ok(says(NULL, "net filtered\n", "net host\n", "") &&
		   says(NULL, "net filtered\n", "net none\n",
			"o:1:1: net filtered is above the none of c:1: none "
			"holds\n"),
	   "has a filtered network between none and the host's");
	ok(says("driver auto\n", NULL, "driver namespaces\n",
		"p:1:1: driver auto is above the namespaces of c:1: namespaces "
		"holds\n") &&
		   says("driver landlock\n", NULL, "driver auto\n", ""),
	   "compares drivers");
	ok(says("subagents width 9 depth 3\n", NULL,
		"subagents width 6 depth 2\n",
		"p:1:1: subagents width 9 is above the 6 of c:1: 6 holds\n"
		"p:1:1: subagents depth 3 is above the 2 of c:1: 2 holds\n"),
	   "compares both numbers of subagents");
	ok(refuses("budget USD 10\n", "budget USD 5\n",
		   "p:1:1: budget USD 10 is above the 5 of c:1: nothing is "
		   "started"),
	   "refuses a budget above a ceiling's, with both numbers");
	ok(says("budget USD 5\n", NULL, "budget USD 5\n", ""),
	   "takes a budget at its ceiling");
	ok(says("sink dir /a\n", NULL, "sink dir /b\n", ""),
	   "compares no sinks");
	tried = try("net host\nsubagents width 9 depth 1\n", NULL,
		    "net none\nsubagents width 6 depth 6\n", HOLDER_EVAL);
	ok(!strncmp(buf_str(&tried.lines), "p:2:1: subagents width", 22) &&
		   !strstr(buf_str(&tried.lines), "net"),
	   "tells who asks of what it holds");
	buf_drop(&tried.lines);
}

static void days(void)
{
	ok(says("expires 2026-11-29\n", NULL, NULL, ""),
	   "goes by a policy on its last day");
	ok(refuses("\nexpires 2026-11-28\n", NULL,
		   "p:2:1: this policy expired after 2026-11-28, and nothing "
		   "is granted by it"),
	   "does not on the day after");
	ok(says(NULL, NULL, "expires 2026-11-28\nnet none\n",
		"c:1:1: this ceiling expired after 2026-11-28, and binds "
		"nevertheless\n"),
	   "goes by an expired ceiling, and says so");
	ok(says("net host\n", NULL, "expires 2000-01-01\nnet none\n",
		"p:1:1: net host is above the none of c:2: none holds\n"
		"c:1:1: this ceiling expired after 2000-01-01, and binds "
		"nevertheless\n"),
	   "bounds by an expired ceiling");
}

int main(void)
{
	limits();
	others();
	days();
	return tap_end();
}
