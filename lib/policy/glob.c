/* SPDX-License-Identifier: ISC */
#include "policy/glob.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define WORD_BITS 64
#define BYTES 256
#define STEPS 256 /* that are tried before each is a word of places */

static bool starts_segment(struct span s, size_t at)
{
	return !at || s.data[at - 1] == '/';
}

static bool double_star(struct span pattern, size_t at)
{
	return at + 1 < pattern.len && pattern.data[at] == '*' &&
	       pattern.data[at + 1] == '*';
}

/* Whether the double star at @at stands for whole segments only. */
static bool whole_segments(struct span pattern, size_t at)
{
	return at + 2 < pattern.len && pattern.data[at + 2] == '/' &&
	       starts_segment(pattern, at);
}

/* ---- the ends, which are no pattern ------------------------------------- */

/*
 * A pattern and a path without the bytes that stand for themselves at either
 * end of both.
 */
struct middle {
	struct span pattern; /* up to its last star; NULL: there was none */
	size_t first;        /* where its first star is */
	size_t start;        /* of what the stars are to cover */
	size_t end;
};

/* What is behind the last star, and the slash that is part of it. */
static size_t behind_stars(struct span pattern, size_t last)
{
	if (last && double_star(pattern, last - 1) &&
	    whole_segments(pattern, last - 1))
		return last + 2;
	return last + 1;
}

static bool starts_with(struct span s, struct span start)
{
	return s.len >= start.len &&
	       span_equal((struct span){ s.data, start.len }, start);
}

/* Whether the ends of both are the same. */
static bool cut_ends(struct middle *middle, struct span pattern,
		     struct span path, size_t from)
{
	const char *star = pattern.len ? memchr(pattern.data, '*', pattern.len)
				       : NULL;
	size_t room = path.len - from;
	size_t behind, tail;

	*middle = (struct middle){ .first = pattern.len };
	if (!star)
		return span_equal(pattern, span_from(path, from));
	middle->first = (size_t)(star - pattern.data);
	star = memrchr(star, '*', pattern.len - middle->first);
	behind = behind_stars(pattern, (size_t)(star - pattern.data));
	tail = pattern.len - behind;
	middle->pattern = (struct span){ pattern.data, behind };
	middle->start = from + middle->first;
	middle->end = path.len - tail;
	return room >= middle->first + tail &&
	       starts_with(span_from(path, from),
			   (struct span){ pattern.data, middle->first }) &&
	       span_equal(span_from(path, middle->end),
			  span_from(pattern, behind));
}

/* ---- a bit for each place in the path ----------------------------------- */

/*
 * The places of the path that are reached by the pattern so far: what is
 * before a place is covered.  They only ever move on, so words below the first
 * that has one are done with.
 */
struct reached {
	uint64_t *places;
	const uint64_t *rows;
	size_t stride; /* words of a row */
	size_t low;
	size_t words; /* up to the place that has to be reached */
};

/* The row of a byte has the places at which the path has that byte. */
static uint64_t *row_of(const struct glob_path *path, unsigned char byte)
{
	return &path->rows[byte * path->words];
}

static void make_rows(struct glob_path *path)
{
	size_t i;

	path->words = path->path.len / WORD_BITS + 1;
	/* One more row is for what is reached. */
	path->rows = alloc_zero((BYTES + 1) * path->words, sizeof(*path->rows));
	for (i = 0; i < path->path.len; i++)
		row_of(path,
		       (unsigned char)path->path.data[i])[i / WORD_BITS] |=
			UINT64_C(1) << i % WORD_BITS;
}

static void take_byte(struct reached *reached, unsigned char byte)
{
	const uint64_t *row = &reached->rows[byte * reached->stride];
	uint64_t *place = &reached->places[reached->low];
	uint64_t *end = &reached->places[reached->words];
	uint64_t carry = 0;

	for (row += reached->low; place < end; place++, row++) {
		uint64_t there = *place & *row;

		*place = there << 1 | carry;
		carry = there >> (WORD_BITS - 1);
	}
}

/* Two bytes at once, for most of a pattern is bytes. */
static void take_two(struct reached *reached, unsigned char first,
		     unsigned char second)
{
	const uint64_t *one = &reached->rows[first * reached->stride];
	const uint64_t *two = &reached->rows[second * reached->stride];
	uint64_t carry_one = 0, carry_two = 0;
	size_t i;

	for (i = reached->low; i < reached->words; i++) {
		uint64_t there = reached->places[i] & one[i];
		uint64_t then = (there << 1 | carry_one) & two[i];

		reached->places[i] = then << 1 | carry_two;
		carry_one = there >> (WORD_BITS - 1);
		carry_two = then >> (WORD_BITS - 1);
	}
}

/*
 * From each place to the next slash.  The places without one are runs of bits,
 * through which what is added to them carries.  What comes out of a word is
 * known but for what comes in, so that words wait for each other but shortly.
 */
static void take_star(struct reached *reached)
{
	const uint64_t *slashes = &reached->rows['/' * reached->stride];
	uint64_t in = 0;
	size_t i;

	for (i = reached->low; i < reached->words; i++) {
		uint64_t open = ~slashes[i];
		uint64_t from = reached->places[i];
		uint64_t sum;
		uint64_t out = __builtin_add_overflow(from & open, open, &sum);

		out |= in & (sum == ~UINT64_C(0));
		reached->places[i] = from | ((sum + in) ^ open);
		in = out;
	}
}

/* From the first place to all behind it. */
static void take_double(struct reached *reached)
{
	uint64_t *places = &reached->places[reached->low];

	*places |= -*places;
	memset(places + 1, 0xff,
	       (reached->words - reached->low - 1) * sizeof(*places));
}

/* From the first place to all that are behind a slash behind it. */
static void take_segments(struct reached *reached)
{
	const uint64_t *slashes = &reached->rows['/' * reached->stride];
	uint64_t *places = reached->places;
	uint64_t behind = places[reached->low] | -places[reached->low];
	uint64_t carry = 0;
	size_t i;

	for (i = reached->low; i < reached->words; i++) {
		uint64_t passed = slashes[i] & behind;

		places[i] |= passed << 1 | carry;
		carry = passed >> (WORD_BITS - 1);
		behind = ~UINT64_C(0);
	}
}

/* Takes what @pattern has at @at; returns where it goes on. */
static size_t take(struct reached *reached, struct span pattern, size_t at)
{
	if (double_star(pattern, at) && whole_segments(pattern, at)) {
		take_segments(reached);
		return at + 3;
	}
	if (double_star(pattern, at)) {
		take_double(reached);
		return at + 2;
	}
	if (pattern.data[at] == '*') {
		take_star(reached);
	} else if (at + 1 < pattern.len && pattern.data[at + 1] != '*') {
		take_two(reached, (unsigned char)pattern.data[at],
			 (unsigned char)pattern.data[at + 1]);
		return at + 2;
	} else {
		take_byte(reached, (unsigned char)pattern.data[at]);
	}
	return at + 1;
}

static bool covers_bounded(const struct middle *middle, struct glob_path *path)
{
	struct reached reached;
	size_t at = middle->first;

	if (!path->rows)
		make_rows(path);
	reached = (struct reached){
		.places = &path->rows[BYTES * path->words],
		.rows = path->rows,
		.stride = path->words,
		.low = middle->start / WORD_BITS,
		.words = middle->end / WORD_BITS + 1,
	};
	memset(&reached.places[reached.low], 0,
	       (reached.words - reached.low) * sizeof(*reached.places));
	reached.places[reached.low] = UINT64_C(1) << middle->start % WORD_BITS;
	while (at < middle->pattern.len) {
		at = take(&reached, middle->pattern, at);
		while (!reached.places[reached.low])
			if (++reached.low == reached.words)
				return false;
	}
	return reached.places[reached.words - 1] >> middle->end % WORD_BITS & 1;
}

bool glob_fits_bounded(struct span pattern, struct glob_path *path, size_t from)
{
	struct middle middle;

	if (!cut_ends(&middle, pattern, path->path, from))
		return false;
	return !middle.pattern.data || covers_bounded(&middle, path);
}

void glob_drop(struct glob_path *path)
{
	free(path->rows);
	*path = (struct glob_path){ .path = path->path };
}

/* ---- for most patterns -------------------------------------------------- */

/* Where to go on after a star once what followed it did not fit. */
struct retry {
	bool set;
	bool segments;  /* it stands for whole segments only */
	size_t pattern; /* what follows the star */
	size_t path;    /* what the star does not cover yet */
};

static struct retry open_double(struct span pattern, size_t at, size_t path)
{
	bool segments = whole_segments(pattern, at);

	return (struct retry){ true, segments, at + (segments ? 3 : 2), path };
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
 * to take long, or on a long path: what takes more steps is done otherwise.
 */
static bool covers(const struct middle *middle, struct glob_path *all)
{
	const struct span pattern = middle->pattern;
	const struct span path = { all->path.data, middle->end };
	struct retry one = { 0 }, two = { 0 };
	size_t p = middle->first, s = middle->start;
	size_t steps = STEPS;

	while (s < path.len || p < pattern.len) {
		if (!steps--)
			return covers_bounded(middle, all);
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

bool glob_fits(struct span pattern, struct glob_path *path, size_t from)
{
	struct middle middle;

	if (!cut_ends(&middle, pattern, path->path, from))
		return false;
	return !middle.pattern.data || covers(&middle, path);
}

size_t glob_stars(struct span pattern)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < pattern.len; i++)
		count += pattern.data[i] == '*';
	return count;
}

bool glob_match(struct span pattern, struct span path)
{
	struct glob_path once = { .path = path };
	bool fits = glob_fits(pattern, &once, 0);

	glob_drop(&once);
	return fits;
}
