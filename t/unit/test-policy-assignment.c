/* SPDX-License-Identifier: ISC */
/* assignment: what an env statement sets, and where a path stands in it */

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/assignment.h"
#include "tap.h"

static bool sets(const char *word, const char *text)
{
	autobuf struct buf got = { 0 };
	struct why why = { 0 };

	return !assignment_fault(word) &&
	       !assignment_expand(&got, word, "/home/u", "/p", &why) &&
	       !strcmp(buf_str(&got), text);
}

static bool wants(const char *word, const char *what)
{
	autobuf struct buf got = { 0 };
	struct why why = { 0 };

	return !assignment_fault(word) &&
	       assignment_expand(&got, word, NULL, NULL, &why) == -EINVAL &&
	       strstr(why.text, what);
}

static bool wrong(const char *word, const char *fault)
{
	const char *got = assignment_fault(word);

	return got && !strcmp(got, fault);
}

int main(void)
{
	ok(sets("A=b c", "A=b c") && sets("A=", "A=") && sets("A=:", "A=:"),
	   "takes a value as it stands");
	ok(sets("A=~/x", "A=/home/u/x") && sets("A=~", "A=/home/u"),
	   "puts the home directory in for a leading ~");
	ok(sets("A=@project@/x:@project@", "A=/p/x:/p"),
	   "puts the project in for @project@");
	ok(sets("PATH=/b:~/b:/c:~:", "PATH=/b:/home/u/b:/c:/home/u:"),
	   "does so behind every colon");
	ok(sets("A=x~/y:~u/z:-I~/i:@projects@", "A=x~/y:~u/z:-I~/i:@projects@"),
	   "leaves a ~ elsewhere, and other names, as they are");
	ok(sets("A=..:/x/../y", "A=..:/x/../y"),
	   "leaves what is no path of these as it is");
	ok(sets("A=B=~/x", "A=B=~/x"), "knows one '=' only");
	ok(wants("A=~/x", "home directory") &&
		   wants("A=x:@project@", "project"),
	   "refuses what is not there to be put in");
	ok(sets("A=x", "A=x") && wrong("=x", "not NAME=VALUE") &&
		   wrong("A", "not NAME=VALUE") &&
		   wrong("1A=x", "not NAME=VALUE") &&
		   wrong("A-B=x", "not NAME=VALUE") &&
		   wrong("", "not NAME=VALUE"),
	   "refuses what is no assignment");
	ok(wrong("A=~/../x", "a path with '.' or '..' in it") &&
		   wrong("A=x:~/.", "a path with '.' or '..' in it"),
	   "refuses '..' in a path of these");
	return tap_end();
}
