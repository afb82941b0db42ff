/* SPDX-License-Identifier: ISC */
#include "workspace/look.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"
#include "workspace/among.h"
#include "workspace/breadth.h"
#include "workspace/carried.h"

/*
 * What runs inside, with the words of a git behind the first four.  It prints
 * two parts of lines, each with an empty line behind it, and then the pack:
 *
 *	the tip, or "-"; the commit of HEAD, or "-"; each reference
 *	each file of git-status(1), with NULs for its newlines; "!": it failed
 *
 * A small tree can stand for more files than git-status(1) has memory for.
 *
 * With "among" its input names the places at which files may differ from those
 * that the session began with, and else they differ where the index has another
 * entry than that commit or HEAD has; of all other files there is nothing to
 * find out.  A path that no git takes says that these could not be listed.
 */
static const char script[] =
	"from=$1 branch=$2 most=$3 which=$4\n"
	"shift 4\n"
	"status='status --porcelain=v1 -z --no-renames"
	" --ignore-submodules=dirty --untracked-files=all'\n"
	"staged() {\n"
	"of=$1\n"
	"shift\n"
	"\"$@\" diff-index --cached --name-only -z --no-renames"
	" --ignore-submodules=dirty \"$of\" -- || printf '/\\0'\n"
	"}\n"
	"places() {\n"
	"cat\n"
	"staged \"$from\" \"$@\"\n"
	"[ \"$head\" = \"$from\" ] || staged \"$head\" \"$@\"\n"
	"}\n"
	"tip=$(\"$@\" rev-parse -q --verify --end-of-options"
	" \"$branch^{commit}\") || tip=\n"
	"head=$(\"$@\" rev-parse -q --verify 'HEAD^{commit}') || head=\n"
	"printf '%s\\n%s\\n' \"${tip:--}\" \"${head:--}\"\n"
	"\"$@\" for-each-ref --format='%(objectname) %(refname)' || exit 101\n"
	"echo\n"
	"[ -z \"$head\" ] || [ \"$head\" = \"$from\" ] ||"
	" [ \"$(\"$@\" ls-tree -r -z --name-only --full-tree \"$head\" |"
	" tr -cd '\\0' | head -c $((most + 1)) | wc -c)\" -le \"$most\" ] ||"
	" exit 103\n"
	"if [ \"$which\" = among ] && [ -n \"$head\" ]\n"
	"then places \"$@\" |"
	" xargs -0 -r \"$@\" --literal-pathspecs $status -- || printf '!\\0'\n"
	"else \"$@\" $status || printf '!\\0'\n"
	"fi | tr '\\0\\n' '\\n\\0'\n"
	"echo\n"
	"[ -n \"$tip\" ] && [ \"$tip\" != \"$from\" ] || exit 0\n"
	"printf '%s\\n' \"$tip\" ${from:+\"^$from\"} |"
	" \"$@\" pack-objects --revs --stdout -q --no-thin || exit 102\n";

#define NO_PACK 102
#define TOO_BROAD 103

enum part { PART_REFS, PART_FILES, PART_PACK };

/* What was taken of the output so far. */
struct taking {
	enum part part;
	struct buf lines[PART_PACK];
	size_t line; /* where the line that is taken began */
	int pack_fd; /* borrowed */
	uint64_t left;
};

/* Takes what belongs to a part of lines; how much of @bytes that is. */
static size_t take_lines(struct taking *taking, struct span bytes)
{
	struct buf *lines = &taking->lines[taking->part];
	size_t i;

	for (i = 0; i < bytes.len && lines->len <= INSIDE_LIST_MAX; i++) {
		buf_addc(lines, bytes.data[i]);
		if (bytes.data[i] != '\n')
			continue;
		if (lines->len == taking->line + 1) {
			taking->line = 0;
			taking->part++;
			return i + 1;
		}
		taking->line = lines->len;
	}
	return i;
}

static int take(void *context, struct span bytes)
{
	struct taking *taking = context;

	while (bytes.len && taking->part < PART_PACK) {
		const enum part part = taking->part;

		bytes = span_from(bytes, take_lines(taking, bytes));
		if (taking->lines[part].len > INSIDE_LIST_MAX ||
		    taking->lines[part].full)
			return -EFBIG;
	}
	if (bytes.len > taking->left)
		return -EFBIG;
	taking->left -= bytes.len;
	return file_write(taking->pack_fd, bytes);
}

static int cannot_read(struct why *why)
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
static int take_others(struct look *look, const struct space *space,
		       struct span head, const struct names *is,
		       struct why *why)
{
	autofree char *path = alloc_text("%s/refs", space->dir);
	autobuf struct buf before = { 0 };
	autonames struct names was = { 0 };
	size_t i;
	int r = file_read_path(&before, AT_FDCWD, path, BUF_MAX, why);

	if (r < 0)
		return r;
	names_split(&was, buf_span(&before), '\n');
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
	return 0;
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

static int take_files(struct look *look, const struct space *space,
		      struct span lines, struct why *why)
{
	autocarried struct carried carried = CARRIED_NONE;
	int r = carried_open(&carried, space, why);

	while (!r && lines.len > 1) {
		const struct span line = span_cut(&lines, '\n');

		if (span_is(line, "!"))
			r = cannot_read(why);
		else if (!was_carried(&carried, line))
			look->uncommitted++;
	}
	return r;
}

/* The empty line at the end of each part is there. */
static int take_parts(struct look *look, const struct taking *taking,
		      const struct space *space, struct why *why)
{
	struct span refs = buf_span(&taking->lines[PART_REFS]);
	autonames struct names is = { 0 };
	const struct span tip = span_cut(&refs, '\n');
	const struct span head = span_cut(&refs, '\n');
	int r = take_tip(look, space, tip, why);

	names_split(&is,
		    (struct span){ refs.data, refs.len ? refs.len - 1 : 0 },
		    '\n');
	if (!r)
		r = take_files(look, space,
			       buf_span(&taking->lines[PART_FILES]), why);
	return r < 0 ? r : take_others(look, space, head, &is, why);
}

/* ---- asking it ----------------------------------------------------------- */

static int ask(struct taking *taking, const struct inside *inside,
	       struct why *why)
{
	const struct space *space = inside->space;
	autofree char *most = alloc_text("%zu", BREADTH_PATHS_MAX);
	autobuf struct buf paths = { 0 };
	const bool among = space->below.len && among_find(&paths, space);
	const char *const first[] = { "sh",
				      "-c",
				      script,
				      "look",
				      buf_str(&space->head),
				      space->branch.len
					      ? buf_str(&space->branch)
					      : "HEAD",
				      most,
				      among ? "among" : "all",
				      NULL };
	const struct sink sink = { .put = take,
				   .context = taking,
				   .max = UINT64_MAX };
	autonames struct names words = { 0 };
	autoprogress struct progress progress = { 0 };

	progress_begin(&progress, "looking at what the session left");
	names_words(&words, first);
	inside_git_words(&words, inside);
	return inside_run(inside, &words,
			  among ? buf_span(&paths) : (struct span){ 0 }, &sink,
			  why);
}

static int open_pack(const char *path, struct why *why)
{
	int fd;

	if (unlink(path) < 0 && errno != ENOENT)
		return why_sys(why, errno, "cannot remove '%s'", path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? why_sys(why, errno, "cannot make '%s'", path) : fd;
}

static int settle(struct look *look, const struct taking *taking, int r,
		  const struct space *space, struct why *why)
{
	if (r == TOO_BROAD)
		return why_set(why, EFBIG,
			       "the commit of the copy's HEAD has more than "
			       "%zu paths",
			       BREADTH_PATHS_MAX);
	if (r > 0 && r != NO_PACK)
		return cannot_read(why);
	if (taking->part < PART_PACK)
		return cannot_read(why);
	if (take_parts(look, taking, space, why) < 0)
		return -why->errnum;
	return r ? why_set(why, EBADMSG, "git cannot pack the copy's commits")
		 : 0;
}

int look_inside(struct look *look, const struct inside *inside,
		uint64_t pack_max, struct why *why)
{
	autoclose int pack_fd = open_pack(inside->space->pack, why);
	struct taking taking = { .pack_fd = pack_fd, .left = pack_max };
	int r;

	if (pack_fd < 0)
		return pack_fd;
	r = ask(&taking, inside, why);
	if (r == -EFBIG && taking.part == PART_PACK)
		r = why_set(why, EFBIG,
			    "the commits are more than %llu bytes (--pack-max)",
			    (unsigned long long)pack_max);
	if (r >= 0)
		r = settle(look, &taking, r, inside->space, why);
	buf_drop(&taking.lines[PART_REFS]);
	buf_drop(&taking.lines[PART_FILES]);
	return r;
}

void look_drop(struct look *look)
{
	buf_drop(&look->tip);
	names_drop(&look->others);
	names_drop(&look->moved);
	*look = (struct look){ 0 };
}
