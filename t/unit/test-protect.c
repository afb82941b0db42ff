/* SPDX-License-Identifier: ISC */
/* Links that leave the project, and attributes that name drivers, by text. */

#include <string.h>

#include "tap.h"
#include "workspace/protect.h"

static void test_links(void)
{
	static const struct {
		const char *path, *target;
		bool out;
	} rows[] = {
		{ "link", "file", false },
		{ "link", "dir/../file", true },
		{ "link", ".", false },
		{ "link", "./a//b", false },
		{ "link", "..", true },
		{ "link", "../x", true },
		{ "a/link", "..", false },
		{ "a/link", "../b", false },
		{ "a/link", "../..", true },
		{ "a/b/link", "../../c", false },
		{ "a/b/link", "../../../c", true },
		{ "a/b/link", "./.././../c", false },
		{ "a/link", "b/../../x", true },
		{ "link", "/", true },
		{ "link", "/etc/passwd", true },
		{ "link", "", true },
		{ "link", ".git", true },
		{ "link", ".GIT/hooks", true },
		{ "a/link", "../.Git/config", true },
		{ "link", ".github", false },
		{ "link", "a.git", false },
		{ "link", "...", false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), "'%s' -> '%s' %s",
			       rows[i].path, rows[i].target,
			       rows[i].out ? "leads out" : "stays");
		ok(protect_leads_out(rows[i].path, span_of(rows[i].target)) ==
			   rows[i].out,
		   name);
	}
	ok(protect_leads_out("link", (struct span){ "a\0b", 3 }),
	   "a target that no link can have leads out");
}

static void test_drivers(void)
{
	static const struct {
		const char *text;
		bool has;
	} rows[] = {
		{ "", false },
		{ "*.c text eol=lf -diff\n", false },
		{ "*.c diff\n", false },
		{ "*.c merge\n", false },
		{ "*.c diff=", true },
		{ "*.bin filter=lfs", true },
		{ "*.c diff=cpp\n", true },
		{ "*.c merge=ours\n", true },
		{ "*.c -filter !diff -merge\n", false },
		{ "#*.c filter=x\n", false },
		{ "  \t# filter=x\n", false },
		{ "*.c filter=x", true },
		{ "\n\n*.c\tfilter=x\r\n", true },
		{ "*.c binary\n", false },
		{ "*.c mine\n", true },
		{ "[attr]mine filter=x\n", true },
		{ "*.c working-tree-encoding=utf-16\n", false },
		{ "filter=x text\n", false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(protect_has_drivers(span_of(rows[i].text)) == rows[i].has,
		   rows[i].has ? "a line that names a driver"
			       : "a line that names none");
}

static void test_words(void)
{
	unsigned int i;

	ok(!protect_word(PROTECT_NONE), "what is not protected has no word");
	for (i = PROTECT_NONE + 1; i <= PROTECT_REPOSITORY; i++)
		ok(protect_word((enum protect_reason)i) &&
			   *protect_word((enum protect_reason)i),
		   "each that is has one");
}

int main(void)
{
	test_links();
	test_drivers();
	test_words();
	return tap_end();
}
