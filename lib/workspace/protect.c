/* SPDX-License-Identifier: ISC */
#include "workspace/protect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/gitdir.h"

/* As much content as is asked for at a time. */
#define BATCH_MAX ((uint64_t)8 << 20) /* bytes */
#define BATCH_COUNT_MAX 65536

const char *protect_word(enum protect_reason protect)
{
	static const char *const words[] = {
		[PROTECT_NONE] = NULL,
		[PROTECT_NAMED] = "a rule names it",
		[PROTECT_REACHED] = "a link leads to it from what a rule names",
		[PROTECT_GIT] = "hooks or settings of git lead to it",
		[PROTECT_EXECUTABLE] = "it becomes executable",
		[PROTECT_LINK] = "it leads out of the project",
		[PROTECT_DRIVERS] = "it names drivers of git",
		[PROTECT_REPOSITORY] = "it is of a git repository",
	};

	return words[protect];
}

static struct span next_part(struct span *rest)
{
	struct span part = *rest;
	const char *slash = memchr(rest->data, '/', rest->len);

	part.len = slash ? (size_t)(slash - rest->data) : rest->len;
	*rest = span_from(*rest, part.len + (slash ? 1 : 0));
	return part;
}

bool protect_leads_out(const char *path, struct span target)
{
	size_t depth = 0;
	bool named = false;

	for (; *path; path++)
		depth += *path == '/';
	if (!target.len || *target.data == '/' ||
	    memchr(target.data, '\0', target.len))
		return true;
	while (target.len) {
		const struct span part = next_part(&target);

		if (!part.len || span_is(part, "."))
			continue;
		if (part.len == 4 && !strncasecmp(part.data, ".git", 4))
			return true;
		if (!span_is(part, "..")) {
			named = true;
			continue;
		}
		if (named || !depth--)
			return true;
	}
	return false;
}

/* The next word of @line, cut off it; without length at the end. */
static struct span next_word(struct span *line)
{
	static const char blanks[] = " \t\r";
	struct span word = { NULL, 0 };
	size_t at = 0;

	while (at < line->len && strchr(blanks, line->data[at]))
		at++;
	word.data = line->data + at;
	while (at + word.len < line->len &&
	       !strchr(blanks, line->data[at + word.len]))
		word.len++;
	*line = span_from(*line, at + word.len);
	return word;
}

/*
 * What gitattributes(5) knows itself, none of which names a driver.  Any other
 * word may be a macro that does, and is defined at the top of the project.
 */
static bool is_built_in(struct span name)
{
	static const char *const all[] = {
		"binary",
		"conflict-marker-size",
		"crlf",
		"delta",
		"diff",
		"encoding",
		"eol",
		"export-ignore",
		"export-subst",
		"filter",
		"ident",
		"merge",
		"text",
		"whitespace",
		"working-tree-encoding",
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (span_is(name, all[i]))
			return true;
	return false;
}

static bool is_driver(struct span word)
{
	if (*word.data == '-' || *word.data == '!')
		return false;
	if (span_starts(word, "filter=") || span_starts(word, "diff=") ||
	    span_starts(word, "merge="))
		return true;
	return !is_built_in(span_cut(&word, '='));
}

/* The first word is a pattern, or begins a comment. */
bool protect_has_drivers(struct span attributes)
{
	while (attributes.len) {
		struct span line = span_cut(&attributes, '\n');
		struct span word = next_word(&line);

		if (span_starts(word, "#"))
			continue;
		while ((word = next_word(&line)).len)
			if (is_driver(word))
				return true;
	}
	return false;
}

static bool is_link(const struct effect_change *c)
{
	return c->blob && c->mode == EFFECT_LINK;
}

static bool is_attributes(const struct effect_change *c)
{
	const char *slash = strrchr(c->path, '/');

	return c->blob && c->mode != EFFECT_LINK &&
	       !strcasecmp(slash ? slash + 1 : c->path, ".gitattributes");
}

/* One kind of file whose content tells. */
struct kind {
	enum protect_reason protect;
	bool (*is)(const struct effect_change *change);
	bool (*tells)(const struct effect_change *change, struct span content);
	uint64_t max; /* bytes of a content that is read */
};

static bool link_tells(const struct effect_change *c, struct span content)
{
	return protect_leads_out(c->path, content);
}

static bool attributes_tell(const struct effect_change *c, struct span content)
{
	(void)c;
	return protect_has_drivers(content);
}

static const struct kind kinds[] = {
	{ PROTECT_LINK, is_link, link_tells, PROTECT_LINK_MAX },
	{ PROTECT_DRIVERS, is_attributes, attributes_tell,
	  PROTECT_ATTRIBUTES_MAX },
};

/* What is asked of git at once, about some of the changes. */
struct batch {
	const struct kind *kind;
	struct git *git;
	struct buf ids;
	struct effect_change **changes; /* owned */
	size_t count;
	uint64_t bytes;
};

static int unsound(struct why *why)
{
	return why_set(why, EBADMSG,
		       "the session's work is refused: a file of it cannot be "
		       "read");
}

/* Objects come in the order of the ids. */
static int look_at_all(struct batch *b, struct span out, struct why *why)
{
	struct git_object object;
	size_t i;

	for (i = 0; i < b->count; i++) {
		if (git_next_object(&object, &out) < 0 ||
		    !span_is(object.id, b->changes[i]->blob) ||
		    !span_is(object.type, "blob") ||
		    object.content.len > b->kind->max)
			return unsound(why);
		if (b->kind->tells(b->changes[i], object.content))
			b->changes[i]->protect = b->kind->protect;
	}
	return 0;
}

static int flush(struct batch *b, struct why *why)
{
	static const char *const args[] = { "cat-file", "--batch", NULL };
	autobuf struct buf out = { 0 };
	int r = b->count
			? git_filter(b->git, args, buf_span(&b->ids), &out, why)
			: 0;

	if (!r)
		r = look_at_all(b, buf_span(&out), why);
	buf_reset(&b->ids);
	b->count = 0;
	b->bytes = 0;
	return r > 0 ? unsound(why) : r;
}

static int find_kind(struct effect *e, struct git *git, const struct kind *kind,
		     struct why *why)
{
	struct batch b = { .kind = kind, .git = git };
	size_t i;
	int r = 0;

	for (i = 0; !r && i < e->change_count; i++) {
		struct effect_change *change = &e->changes[i];

		if (!kind->is(change))
			continue;
		if (change->size > kind->max) {
			change->protect = kind->protect;
			continue;
		}
		b.changes = alloc_array(b.changes, b.count, sizeof(change));
		b.changes[b.count++] = change;
		b.bytes += change->size;
		buf_addf(&b.ids, "%s\n", change->blob);
		if (b.bytes >= BATCH_MAX || b.count >= BATCH_COUNT_MAX)
			r = flush(&b, why);
	}
	if (!r)
		r = flush(&b, why);
	buf_drop(&b.ids);
	free(b.changes);
	return r;
}

/*
 * A link that leads to another of the tree, and by it out.  git follows links
 * within a tree and says "symlink LENGTH" and the rest where one leaves it.
 */
static int mark_chains(struct effect_change **links, size_t count,
		       struct span out, struct why *why)
{
	uint64_t len;
	size_t i;

	for (i = 0; i < count; i++) {
		struct span line = span_cut(&out, '\n');
		const struct span word = span_cut(&line, ' ');
		const bool text =
			span_is(word, "dangling") || span_is(word, "loop") ||
			span_is(word, "notdir") || span_is(word, "symlink");

		if (span_is(word, "symlink"))
			links[i]->protect = PROTECT_LINK;
		if (!text)
			continue;
		if (num_read(&len, line, out.len) < 0 || len >= out.len)
			return unsound(why);
		out = span_from(out, (size_t)len + 1);
	}
	return 0;
}

static int find_chains(struct effect *e, struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file", "--batch-check",
					    "--follow-symlinks", NULL };
	autobuf struct buf names = { 0 };
	autobuf struct buf out = { 0 };
	autofree struct effect_change **links = NULL;
	size_t count = 0;
	size_t i;
	int r = 0;

	for (i = 0; i < e->change_count; i++) {
		struct effect_change *change = &e->changes[i];

		if (!is_link(change) || change->protect)
			continue;
		/* git is asked line by line. */
		if (strchr(change->path, '\n')) {
			change->protect = PROTECT_LINK;
			continue;
		}
		links = alloc_array(links, count, sizeof(change));
		links[count++] = change;
		buf_addf(&names, "%s:%s\n", buf_str(&e->tree), change->path);
	}
	if (names.full)
		return unsound(why);
	if (count)
		r = git_filter(git, args, buf_span(&names), &out, why);
	if (!r)
		r = mark_chains(links, count, buf_span(&out), why);
	return r > 0 ? unsound(why) : r;
}

int protect_find(struct effect *effect, const struct space *space,
		 struct why *why)
{
	struct git git = space_git(space);
	size_t i;
	int r = 0;

	for (i = 0; i < effect->change_count; i++)
		if (effect->changes[i].mode == EFFECT_EXECUTABLE &&
		    effect->changes[i].was != EFFECT_EXECUTABLE)
			effect->changes[i].protect = PROTECT_EXECUTABLE;
	for (i = 0; !r && i < sizeof(kinds) / sizeof(*kinds); i++)
		r = find_kind(effect, &git, &kinds[i], why);
	if (!r)
		r = find_chains(effect, &git, why);
	return r < 0 ? r : gitdir_find(effect, space, why);
}
