/* SPDX-License-Identifier: ISC */
/* A path has each name that links give it, and no other. */

#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "workspace/reach.h"

/* Links as "PATH>TARGET", a blank behind each. */
static void add_all(struct reach *reach, const char *links)
{
	struct span rest = span_of(links);

	while (rest.len) {
		struct span link = span_cut(&rest, ' ');
		const struct span path = span_cut(&link, '>');
		char name[256];

		(void)snprintf(name, sizeof(name), "%.*s", (int)path.len,
			       path.data);
		reach_add(reach, name, link);
	}
	reach_settle(reach, "/root/project");
}

static bool is_wanted(void *context, const char *name)
{
	return !strcmp(context, name);
}

static bool has(const char *links, const char *path, const char *wanted)
{
	autoreach struct reach reach = { .links = NULL };
	char name[256];

	(void)snprintf(name, sizeof(name), "%s", wanted);
	add_all(&reach, links);
	return reach_any(&reach, path, is_wanted, name);
}

static void test_names(void)
{
	static const struct {
		const char *links, *path, *wanted;
		bool has;
	} rows[] = {
		{ ".c>conf", "conf/s", ".c/s", true },
		{ ".c>conf", "conf", ".c", true },
		{ ".c>conf", "confused/s", ".cused/s", false },
		{ ".c>conf", "other/s", ".c/s", false },
		{ ".c>conf", "conf/s", "conf/s", false },
		{ ".c>./conf//", "conf/s", ".c/s", true },
		{ "a/.c>../conf", "conf/s", "a/.c/s", true },
		{ "a/.c>conf", "conf/s", "a/.c/s", false },
		{ "a/.c>conf", "a/conf/s", "a/.c/s", true },
		{ ".c>/root/project/conf", "conf/s", ".c/s", true },
		{ ".c>/root/projects/conf", "conf/s", ".c/s", false },
		{ ".c>/root/project", "s", ".c/s", true },
		{ ".c>../conf", "conf/s", ".c/s", false },
		{ ".c>.", "w/s", ".c/w/s", true },
		{ ".c>.", "w/s", ".c/.c/w/s", false },
		/* By way of another link: at the end, on the way, above. */
		{ ".c>x x>conf", "conf/s", ".c/s", true },
		{ ".c>x/y x>conf", "conf/y/s", ".c/s", true },
		{ ".c>x/../y x>deep/er", "deep/y/s", ".c/s", true },
		{ ".c>x/../y x>deep/er", "y/s", ".c/s", false },
		{ ".c>cfg cfg/app>../data", "data/s", ".c/app/s", true },
		{ "1>2 2>3 3>4 4>5 5>6", "6/s", "1/s", true },
		/* One that leads to itself leads nowhere, and has an end. */
		{ ".c>.c", "s", ".c/s", false },
		{ ".c>x x>.c", "x/s", ".c/s", false },
		{ ".c>.c/x", "s", ".c/s", false },
		{ "a>. b>.", "w", "a/b/w", true },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char name[256];

		(void)snprintf(name, sizeof(name), "with %s %s is %s%s",
			       rows[i].links, rows[i].path,
			       rows[i].has ? "" : "not ", rows[i].wanted);
		ok(has(rows[i].links, rows[i].path, rows[i].wanted) ==
			   rows[i].has,
		   name);
	}
}

static void test_bounds(void)
{
	autoreach struct reach many = { .links = NULL };
	autoreach struct reach round = { .links = NULL };
	char path[32];
	size_t i;

	ok(!reach_any(NULL, "x", is_wanted, path), "nothing leads by nothing");
	for (i = 0; i < REACH_LINKS_MAX; i++) {
		(void)snprintf(path, sizeof(path), "l%zu", i);
		reach_add(&many, path, span_of("/nowhere"));
	}
	reach_settle(&many, "/root");
	(void)snprintf(path, sizeof(path), "never");
	ok(!many.many && !reach_any(&many, "x", is_wanted, path),
	   "as many links as are known are known");
	reach_add(&many, "one", span_of("/nowhere"));
	reach_settle(&many, "/root");
	ok(many.many && reach_any(&many, "x", is_wanted, path),
	   "with one more a path has every name");
	for (i = 0; i < 60; i++) {
		(void)snprintf(path, sizeof(path), "r%zu", i);
		reach_add(&round, path, span_of("."));
	}
	reach_settle(&round, "/root");
	(void)snprintf(path, sizeof(path), "never");
	ok(reach_any(&round, "x", is_wanted, path),
	   "and with more names than are tried as well");
}

int main(void)
{
	test_names();
	test_bounds();
	return tap_end();
}
