/* SPDX-License-Identifier: ISC */
/*
 * Which changed files git would run a program for, or write with other bytes
 * than the commit has.
 */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/effect.h"
#include "workspace/git.h"
#include "workspace/settings.h"

#define ATTRIBUTES ".gitattributes"

/* More are words of a command line no longer. */
#define PLACES_MAX 200

/* ---- of one path --------------------------------------------------------- */

/* In the order of the names below; NULL: it has none. */
enum { FILTER, MERGE, ENCODING, IDENT, TEXT, CRLF, EOL, KINDS };

static const char *const kinds[KINDS] = {
	"filter", "merge", "working-tree-encoding", "ident", "text",
	"crlf",   "eol",
};

/* What git does to the line ends of a file that it writes. */
enum ends {
	ENDS_LEFT,
	ENDS_GUESSED, /* it writes CR LF if it takes it for text */
	ENDS_CHANGED, /* it writes CR LF */
};

/* Of the person's own configuration. */
struct own_ends {
	bool guess; /* core.autocrlf is true: also where no attribute is */
	bool input; /* core.autocrlf is input, which core.eol is nothing to */
	bool eol;   /* core.eol is crlf */
	bool crlf;  /* what text has here, by all of them */
};

static bool is(const char *value, const char *word)
{
	return value && !strcmp(value, word);
}

/* As gitattributes(5) has it of text, crlf and eol; git 2.43, convert.c. */
static enum ends ends_of(const char *const values[KINDS],
			 const struct own_ends *own)
{
	static const char *const known[] = { "set", "unset", "input", "auto" };
	const char *text = NULL;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		text = is(values[TEXT], known[i]) ? known[i] : text;
	for (i = 0; !text && i < sizeof(known) / sizeof(*known); i++)
		text = is(values[CRLF], known[i]) ? known[i] : NULL;
	if (is(text, "unset") || is(values[EOL], "lf"))
		return ENDS_LEFT;
	if (is(values[EOL], "crlf"))
		return is(text, "auto") ? ENDS_GUESSED : ENDS_CHANGED;
	if (!text)
		return own->guess ? ENDS_GUESSED : ENDS_LEFT;
	if (is(text, "input") || !own->crlf)
		return ENDS_LEFT;
	return is(text, "auto") ? ENDS_GUESSED : ENDS_CHANGED;
}

/* git prints the value "unset" and no value alike: the worse one counts. */
static enum ends worst_ends(const char *const values[KINDS],
			    const struct own_ends *own)
{
	const char *less[KINDS];

	memcpy(less, values, sizeof(less));
	if (is(less[TEXT], "unset"))
		less[TEXT] = NULL;
	if (is(less[CRLF], "unset"))
		less[CRLF] = NULL;
	return ends_of(less, own);
}

static void set_first(struct buf *first, const char *path)
{
	if (!first->len)
		buf_adds(first, path);
}

static void convert(struct effect *e, const char *path, const char *by)
{
	if (!e->converted.len)
		e->conversion = by;
	set_first(&e->converted, path);
}

/* ---- of one tree --------------------------------------------------------- */

struct side {
	struct git git;
	const char *commit;
	struct span paths;   /* a NUL behind each */
	struct own_ends own; /* of the person */
	bool before;         /* it is the tree before */
	enum ends *ends;     /* owned; of each change; NULL: not asked for */
};

static void take_path(struct effect *e, const struct side *side, size_t i,
		      const char *const values[KINDS])
{
	const char *path = e->changes[i].path;

	if (values[FILTER] && !is(values[FILTER], "unset"))
		set_first(&e->filtered, path);
	if (values[MERGE] && !is(values[MERGE], "unset") &&
	    !is(values[MERGE], "set"))
		set_first(&e->driven, path);
	/* One that is "set" or "unset" is a mistake that git stops at. */
	if (values[ENCODING])
		convert(e, path, "a working-tree-encoding");
	if (is(values[IDENT], "set"))
		convert(e, path, "ident");
	if (side->ends)
		side->ends[i] = side->before ? ends_of(values, &side->own)
					     : worst_ends(values, &side->own);
}

/*
 * Takes "PATH NUL ATTRIBUTE NUL VALUE NUL" for each that a path has, in the
 * order of the changes.
 */
static void take_attributes(struct effect *e, const struct side *side,
			    const struct names *words)
{
	size_t at = 0;
	size_t i, kind;

	for (i = 0; i < e->change_count; i++) {
		const char *values[KINDS] = { NULL };

		for (; at + 2 < words->count &&
		       !strcmp(words->items[at], e->changes[i].path);
		     at += 3)
			for (kind = 0; kind < KINDS; kind++)
				if (!strcmp(words->items[at + 1], kinds[kind]))
					values[kind] = words->items[at + 2];
		take_path(e, side, i, values);
	}
}

/* The files of attributes that have a say on @path, as far as it is a path. */
static void add_places(struct names *places, const char *path)
{
	const char *slash = path;

	names_add(places, span_of(ATTRIBUTES));
	while ((slash = strchr(slash, '/'))) {
		autofree char *place = alloc_text("%.*s/" ATTRIBUTES,
						  (int)(slash - path), path);

		names_add(places, span_of(place));
		slash++;
	}
}

/*
 * Fills the index with those files of @commit, and none of the others, for a
 * tree of a hundred thousand files takes its time.
 */
static int read_places(struct git *git, const char *commit,
		       const struct names *places, struct why *why)
{
	static const char *const first[] = { "--literal-pathspecs", "ls-tree",
					     "-z", "--full-tree", NULL };
	static const char *const fill[] = { "update-index", "-z",
					    "--index-info", NULL };
	autonames struct names args = { 0 };
	autobuf struct buf found = { 0 };
	autobuf struct buf said = { 0 };
	size_t i;
	int r;

	names_words(&args, first);
	names_add(&args, span_of(commit));
	names_add(&args, span_of("--"));
	for (i = 0; i < places->count; i++)
		names_add(&args, span_of(places->items[i]));
	r = git_read(git, names_argv(&args), &found, why);
	return r || !found.len
		       ? r
		       : git_filter(git, fill, buf_span(&found), &said, why);
}

/* What a repository has besides its files; git makes none of itself. */
static bool has_own(const struct git *git)
{
	autofree char *own = alloc_text("%s/info/attributes", git->git_dir);

	return access(own, F_OK) == 0;
}

/* Whether the two commits differ in what says which attributes files have. */
static bool changes_attributes(const struct effect *e)
{
	size_t i;

	for (i = 0; i < e->change_count; i++) {
		const char *slash = strrchr(e->changes[i].path, '/');

		if (!strcasecmp(slash ? slash + 1 : e->changes[i].path,
				ATTRIBUTES))
			return true;
	}
	return false;
}

static int read_index(const struct effect *e, struct side *side,
		      struct why *why)
{
	const char *const read_tree[] = { "read-tree", side->commit, NULL };
	autonames struct names places = { 0 };
	size_t i;

	for (i = 0; i < e->change_count && places.count <= PLACES_MAX; i++) {
		add_places(&places, e->changes[i].path);
		if (places.count > PLACES_MAX)
			names_tidy(&places);
	}
	names_tidy(&places);
	space_fresh_index(side->git.index);
	return places.count > PLACES_MAX
		       ? git_run(&side->git, read_tree, why)
		       : read_places(&side->git, side->commit, &places, why);
}

static int look(struct effect *e, struct side *side, struct why *why)
{
	static const char *const attributes[] = { "check-attr", "--cached",
						  "-z",         "--stdin",
						  "--all",      NULL };
	struct git *git = &side->git;
	autobuf struct buf out = { 0 };
	autonames struct names words = { 0 };
	int r = read_index(e, side, why);

	/* Without an index, and without that file, nothing has an attribute. */
	if (!r && (has_own(git) || !access(git->index, F_OK)))
		r = git_filter(git, attributes, side->paths, &out, why);
	if (r)
		return r < 0 ? r
			     : effect_refuse(why, git,
					     "its attributes are unsound");
	names_split(&words, buf_span(&out), '\0');
	take_attributes(e, side, &words);
	return 0;
}

/* ---- of both ------------------------------------------------------------- */

/* "KEY LF VALUE", or "KEY" alone; the last of a key is the one that counts. */
static void take_own(struct own_ends *own, const char *pair)
{
	const char *newline = strchr(pair, '\n');
	const char *value = newline ? newline + 1 : NULL;

	if (!span_starts(span_of(pair), "core.autocrlf")) {
		own->eol = value && !strcasecmp(value, "crlf");
	} else {
		own->input = value && !strcasecmp(value, "input");
		own->guess = !own->input && settings_is_true(value);
	}
}

static int find_own(struct own_ends *own, struct git *git, struct why *why)
{
	static const char *const args[] = { "config", "-z", "--get-regexp",
					    "^core\\.(autocrlf|eol)$", NULL };
	autobuf struct buf out = { 0 };
	autonames struct names pairs = { 0 };
	size_t i;
	int r = git_read(git, args, &out, why);

	if (r < 0)
		return r;
	names_split(&pairs, buf_span(&out), '\0');
	for (i = 0; i < pairs.count; i++)
		take_own(own, pairs.items[i]);
	own->crlf = own->guess || (own->eol && !own->input);
	return 0;
}

/* Line ends that git wrote there before are as the person has them. */
static void compare_ends(struct effect *e, const struct side *from,
			 const struct side *to)
{
	size_t i;

	for (i = 0; i < e->change_count; i++)
		if (to->ends[i] != ENDS_LEFT && to->ends[i] != from->ends[i])
			convert(e, e->changes[i].path, "other line ends");
}

/*
 * Attributes count before and after: git would have to run the filter to
 * write a file, and to tell whether the one that is there is unchanged.
 */
static int look_at_both(struct effect *e, struct side *to, struct why *why)
{
	struct side from = *to;
	int r = find_own(&to->own, &to->git, why);

	from.before = true;
	from.commit = buf_str(&e->from);
	from.own = to->own;
	to->ends = alloc_zero(e->change_count + 1, sizeof(*to->ends));
	from.ends = alloc_zero(e->change_count + 1, sizeof(*from.ends));
	if (!r)
		r = look(e, to, why);
	if (!r)
		r = look(e, &from, why);
	if (!r)
		compare_ends(e, &from, to);
	auto_free(&to->ends);
	auto_free(&from.ends);
	return r;
}

int effect_attributes(struct effect *e, const struct space *s, struct why *why)
{
	autofree char *index = alloc_text("%s/index-attributes", s->dir);
	autobuf struct buf paths = { 0 };
	struct side to = { .git = space_git(s), .commit = buf_str(&e->to) };
	size_t i;
	int r;

	for (i = 0; i < e->change_count; i++)
		buf_add(&paths,
			(struct span){ e->changes[i].path,
				       strlen(e->changes[i].path) + 1 });
	to.git.index = index;
	to.paths = buf_span(&paths);
	r = e->from.len && changes_attributes(e) ? look_at_both(e, &to, why)
						 : look(e, &to, why);
	(void)unlink(index);
	return r;
}
