/* SPDX-License-Identifier: ISC */
#include "policy/glob.h"

#include <stddef.h>

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
 * crosses slashes can as well.
 */
bool glob_match(struct span pattern, struct span path)
{
	struct retry one = { 0 }, two = { 0 };
	size_t p = 0, s = 0;

	while (s < path.len || p < pattern.len) {
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
