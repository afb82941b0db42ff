/* SPDX-License-Identifier: ISC */
#include "workspace/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/among.h"
#include "workspace/carried.h"
#include "workspace/space.h"

/*
 * What runs inside, with the words of the copy's own git behind those that are
 * taken off.  Its input is the index.  It prints "ODD NAMES ENTRIES", which are
 * sizes, the odd paths, the names of what differs, the entries that there are
 * of these, and a pack of the objects that are new.
 *
 * That a file is kept out of a sparse copy, or hidden, the copy's own index
 * says, of files that are not there.
 *
 * Where all places are known at which files may differ git looks at no other
 * one, and first whether the files there are those of the index after all: it
 * would bring them out as well.
 */
static const char script[] =
	"set -e\n"
	"top=$1 config=$2 excludes=$3 attributes=$4 sparse=$5 format=$6\n"
	"places=$7\n"
	"shift 7\n"
	"export LC_ALL=C\n"
	"d=$(mktemp -d)\n"
	"trap 'rm -rf \"$d\"' EXIT\n"
	"cat >\"$d/index\"\n"
	": >\"$d/places\" >\"$d/files\"\n"
	"left=$places\n"
	"while [ \"$left\" != all ] && [ \"$left\" -gt 0 ]; do\n"
	"printf '%s\\0' \"$1\" >>\"$d/places\"\n"
	"[ ! -L \"$top/$1\" ] && [ ! -f \"$top/$1\" ] ||"
	" printf '%s\\0' \"$1\" >>\"$d/files\"\n"
	"left=$((left - 1))\n"
	"shift\n"
	"done\n"
	"[ \"$sparse\" = 0 ] || \"$@\" ls-files -t -z |"
	" sed -z -n 's/^S //p' | sort -z >\"$d/kept\"\n"
	"mkdir \"$d/objects\" \"$d/refs\" \"$d/info\"\n"
	"echo ref: refs/heads/none >\"$d/HEAD\"\n"
	"printf %s \"$config\" >\"$d/config\"\n"
	"printf %s \"$excludes\" >\"$d/info/exclude\"\n"
	"printf %s \"$attributes\" >\"$d/info/attributes\"\n"
	"export GIT_DIR=\"$d\" GIT_WORK_TREE=\"$top\" GIT_ATTR_NOSYSTEM=1"
	" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null"
	" GIT_DEFAULT_HASH=\"$format\"\n"
	"cd \"$top\"\n"
	"set -- --literal-pathspecs -c core.untrackedCache=false"
	" -c core.splitIndex=false -c core.fsync=none\n"
	"if [ \"$places\" = all ]; then\n"
	"at() { git \"$@\"; }\n"
	"git \"$@\" update-index -q --refresh >/dev/null || :\n"
	"else\n"
	"at() { xargs -0 -r git \"$@\" -- <\"$d/places\"; }\n"
	"xargs -0 -r git \"$@\" ls-files -z -- <\"$d/files\" |"
	" xargs -0 -r git \"$@\" add --refresh -- || :\n"
	"fi\n"
	"if [ \"$sparse\" != 0 ]; then\n"
	"at \"$@\" ls-files -d -z | sort -z | comm -z -12 - \"$d/kept\" |"
	" git \"$@\" update-index --skip-worktree -z --stdin\n"
	"fi\n"
	"{ at \"$@\" diff-files --name-only -z --no-renames"
	" --ignore-submodules=dirty\n"
	"at \"$@\" ls-files -o -z --exclude-standard; } >\"$d/all\"\n"
	": >\"$d/odd\" >\"$d/names\"\n"
	"xargs -0 -r sh -c 'o=$1; shift; for p; do\n"
	"if [ -L \"$p\" ] || [ ! -e \"$p\" ] || [ -f \"$p\" ]; then"
	" printf \"%s\\0\" \"$p\"\n"
	"elif [ -d \"$p\" ] && [ \"$p\" = \"${p%/}\" ]; then"
	" printf \"%s\\0\" \"$p\"\n"
	"else printf \"%s\\0\" \"$p\" >>\"$o\"; fi; done' sh \"$d/odd\""
	" <\"$d/all\" >\"$d/names\"\n"
	"git \"$@\" update-index --add --remove -z --stdin <\"$d/names\"\n"
	"at \"$@\" ls-files -s -z >\"$d/all\"\n"
	"printf '%s %s %s\\n' \"$(wc -c <\"$d/odd\")\""
	" \"$(wc -c <\"$d/names\")\" \"$(wc -c <\"$d/all\")\"\n"
	"cat \"$d/odd\" \"$d/names\" \"$d/all\"\n"
	"git \"$@\" cat-file --batch-all-objects --batch-check='%(objectname)' |"
	" git \"$@\" pack-objects --stdout -q\n";

static int cannot(struct why *why)
{
	return why_set(why, EBADMSG, "git cannot compare the copy's files");
}

/* ---- bringing it out ----------------------------------------------------- */

static int read_index(struct buf *bytes, const struct space *space,
		      const char *index, const char *base, struct why *why)
{
	const char *const args[] = { "read-tree", base, NULL };
	struct git git = space_git(space);
	int r;

	git.dir = space->quarantine;
	git.index = index;
	space_fresh_index(index);
	r = git_settle(&git, git_run(&git, args, why), "read a tree", why);
	return r < 0 ? r : file_read_path(bytes, AT_FDCWD, index, BUF_MAX, why);
}

/* The files that commits changed, without a session having touched them. */
static int add_committed(struct buf *places, const struct space *space,
			 const char *base, struct why *why)
{
	const char *const args[] = { "diff-tree",    "-r",
				     "-z",           "--name-only",
				     "--no-renames", buf_str(&space->head),
				     base,           NULL };
	struct git git = space_git(space);

	git.dir = space->quarantine;
	return git_settle(&git, git_read(&git, args, places, why), "compare",
			  why);
}

/*
 * Where files may differ from @base, as words behind how many they are: in a
 * copy over others' files those are in its layer, or were committed.  Of all
 * others there is nothing to find out.
 */
static int put_places(struct names *words, const struct space *space,
		      const char *base, struct why *why)
{
	autobuf struct buf places = { 0 };
	autonames struct names paths = { 0 };
	autofree char *count = NULL;
	bool known = space->below.len && among_find(&places, space);
	int r = known ? add_committed(&places, space, base, why) : 0;

	if (r < 0 && r != -EFBIG)
		return r;
	names_split(&paths, buf_span(&places), '\0');
	known = known && !r && places.len <= LEFTOVER_PLACES_MAX &&
		paths.count <= 2 * AMONG_MAX;
	if (!known) {
		names_add(words, span_of("all"));
		return 0;
	}
	count = alloc_text("%zu", paths.count);
	names_add(words, span_of(count));
	names_words(words, names_argv(&paths));
	return 0;
}

static int bring_out(struct buf *out, const struct inside *inside,
		     struct span index, const char *base, struct why *why)
{
	const struct space *s = inside->space;
	const struct project *p = inside->project;
	autofree char *path = alloc_text("%s/config", s->quarantine);
	autobuf struct buf config = { 0 };
	autonames struct names words = { 0 };
	const struct sink sink = { .buf = out, .max = LEFTOVER_MAX };
	int r = file_read_path(&config, AT_FDCWD, path, BUF_MAX, why);
	const char *const first[] = {
		"sh",
		"-c",
		script,
		"leftover",
		s->in_place ? s->copy : buf_str(&p->root),
		buf_str(&config),
		buf_str(&p->excludes),
		LEFTOVER_ATTRIBUTES,
		s->hidden || p->sparse.len ? "1" : "0",
		s->sha256 ? "sha256" : "sha1",
		NULL,
	};

	if (r < 0)
		return r;
	names_words(&words, first);
	r = put_places(&words, s, base, why);
	if (r < 0)
		return r;
	inside_git_words(&words, inside);
	r = inside_run(inside, &words, index, &sink, why);
	return r > 0 ? cannot(why) : r;
}

/* ---- what came out ------------------------------------------------------- */

static int take_size(struct span *part, struct span *out, struct span digits)
{
	uint64_t size;

	if (num_read(&size, digits, out->len) < 0)
		return -EBADMSG;
	*part = (struct span){ out->data, (size_t)size };
	*out = span_from(*out, (size_t)size);
	return 0;
}

static int take_pack(const struct space *space, struct span pack,
		     struct why *why)
{
	static const char *const args[] = { "-c", "core.fsync=none",
					    "index-pack", "--stdin", NULL };
	struct git git = space_git(space);
	autobuf struct buf said = { 0 };

	git.dir = space->quarantine;
	return git_settle(&git, git_filter(&git, args, pack, &said, why),
			  "take the copy's files", why);
}

static int fill_index(const struct space *space, const char *index,
		      struct span entries, struct why *why)
{
	static const char *const args[] = { "update-index", "-z",
					    "--index-info", NULL };
	struct git git = space_git(space);
	autobuf struct buf said = { 0 };

	git.dir = space->quarantine;
	git.index = index;
	return git_settle(&git, git_filter(&git, args, entries, &said, why),
			  "take the copy's files", why);
}

/* Whether @path is to stay as it is in the commit. */
static bool is_left(const struct carried *carried, const struct names *odd,
		    const char *path)
{
	return names_has(odd, path) || carried_has(carried, path);
}

/* Turns ":MODE MODE ID ID S", a NUL, the path, a NUL, back into entries. */
static void put_back(struct buf *entries, struct span raw,
		     const struct carried *carried, const struct names *odd)
{
	autonames struct names words = { 0 };
	size_t i;

	names_split(&words, raw, '\0');
	for (i = 0; i + 1 < words.count; i += 2) {
		struct span fields = span_of(words.items[i]);
		const struct span mode = span_cut(&fields, ' ');
		struct span id;

		if (!is_left(carried, odd, words.items[i + 1]))
			continue;
		(void)span_cut(&fields, ' ');
		id = span_cut(&fields, ' ');
		buf_add(entries, span_from(mode, 1));
		buf_addc(entries, ' ');
		buf_add(entries, id);
		buf_addf(entries, "\t%s", words.items[i + 1]);
		buf_addc(entries, '\0');
	}
}

static int leave(const struct space *space, const char *index, const char *base,
		 const struct names *odd, struct why *why)
{
	const char *const args[] = {
		"diff-index",  "--cached", "-z", "--raw", "--no-renames",
		"--no-abbrev", base,       "--", NULL
	};
	autocarried struct carried carried = CARRIED_NONE;
	struct git git = space_git(space);
	autobuf struct buf raw = { 0 };
	autobuf struct buf entries = { 0 };
	int r = carried_open(&carried, space, why);

	git.dir = space->quarantine;
	git.index = index;
	if (!r)
		r = git_settle(&git, git_read(&git, args, &raw, why),
			       "compare the copy's files", why);
	if (r < 0)
		return r;
	put_back(&entries, buf_span(&raw), &carried, odd);
	return entries.len ? fill_index(space, index, buf_span(&entries), why)
			   : 0;
}

/* What differs is taken out of the index before what there is of it comes. */
static void put_removals(struct buf *entries, const struct space *space,
			 struct span names)
{
	while (names.len) {
		const struct span name = span_cut(&names, '\0');

		buf_addf(entries, "0 %0*d\t", space->sha256 ? 64 : 40, 0);
		buf_add(entries, name);
		buf_addc(entries, '\0');
	}
}

static int take_all(struct names *odd, const struct space *space,
		    const char *index, struct span out, struct why *why)
{
	struct span sizes = span_cut(&out, '\n');
	const struct span odd_size = span_cut(&sizes, ' ');
	const struct span names_size = span_cut(&sizes, ' ');
	autobuf struct buf changes = { 0 };
	struct span paths, names, entries;
	int r;

	if (take_size(&paths, &out, odd_size) < 0 ||
	    take_size(&names, &out, names_size) < 0 ||
	    take_size(&entries, &out, sizes) < 0)
		return cannot(why);
	names_split(odd, paths, '\0');
	names_tidy(odd);
	put_removals(&changes, space, names);
	buf_add(&changes, entries);
	if (changes.full)
		return why_set(why, EFBIG,
			       "git in the copy printed more than is taken");
	r = take_pack(space, out, why);
	return r < 0 ? r : fill_index(space, index, buf_span(&changes), why);
}

int leftover_find(struct names *odd, const struct inside *inside,
		  const char *index, const char *base, struct why *why)
{
	const struct space *space = inside->space;
	autobuf struct buf bytes = { 0 };
	autobuf struct buf out = { 0 };
	int r = read_index(&bytes, space, index, base, why);

	if (!r)
		r = bring_out(&out, inside, buf_span(&bytes), base, why);
	if (!r)
		r = take_all(odd, space, index, buf_span(&out), why);
	return r < 0 ? r : leave(space, index, base, odd, why);
}
