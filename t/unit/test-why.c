/* SPDX-License-Identifier: ISC */
/* A reason is one sentence, is never cut away by what it quotes. */

#include <errno.h>
#include <string.h>

#include "base/why.h"
#include "tap.h"

static void test_set(void)
{
	struct why why = { 0 };

	ok(why_set(&why, EBADMSG, "line %d", 3) == -EBADMSG &&
		   why.errnum == EBADMSG && !strcmp(why.text, "line 3"),
	   "a reason is set and its errno handed back");
	ok(why_sys(&why, ENOENT, "cannot open '%s'", "x") == -ENOENT &&
		   !strcmp(why.text,
			   "cannot open 'x': No such file or directory"),
	   "the system's words come behind");
	ok(why_within(&why, "while %s", "reading") == -ENOENT &&
		   !strcmp(why.text, "while reading: cannot open 'x': "
				     "No such file or directory"),
	   "what was being done comes in front");
}

static void test_own(void)
{
	struct why why = { 0 };

	(void)why_sys(&why, ENOENT, "cannot open 'x'");
	ok(why_set(&why, EIO, "it is so: %s; go on", why.text) == -EIO &&
		   !strcmp(why.text, "it is so: cannot open 'x': No such file "
				     "or directory; go on"),
	   "its own words may be among those of a reason");
	(void)why_set(&why, EPERM, "no");
	ok(why_behind(&why, " (see %s)", "there") == -EPERM &&
		   !strcmp(why.text, "no (see there)"),
	   "words come behind");
}

static void test_long(void)
{
	char name[2 * WHY_TEXT_MAX];
	struct why why = { 0 };

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)why_sys(&why, ENOENT, "cannot open '%s'", name);
	ok(strlen(why.text) == WHY_TEXT_MAX - 1 &&
		   strstr(why.text, "n: No such file or directory"),
	   "a long name does not push the reason out");
	(void)why_within(&why, "'%s'", name);
	ok(strlen(why.text) < WHY_TEXT_MAX &&
		   strstr(why.text, "n: cannot open 'n"),
	   "nor does a long context, which keeps half the room");
	name[WHY_TEXT_MAX - 12] = '\0';
	(void)why_set(&why, ENOENT, "%s", name);
	(void)why_within(&why, "in '%s'", "here");
	ok(strlen(why.text) == strlen("in 'here': ") + strlen(name),
	   "a short context leaves all the rest to the reason");
	memset(why.text, 'n', sizeof(why.text) - 1);
	why.text[sizeof(why.text) - 1] = '\0';
	(void)why_behind(&why, " (see %s)", "there");
	ok(strlen(why.text) == WHY_TEXT_MAX - 1 &&
		   strstr(why.text, "n (see there)"),
	   "and words behind a long reason are there");
}

int main(void)
{
	test_set();
	test_own();
	test_long();
	return tap_end();
}
