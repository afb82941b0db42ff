/* SPDX-License-Identifier: ISC */
/*
 * The reader of what git printed in the sandbox of a hostile copy.
 *
 * The first byte of the input is what the project is and how much is taken at
 * once, up to a byte 31 are the references from before, and then comes what was
 * printed.  It is read at once and in pieces, and must come to the same.
 */

#include "workspace/claim.h"

#include <errno.h>
#include <fcntl.h>

#include "base/auto.h"
#include "base/why.h"
#include "fuzz.h"
#include "workspace/carried.h"
#include "workspace/git.h"
#include "workspace/inside.h"
#include "workspace/look.h"
#include "workspace/space.h"

#define ID "0123456789abcdef0123456789abcdef01234567"

/* What the first byte says. */
#define HAS_BRANCH 1
#define HAS_HEAD 2
#define IS_SHA256 4
#define SMALL_PACK 8
#define PIECE_SHIFT 4

#define SMALL 16
#define LARGE 65536

struct came {
	struct look look;
	uint64_t left;
	int r;
};

static void make_space(struct space *space, uint8_t flags)
{
	space->sha256 = flags & IS_SHA256;
	if (flags & HAS_BRANCH)
		buf_adds(&space->branch, "refs/heads/main");
	if (flags & HAS_HEAD)
		buf_adds(&space->head, ID);
}

static void read_in(struct came *came, const struct space *space,
		    struct span before, struct span printed, size_t piece)
{
	autoclaim struct claim claim = CLAIM_NONE;
	autoclose int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct carried none = CARRIED_NONE;
	const struct claim_against against = { space, before, &none };
	struct why why = { 0 };

	claim.pack_fd = fd;
	claim.left = came->left;
	while (printed.len && !came->r) {
		const size_t len = printed.len < piece ? printed.len : piece;

		came->r =
			claim_take(&claim, (struct span){ printed.data, len });
		printed = span_from(printed, len);
	}
	bug_if(came->r && came->r != -EFBIG);
	bug_if(claim.lines[CLAIM_REFS].len > INSIDE_LIST_MAX + 1 ||
	       claim.lines[CLAIM_FILES].len > INSIDE_LIST_MAX + 1);
	if (!came->r) {
		came->r = claim_read(&claim, &came->look, &against, &why);
		bug_if(came->r && came->r != -EBADMSG);
		bug_if(came->r && (!*why.text || why.errnum != -came->r));
		bug_if(!came->r && claim.part != CLAIM_PACK);
	}
	bug_if(claim.left > came->left);
	came->left = claim.left;
}

static size_t count(struct span text, char byte)
{
	size_t i, found = 0;

	for (i = 0; i < text.len; i++)
		found += text.data[i] == byte;
	return found;
}

static void check(const struct look *look, const struct space *space,
		  struct span printed)
{
	const size_t lines = count(printed, '\n');
	size_t i;

	bug_if(look->tip.len ? !git_is_id(buf_span(&look->tip)) ||
				       (look->tip.len == 64) != space->sha256
			     : space->head.len > 0);
	bug_if(look->uncommitted > lines || look->others.count > lines ||
	       look->moved.count > look->others.count);
	for (i = 0; i < look->others.count; i++)
		bug_if(strchr(look->others.items[i], '\n') ||
		       (space->branch.len && !strcmp(look->others.items[i],
						     buf_str(&space->branch))));
}

static void same(const struct came *one, const struct came *two)
{
	size_t i;

	bug_if(one->r != two->r);
	if (one->r)
		return;
	bug_if(one->left != two->left);
	bug_if(!span_equal(buf_span(&one->look.tip), buf_span(&two->look.tip)));
	bug_if(one->look.uncommitted != two->look.uncommitted);
	bug_if(one->look.others.count != two->look.others.count);
	for (i = 0; i < one->look.others.count; i++)
		bug_if(strcmp(one->look.others.items[i],
			      two->look.others.items[i]) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t flags = size ? data[0] : 0;
	const uint64_t left = flags & SMALL_PACK ? SMALL : LARGE;
	struct span rest = { (const char *)data + !!size, size - !!size };
	const struct span before = fuzz_part(&rest, 31);
	struct came whole = { .left = left }, pieces = { .left = left };
	autospace struct space space = { 0 };

	make_space(&space, flags);
	read_in(&whole, &space, before, rest, size + 1);
	read_in(&pieces, &space, before, rest,
		(size_t)(flags >> PIECE_SHIFT) + 1);
	same(&whole, &pieces);
	if (!whole.r)
		check(&whole.look, &space, rest);
	look_drop(&whole.look);
	look_drop(&pieces.look);
	return 0;
}
