/* SPDX-License-Identifier: ISC */
#include "workspace/breadth.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/effect.h"
#include "workspace/names.h"

#define ID_MAX 32 /* bytes of a SHA-256 */

/* One tree that is new. */
struct tree {
	unsigned char id[ID_MAX];
	size_t edge; /* the next of its trees that is to be added */
	size_t end;  /* behind its last */
	size_t paths;
	bool added;
};

struct breadth {
	size_t id_len;
	struct names ids;   /* of trees, in hexadecimal */
	struct tree *trees; /* owned; ordered once all are there */
	size_t count;
	struct buf edges; /* an id for each tree that a tree names */
};

#define autobreadth __attribute__((cleanup(drop)))

static void drop(struct breadth *b)
{
	names_drop(&b->ids);
	free(b->trees);
	buf_drop(&b->edges);
}

static int unsound(struct why *why)
{
	return why_set(why, EBADMSG,
		       "the session's work is refused: a tree of it cannot be "
		       "read");
}

static int too_many(struct why *why)
{
	return why_set(why, EFBIG,
		       "the session's work is refused: a tree of it has more "
		       "than %zu paths",
		       BREADTH_PATHS_MAX);
}

/* ---- reading ------------------------------------------------------------ */

static unsigned char digit(char c)
{
	return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void read_id(unsigned char *id, struct span hex)
{
	size_t i;

	for (i = 0; i < hex.len / 2; i++)
		id[i] = (unsigned char)(digit(hex.data[2 * i]) << 4 |
					digit(hex.data[2 * i + 1]));
}

/*
 * git goes by the kind alone, in octal digits of which there may be any number:
 * 40000, 040000 and 40755 are all a tree's.
 */
static int is_tree(struct span mode)
{
	unsigned int bits = 0;
	size_t i;

	for (i = 0; i < mode.len; i++) {
		if (mode.data[i] < '0' || mode.data[i] > '7')
			return -EBADMSG;
		bits = bits << 3 | (unsigned int)(mode.data[i] - '0');
	}
	return S_ISDIR(bits);
}

/* Entries of "MODE NAME", a NUL, and an id in binary. */
static int take_tree(struct breadth *b, struct span hex, struct span entries,
		     struct why *why)
{
	const size_t id_len = b->id_len;
	struct tree *tree;

	if (!id_len)
		return unsound(why);
	b->trees = alloc_array(b->trees, b->count, sizeof(*b->trees));
	tree = &b->trees[b->count++];
	*tree = (struct tree){ .edge = b->edges.len / id_len };
	read_id(tree->id, hex);
	while (entries.len) {
		struct span name = span_cut(&entries, '\0');
		const int below = is_tree(span_cut(&name, ' '));

		if (below < 0 || entries.len < id_len)
			return unsound(why);
		if (below)
			buf_add(&b->edges,
				(struct span){ entries.data, id_len });
		entries = span_from(entries, id_len);
		tree->paths++;
	}
	tree->end = b->edges.len / id_len;
	if (tree->paths > BREADTH_PATHS_MAX || b->edges.full)
		return too_many(why);
	return 0;
}

static int take_objects(struct breadth *b, struct span out, size_t count,
			struct why *why)
{
	struct git_object object;
	int r = 0;

	while (!r && count--) {
		if (git_next_object(&object, &out) < 0 ||
		    !git_is_id(object.id) || object.id.len != 2 * b->id_len ||
		    !span_is(object.type, "tree"))
			return unsound(why);
		r = take_tree(b, object.id, object.content, why);
	}
	return r;
}

/* Asks for @count of them at once, for fewer where that is too much. */
static int read_objects(struct breadth *b, size_t first, size_t count,
			struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file", "--batch", NULL };
	autobuf struct buf names = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;
	int r;

	for (i = first; i < first + count; i++)
		buf_addf(&names, "%s\n", b->ids.items[i]);
	r = git_filter(git, args, buf_span(&names), &out, why);
	if (!r)
		return take_objects(b, buf_span(&out), count, why);
	if (r != -EFBIG)
		return r < 0 ? r : unsound(why);
	if (count == 1)
		return too_many(why);
	buf_drop(&out);
	r = read_objects(b, first, count / 2, git, why);
	return r < 0 ? r
		     : read_objects(b, first + count / 2, count - count / 2,
				    git, why);
}

/* "TREE-ID tree", or another kind; what is not there has none. */
static int keep_trees(struct breadth *b, struct span out, struct why *why)
{
	while (out.len) {
		struct span line = span_cut(&out, '\n');
		const struct span id = span_cut(&line, ' ');

		if (!git_is_id(id) || span_is(line, "missing"))
			return unsound(why);
		if (span_is(line, "tree"))
			names_add(&b->ids, id);
	}
	return 0;
}

/*
 * git goes through all trees of @from to tell what is new, so that it is asked
 * once, for objects of all kinds; where one is missing it says so.
 */
static int find_new(struct breadth *b, struct git *git, const struct buf *from,
		    const struct buf *to, struct why *why)
{
	static const char *const kinds[] = {
		"cat-file", "--batch-check=%(objectname) %(objecttype)", NULL
	};
	autofree char *not_from = alloc_text("^%s", buf_str(from));
	const char *const args[] = { "rev-list",
				     "--objects",
				     "--no-object-names",
				     buf_str(to),
				     from->len ? not_from : NULL,
				     NULL };
	autobuf struct buf ids = { 0 };
	autobuf struct buf out = { 0 };
	int r = git_read(git, args, &ids, why);

	if (r > 0)
		return effect_refuse(why, git, "an object is missing");
	if (!r)
		r = git_filter(git, kinds, buf_span(&ids), &out, why);
	if (r == -EFBIG)
		return why_set(why, EFBIG,
			       "the session's work is refused: it has too many "
			       "objects");
	if (r)
		return r > 0 ? unsound(why) : r;
	return keep_trees(b, buf_span(&out), why);
}

/* ---- adding up ---------------------------------------------------------- */

static int order(const void *a, const void *b)
{
	return memcmp(a, b, ID_MAX);
}

/* NULL for one that is not new. */
static struct tree *find(const struct breadth *b, size_t edge)
{
	struct tree key = { 0 };

	memcpy(key.id, b->edges.data + edge * b->id_len, b->id_len);
	return b->count ? bsearch(&key, b->trees, b->count, sizeof(key), order)
			: NULL;
}

/* By hand, for a stack of calls would be as deep as somebody else wants. */
static int add_up(const struct breadth *b, struct tree *top, struct why *why)
{
	autofree struct tree **way = NULL;
	size_t depth = 0;
	struct tree *at = top;

	while (!top->added) {
		struct tree *in = at->edge < at->end ? find(b, at->edge) : NULL;

		if (at->edge == at->end) {
			at->added = true;
			at = depth ? way[--depth] : top;
		} else if (!in) {
			at->edge++;
		} else if (in->added) {
			at->edge++;
			at->paths += in->paths;
		} else {
			way = alloc_array(way, depth, sizeof(struct tree *));
			way[depth++] = at;
			at = in;
		}
		if (at->paths > BREADTH_PATHS_MAX)
			return too_many(why);
	}
	return 0;
}

int breadth_check(struct git *git, const struct buf *from, const struct buf *to,
		  struct why *why)
{
	autobreadth struct breadth b = { .id_len = to->len / 2 };
	size_t i;
	int r = find_new(&b, git, from, to, why);

	if (!r && b.ids.count)
		r = read_objects(&b, 0, b.ids.count, git, why);
	if (r < 0)
		return r;
	if (b.count)
		qsort(b.trees, b.count, sizeof(*b.trees), order);
	for (i = 0; !r && i < b.count; i++)
		r = add_up(&b, &b.trees[i], why);
	return r;
}
