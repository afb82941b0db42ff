/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/buf.h"
#include "base/flatname.h"
#include "tap.h"

static bool is_named(const char *path, const char *name)
{
	autobuf struct buf made = { 0 };
	autobuf struct buf back = { 0 };

	flatname_add(&made, span_of(path));
	return !strcmp(buf_str(&made), name) &&
	       !flatname_path(&back, buf_span(&made)) &&
	       !strcmp(buf_str(&back), path);
}

static void a_path_has_one_name(void)
{
	ok(is_named(".cache/pip", "%2Ecache%2Fpip"), "a path");
	ok(is_named("a.b_c-d", "a.b_c-d"), "what stands for itself");
	ok(is_named("-a", "%2Da") && is_named("_", "%5F"), "not at first");
	ok(is_named("%2E", "%252E"), "what looks like a name of another");
	ok(is_named("..", "%2E."), "what leads up");
	ok(is_named("\xff\n ", "%FF%0A%20"), "any byte");
}

/* All bytes, at the beginning and behind it, come back as they were. */
static void each_byte_comes_back(void)
{
	bool same = true, fits = true;
	int first, second;

	for (first = 1; first <= UCHAR_MAX; first++)
		for (second = 1; second <= UCHAR_MAX; second++) {
			const char path[2] = { (char)first, (char)second };
			autobuf struct buf name = { 0 };
			autobuf struct buf back = { 0 };

			flatname_add(&name, (struct span){ path, 2 });
			fits &= name.len <= 6 && *buf_str(&name) != '.' &&
				!strchr(buf_str(&name), '/');
			same &= !flatname_path(&back, buf_span(&name)) &&
				back.len == 2 &&
				!memcmp(buf_str(&back), path, 2);
		}
	ok(same, "each byte comes back");
	ok(fits, "no name has a slash, is hidden, or has more than thrice");
	ok(3 * FLATNAME_PATH_MAX <= NAME_MAX, "the longest path has a name");
}

static bool is_none(const char *name)
{
	autobuf struct buf path = { 0 };

	buf_adds(&path, "x");
	return flatname_path(&path, span_of(name)) == -EINVAL && path.len == 1;
}

static void a_name_is_of_one_path(void)
{
	ok(is_none(""), "nothing is of none");
	ok(is_none("%") && is_none("%2") && is_none("a%"), "what is cut off");
	ok(is_none("%2e") && is_none("%GG") && is_none("%+1"), "no digits");
	ok(is_none("%61") && is_none("a%2E"), "what needs no %");
	ok(is_none("%00"), "a NUL");
	ok(is_none(".a") && is_none("a/b") && is_none("a b"), "what needs one");
}

int main(void)
{
	a_path_has_one_name();
	each_byte_comes_back();
	a_name_is_of_one_path();
	return tap_end();
}
