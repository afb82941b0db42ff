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
#include "workspace/claim.h"

/*
 * What runs inside, with the words of a git behind the first four; what it
 * prints workspace/claim.h tells.
 *
 * A small tree can stand for more files than git-status(1) has memory for.  So
 * those are counted first that HEAD has where its top is another one than that
 * of the commit at which the session began.
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
	"tops() {\n"
	"[ -n \"$from\" ] && \"$@\" diff-tree -z --name-only --no-renames"
	" \"$from\" \"$head\" ||"
	" \"$@\" ls-tree -z --name-only --full-tree \"$head\"\n"
	"}\n"
	"tip=$(\"$@\" rev-parse -q --verify --end-of-options"
	" \"$branch^{commit}\") || tip=\n"
	"head=$(\"$@\" rev-parse -q --verify 'HEAD^{commit}') || head=\n"
	"printf '%s\\n%s\\n' \"${tip:--}\" \"${head:--}\"\n"
	"\"$@\" for-each-ref --format='%(objectname) %(refname)' || exit 101\n"
	"echo\n"
	"[ -z \"$head\" ] || [ \"$head\" = \"$from\" ] ||"
	" [ \"$(tops \"$@\" | xargs -0 -r \"$@\" --literal-pathspecs"
	" ls-tree -r -z --name-only --full-tree \"$head\" -- |"
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

/* ---- asking it ----------------------------------------------------------- */

static int ask(struct claim *claim, const struct inside *inside,
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
	const struct sink sink = { .put = claim_take,
				   .context = claim,
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

static int read_claim(struct look *look, const struct claim *claim,
		      const struct space *space, struct why *why)
{
	autofree char *path = alloc_text("%s/refs", space->dir);
	autobuf struct buf before = { 0 };
	autocarried struct carried carried = CARRIED_NONE;
	int r = file_read_path(&before, AT_FDCWD, path, BUF_MAX, why);

	if (!r)
		r = carried_open(&carried, space, why);
	if (r < 0)
		return r;
	const struct claim_against against = { .space = space,
					       .refs = buf_span(&before),
					       .carried = &carried };

	return claim_read(claim, look, &against, why);
}

static int settle(struct look *look, const struct claim *claim, int r,
		  const struct space *space, struct why *why)
{
	if (r == TOO_BROAD)
		return why_set(why, EFBIG,
			       "the commit of the copy's HEAD has more than "
			       "%zu paths",
			       BREADTH_PATHS_MAX);
	if (r > 0 && r != NO_PACK)
		return claim_refuse(why);
	if (read_claim(look, claim, space, why) < 0)
		return -why->errnum;
	return r ? why_set(why, EBADMSG, "git cannot pack the copy's commits")
		 : 0;
}

int look_inside(struct look *look, const struct inside *inside,
		uint64_t pack_max, struct why *why)
{
	autoclose int pack_fd = open_pack(inside->space->pack, why);
	autoclaim struct claim claim = { .pack_fd = pack_fd, .left = pack_max };
	int r;

	if (pack_fd < 0)
		return pack_fd;
	r = ask(&claim, inside, why);
	if (r == -EFBIG && claim.part == CLAIM_PACK)
		r = why_set(why, EFBIG,
			    "the commits are more than %llu bytes (--pack-max)",
			    (unsigned long long)pack_max);
	return r < 0 ? r : settle(look, &claim, r, inside->space, why);
}

void look_drop(struct look *look)
{
	buf_drop(&look->tip);
	names_drop(&look->others);
	names_drop(&look->moved);
	*look = (struct look){ 0 };
}
