/* SPDX-License-Identifier: ISC */
/* denial: rows of who was refused what, bounded, and fit to be shown */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "record/json.h"
#include "spec/denial.h"
#include "tap.h"

static struct denials denials;

static struct denial made(int call, const char *program)
{
	struct denial denial = { .call = call, .pid = 7 };

	denial_plain(denial.program, sizeof(denial.program), program,
		     strlen(program));
	return denial;
}

static bool reports(const char *text)
{
	autobuf struct buf line = { 0 };

	json_open(&line);
	json_open_array(&line, "denials");
	denials_report(&line, &denials);
	json_close_array(&line);
	json_close(&line);
	if (strstr(buf_str(&line), text))
		return true;
	printf("# %s\n", buf_str(&line));
	return false;
}

static void counts(void)
{
	struct denial a = made(0, "a");
	struct denial b = made(1, "a");
	struct denial c = made(0, "c");

	(void)denials_note(&denials, &a);
	(void)denials_note(&denials, &b);
	c.pid = 9;
	(void)denials_note(&denials, &c);
	a.pid = 8;
	ok(denials_note(&denials, &a) == &denials.rows[0] &&
		   denials.count == 3 && denials.rows[0].count == 2 &&
		   denials.rows[1].count == 1,
	   "counts a call by a program in one row");
	ok(denials.rows[0].pid == 7 && denials_of(&denials, 9) &&
		   !denials_of(&denials, 8),
	   "a row is of the first process that made it");
	ok(reports("{\"layer\":\"seccomp\",\"call\":\"read\",\"program\":\"a\","
		   "\"pid\":7,\"count\":2}"),
	   "the report has each row");
}

static void is_bounded(void)
{
	struct denial denial;
	bool left_out = true;
	char name[8];
	int i;

	for (i = 0; i < 2 * DENIALS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "x%d", i);
		denial = made(2, name);
		if (!denials_note(&denials, &denial))
			left_out = left_out && i >= DENIALS_MAX - 3;
	}
	ok(denials.count == DENIALS_MAX && left_out &&
		   denials.left_out == DENIALS_MAX + 3,
	   "what does not fit is counted");
	ok(reports("{\"layer\":\"seccomp\",\"left_out\":35}"),
	   "and the report says how many those are");
}

static void is_plain(void)
{
	char text[8];

	denial_plain(text, sizeof(text), "a\n\033\177\377b", 6);
	ok(!strcmp(text, "a????b"), "shows no control byte");
	denial_plain(text, sizeof(text), "/usr/bin/gdb", 12);
	ok(!strcmp(text, "bin/gdb"), "keeps the end of what is long");
	denial_plain(text, sizeof(text), "", 0);
	ok(!*text, "and nothing of nothing");
}

static void has_a_program(void)
{
	struct denial denial = made(-1, "");

	ok(!strcmp(denial_program(&denial), "a program") &&
		   !*denial_call(&denial),
	   "says that it knows no name");
	denial_plain(denial.path, sizeof(denial.path), "/bin/x", 6);
	ok(!strcmp(denial_program(&denial), "/bin/x"), "a path is one");
}

int main(void)
{
	counts();
	is_bounded();
	is_plain();
	has_a_program();
	return tap_end();
}
