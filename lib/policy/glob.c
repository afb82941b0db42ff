/* SPDX-License-Identifier: ISC */
#include "policy/glob.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- a bit for each place in the pattern -------------------------------- */

#define WORD_BITS 64
#define WORDS (GLOB_PATTERN_MAX / WORD_BITS + 1)
#define BYTES 256
#define STEPS_A_BYTE 8

struct places {
	uint64_t word[WORDS];
};

/*
 * The pattern as a row of places, by what stands there.  A `**` that stands
 * for whole segments is two: one that lets pass at once or go in, and one in
 * which segments are.
 */
struct row {
	size_t count;
	size_t words;              /* that its places take */
	struct places byte[BYTES]; /* that byte */
	struct places one;         /* `*` */
	struct places two;         /* `**` */
	struct places entry;
	struct places segments;
};

static void mark(struct places *places, size_t place)
{
	places->word[place / WORD_BITS] |= UINT64_C(1) << place % WORD_BITS;
}

static bool marked(const struct places *places, size_t place)
{
	return places->word[place / WORD_BITS] >> place % WORD_BITS & 1;
}

/* Two sets of places and how many words of them are in use. */
struct change {
	struct places *to;
	const struct places *from;
	size_t words;
};

/* Those places at which @what stands, moved on by @by. */
static void move(const struct change *change, const struct places *what,
		 unsigned int by)
{
	const struct places *from = change->from;
	struct places *to = change->to;
	uint64_t carry = 0;
	size_t i;

	for (i = 0; i < change->words; i++) {
		uint64_t word = from->word[i] & what->word[i];

		to->word[i] |= by ? word << by | carry : word;
		carry = by ? word >> (WORD_BITS - by) : 0;
	}
}

/* What costs nothing to get to; stars beside each other are one in a row. */
static void pass(struct places *places, const struct row *row)
{
	struct places before;
	const struct change change = { places, &before, row->words };

	memcpy(&before, places, row->words * sizeof(*before.word));
	move(&change, &row->entry, 1);
	move(&change, &row->entry, 2);
	memcpy(&before, places, row->words * sizeof(*before.word));
	move(&change, &row->one, 1);
	move(&change, &row->two, 1);
}

static void step(struct places *places, const struct row *row, char c)
{
	struct places before;
	const struct change change = { places, &before, row->words };

	memcpy(&before, places, row->words * sizeof(*before.word));
	memset(places, 0, row->words * sizeof(*before.word));
	move(&change, &row->byte[(unsigned char)c], 1);
	move(&change, &row->two, 0);
	move(&change, &row->segments, 0);
	if (c == '/')
		move(&change, &row->segments, 1);
	else
		move(&change, &row->one, 0);
	pass(places, row);
}

/* Where to go on after a star once what followed it did not fit. */
struct retry {
	bool set;
	bool segments;  /* it stands for whole segments only */
	size_t pattern; /* what follows the star */
	size_t path;    /* what the star does not cover yet */
};

static bool starts_segment(struct span s, size_t at)
{
	return !at || s.data[at - 1] == '/';
}

static bool double_star(struct span pattern, size_t at)
{
	return at + 1 < pattern.len && pattern.data[at] == '*' &&
	       pattern.data[at + 1] == '*';
}

static struct retry open_double(struct span pattern, size_t at, size_t path)
{
	struct retry retry = { true, false, at + 2, path };

	if (retry.pattern < pattern.len && pattern.data[retry.pattern] == '/' &&
	    starts_segment(pattern, at)) {
		retry.segments = true;
		retry.pattern++;
	}
	return retry;
}

/* The row of @pattern, in which neighbours that are one star are one. */
static void lay(struct row *row, struct span pattern)
{
	size_t p = 0;

	while (p < pattern.len) {
		size_t last = row->count - 1;

		if (double_star(pattern, p)) {
			struct retry star = open_double(pattern, p, 0);

			p = star.pattern;
			if (star.segments &&
			    !(row->count && marked(&row->segments, last))) {
				mark(&row->entry, row->count++);
				mark(&row->segments, row->count++);
			} else if (!star.segments &&
				   !(row->count && marked(&row->two, last))) {
				mark(&row->two, row->count++);
			}
		} else if (pattern.data[p] == '*') {
			p++;
			if (!row->count || (!marked(&row->one, last) &&
					    !marked(&row->two, last)))
				mark(&row->one, row->count++);
		} else {
			mark(&row->byte[(unsigned char)pattern.data[p++]],
			     row->count++);
		}
	}
}

bool glob_match_bounded(struct span pattern, struct span path)
{
	struct places places = { { 1 } };
	struct row row = { .count = 0 };
	size_t i;

	if (pattern.len > GLOB_PATTERN_MAX)
		return false;
	lay(&row, pattern);
	row.words = row.count / WORD_BITS + 1;
	pass(&places, &row);
	for (i = 0; i < path.len; i++)
		step(&places, &row, path.data[i]);
	return marked(&places, row.count);
}

/* Lets the star cover one byte, or one segment, more. */
static bool cover_more(struct retry *retry, struct span path)
{
	do {
		if (retry->path == path.len)
			return false;
		retry->path++;
	} while (retry->segments && path.data[retry->path - 1] != '/');
	return true;
}

/*
 * Each star covers as little as it can.  Only the last star of either kind is
 * ever taken back to: what an earlier one could cover more, a later one that
 * crosses slashes can as well.  That is fast, but for patterns that were made
 * to take long: what is not done after some steps a byte is done otherwise.
 */
bool glob_match(struct span pattern, struct span path)
{
	size_t steps = STEPS_A_BYTE * (pattern.len + path.len + 1);
	struct retry one = { 0 }, two = { 0 };
	size_t p = 0, s = 0;

	while (s < path.len || p < pattern.len) {
		if (!steps--)
			return glob_match_bounded(pattern, path);
		if (double_star(pattern, p)) {
			two = open_double(pattern, p, s);
			one.set = false;
			p = two.pattern;
		} else if (p < pattern.len && pattern.data[p] == '*') {
			one = (struct retry){ true, false, ++p, s };
		} else if (p < pattern.len && s < path.len &&
			   pattern.data[p] == path.data[s]) {
			p++;
			s++;
		} else if (one.set && one.path < path.len &&
			   path.data[one.path] != '/') {
			p = one.pattern;
			s = ++one.path;
		} else if (two.set && cover_more(&two, path)) {
			one.set = false;
			p = two.pattern;
			s = two.path;
		} else {
			return false;
		}
	}
	return true;
}
