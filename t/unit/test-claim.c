/* SPDX-License-Identifier: ISC */
/* What a copy printed is taken apart, and nothing of it is believed. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"
#include "scratch.h"
#include "tap.h"
#include "workspace/carried.h"
#include "workspace/claim.h"
#include "workspace/inside.h"
#include "workspace/look.h"
#include "workspace/space.h"

#define OLD "0123456789abcdef0123456789abcdef01234567"
#define NEW "ffffffffffffffffffffffffffffffffffffffff"
#define LONG "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define MAIN " refs/heads/main\n"
#define BEFORE OLD MAIN OLD " refs/tags/v1\n"

static struct space space;
static struct look look;
static struct why why;
static uint64_t left;

/* Reads @text, as it comes in pieces of @piece bytes. */
static int read_in(const char *text, size_t piece)
{
	autoclaim struct claim claim = CLAIM_NONE;
	autoclose int fd = open("pack", O_RDWR | O_CREAT | O_TRUNC, 0600);
	const struct carried none = CARRIED_NONE;
	const struct claim_against against = { &space, span_of(BEFORE), &none };
	struct span rest = span_of(text);
	int r = 0;

	look_drop(&look);
	claim.pack_fd = fd;
	claim.left = 8;
	while (rest.len && !r) {
		const size_t len = rest.len < piece ? rest.len : piece;

		r = claim_take(&claim, (struct span){ rest.data, len });
		rest = span_from(rest, len);
	}
	left = claim.left;
	return r ? r : claim_read(&claim, &look, &against, &why);
}

static bool has_tip(const char *id)
{
	return !strcmp(buf_str(&look.tip), id);
}

static bool has_other(size_t count, const char *name)
{
	return look.others.count == count &&
	       (!count || !strcmp(look.others.items[count - 1], name));
}

static bool is_packed(const char *bytes)
{
	autobuf struct buf pack = { 0 };
	struct why lost = { 0 };

	return !file_read_path(&pack, AT_FDCWD, "pack", BUF_MAX, &lost) &&
	       !strcmp(buf_str(&pack), bytes);
}

static void what_is_claimed_is_told(void)
{
	ok(!read_in(OLD "\n" OLD "\n" BEFORE "\n\n", 4096) && has_tip(OLD) &&
		   has_other(0, NULL) && !look.uncommitted && is_packed(""),
	   "nothing moved");
	ok(!read_in(NEW "\n" NEW "\n" NEW MAIN "\n\nPACKED", 4096) &&
		   has_tip(NEW) && has_other(0, NULL) && is_packed("PACKED"),
	   "a tip is its branch's, and its pack is kept");
	ok(!read_in(OLD "\n" OLD "\n" OLD MAIN NEW " refs/tags/v1\n" NEW
			" refs/heads/x\n\n\n",
		    4096) &&
		   has_other(2, "refs/heads/x") && look.moved.count == 2 &&
		   !strcmp(look.moved.items[1], NEW " refs/heads/x"),
	   "others are those that are new or moved, and where they are");
	ok(!read_in(OLD "\n" NEW "\n" BEFORE "\n\n", 4096) &&
		   has_other(1, "HEAD") && !look.moved.count,
	   "a HEAD that nothing else leads to is one");
	ok(!read_in(OLD "\n" OLD "\n" BEFORE "\n M a\n?? b\n?? !\n\n", 4096) &&
		   look.uncommitted == 3,
	   "files that are in no commit are counted");
}

static void pieces_make_no_difference(void)
{
	static const char text[] = NEW "\n" NEW "\n" NEW MAIN NEW
				       " refs/heads/x\n\n M a\n\nPACK\n\n!";
	bool same = true;
	size_t piece;

	for (piece = 1; piece <= sizeof(text); piece++)
		same &= !read_in(text, piece) && has_tip(NEW) &&
			has_other(1, "refs/heads/x") && look.uncommitted == 1 &&
			is_packed("PACK\n\n!") && left == 1;
	ok(same, "whatever their size");
}

static bool is_bad(const char *text)
{
	why = (struct why){ 0 };
	return read_in(text, 4096) == -EBADMSG && why.errnum == EBADMSG;
}

static void what_is_no_claim_is_refused(void)
{
	ok(is_bad("") && is_bad(OLD "\n" OLD "\n\n") && is_bad(OLD "\n" OLD),
	   "parts that are not there");
	ok(is_bad("\n\n") && is_bad("-\n-\n\n\n") && is_bad("main\n-\n\n\n") &&
		   is_bad(LONG "\n-\n\n\n") && is_bad("--help\n-\n\n\n"),
	   "a tip that is no commit of the project's kind");
	ok(is_bad(OLD "\n-\n\n!\n\n"), "files that git could not tell");
	ok(read_in(NEW "\n-\n\n\n123456789", 4096) == -EFBIG &&
		   read_in(NEW "\n-\n\n\n123456789", 1) == -EFBIG,
	   "a pack of more than was told");
	ok(!read_in(NEW "\n-\n\n\n12345678", 1), "and none of as much");
}

static void the_project_says_what_an_id_is(void)
{
	struct space was = space;

	space.sha256 = true;
	ok(!read_in(LONG "\n-\n\n\n", 4096) && has_tip(LONG) &&
		   is_bad(OLD "\n-\n\n\n"),
	   "of SHA-256");
	space = was;
	buf_reset(&space.head);
	ok(!read_in("-\n-\n\n\n", 4096) && has_tip(""), "no commit yet");
	buf_reset(&space.branch);
	ok(!read_in(OLD "\n" NEW "\n\n\n", 4096) && has_other(0, NULL),
	   "of a project without a branch HEAD is the tip");
	buf_adds(&space.branch, "refs/heads/main");
	buf_adds(&space.head, OLD);
}

/* Sixteen MiB are not to be sent for each: the last of them are. */
static void a_part_has_an_end(void)
{
	static const char line[] = OLD " refs/tags/x\n";
	autoclaim struct claim claim = CLAIM_NONE;
	int r = 0;

	while (!r)
		r = claim_take(&claim, span_of(line));
	ok(r == -EFBIG && claim.lines[CLAIM_REFS].len == INSIDE_LIST_MAX + 1,
	   "and is not kept beyond it");
	claim_drop(&claim);
	ok(!claim.lines[CLAIM_REFS].len && claim.pack_fd == -1, "good as new");
}

int main(void)
{
	scratch_enter();
	buf_adds(&space.branch, "refs/heads/main");
	buf_adds(&space.head, OLD);
	what_is_claimed_is_told();
	pieces_make_no_difference();
	what_is_no_claim_is_refused();
	the_project_says_what_an_id_is();
	a_part_has_an_end();
	look_drop(&look);
	ok(!look.tip.len && !look.others.count, "a look is good as new");
	space_drop(&space);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
