/* SPDX-License-Identifier: ISC */
#include "workspace/claim.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/why.h"
#include "workspace/carried.h"
#include "workspace/git.h"
#include "workspace/inside.h"
#include "workspace/look.h"
#include "workspace/names.h"
#include "workspace/space.h"

/* Takes what belongs to a part of lines; how much of @bytes that is. */
static size_t take_lines(struct claim *claim, struct span bytes)
{
	struct buf *lines = &claim->lines[claim->part];
	size_t i;

	for (i = 0; i < bytes.len && lines->len <= INSIDE_LIST_MAX; i++) {
		buf_addc(lines, bytes.data[i]);
		if (bytes.data[i] != '\n')
			continue;
		if (lines->len == claim->line + 1) {
			claim->line = 0;
			claim->part++;
			return i + 1;
		}
		claim->line = lines->len;
	}
	return i;
}

int claim_take(void *context, struct span bytes)
{
	struct claim *claim = context;

	while (bytes.len && claim->part < CLAIM_PACK) {
		const enum claim_part part = claim->part;

		bytes = span_from(bytes, take_lines(claim, bytes));
		if (claim->lines[part].len > INSIDE_LIST_MAX ||
		    claim->lines[part].full)
			return -EFBIG;
	}
	if (bytes.len > claim->left)
		return -EFBIG;
	claim->left -= bytes.len;
	return file_write(claim->pack_fd, bytes);
}

int claim_refuse(struct why *why)
{
	return why_set(why, EBADMSG, "git cannot read the copy's repository");
}

/* ---- what it said -------------------------------------------------------- */

static bool has_id(const struct names *refs, struct span id)
{
	size_t i;

	for (i = 0; i < refs->count; i++)
		if (!strncmp(refs->items[i], id.data, id.len))
			return true;
	return false;
}

static int take_tip(struct look *look, const struct space *space,
		    struct span tip, struct why *why)
{
	const char *branch = buf_str(&space->branch);

	if (span_is(tip, "-") && !space->head.len)
		return 0;
	if (!git_is_id(tip) || (tip.len == 64) != space->sha256)
		return why_set(why, EBADMSG, "the copy's '%s' is no commit",
			       *branch ? branch : "HEAD");
	buf_add(&look->tip, tip);
	return 0;
}

/* A commit to which nothing but a detached HEAD leads is work as well. */
static void take_others(struct look *look, const struct space *space,
			struct span head, const struct names *is,
			struct span before)
{
	autonames struct names was = { 0 };
	size_t i;

	names_split(&was, before, '\n');
	names_tidy(&was);
	for (i = 0; i < is->count; i++) {
		const char *name = strchr(is->items[i], ' ');

		if (!name || !strcmp(name + 1, buf_str(&space->branch)) ||
		    names_has(&was, is->items[i]))
			continue;
		names_add(&look->others, span_of(name + 1));
		names_add(&look->moved, span_of(is->items[i]));
	}
	if (space->branch.len && git_is_id(head) && !has_id(&was, head) &&
	    !has_id(is, head))
		names_add(&look->others, span_of("HEAD"));
}

/* Whether the line "XY PATH" of git-status(1), with NULs for its newlines, is
 * of a file that was in no commit when the session began, and is as it was. */
static bool was_carried(const struct carried *carried, struct span line)
{
	autobuf struct buf path = { 0 };
	size_t i;

	if (line.len < 4 || carried->copy_fd < 0)
		return false;
	for (i = 3; i < line.len; i++)
		buf_addc(&path, line.data[i] ? line.data[i] : '\n');
	return carried_has(carried, buf_str(&path));
}

static int take_files(struct look *look, const struct carried *carried,
		      struct span lines, struct why *why)
{
	while (lines.len > 1) {
		const struct span line = span_cut(&lines, '\n');

		if (span_is(line, "!"))
			return claim_refuse(why);
		if (!was_carried(carried, line))
			look->uncommitted++;
	}
	return 0;
}

/* The empty line at the end of each part is there. */
int claim_read(const struct claim *claim, struct look *look,
	       const struct claim_against *against, struct why *why)
{
	const struct space *space = against->space;
	struct span refs = buf_span(&claim->lines[CLAIM_REFS]);
	autonames struct names is = { 0 };
	const struct span tip = span_cut(&refs, '\n');
	const struct span head = span_cut(&refs, '\n');
	int r = claim->part < CLAIM_PACK ? claim_refuse(why)
					 : take_tip(look, space, tip, why);

	if (!r)
		r = take_files(look, against->carried,
			       buf_span(&claim->lines[CLAIM_FILES]), why);
	if (r < 0)
		return r;
	names_split(&is,
		    (struct span){ refs.data, refs.len ? refs.len - 1 : 0 },
		    '\n');
	take_others(look, space, head, &is, against->refs);
	return 0;
}

void claim_drop(struct claim *claim)
{
	size_t i;

	for (i = 0; i < CLAIM_PACK; i++)
		buf_drop(&claim->lines[i]);
	*claim = CLAIM_NONE;
}
