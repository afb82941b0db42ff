/* SPDX-License-Identifier: ISC */
/*
 * One pattern is read as if it were a path, and the other matches it.  A star
 * of the first stands for any text at all, so of the states that the second
 * can be in only those go on that can stay whatever the text is: its own
 * stars.  A text that no pattern foresaw would leave it in no other.
 */
#include <string.h>

#include "lint/cover.h"

enum part_kind {
	PART_BYTE,
	PART_STAR,     /* bytes but slashes */
	PART_ALL,      /* bytes */
	PART_SEGMENTS, /* whole segments, each with its slash */
};

struct part {
	enum part_kind kind;
	char byte;
};

struct pattern {
	struct part parts[COVER_PATTERN_MAX];
	size_t count;
};

/*
 * Which states a pattern can be in: that part @at comes next, or that it is
 * within a segment that part @at stands for.
 */
struct states {
	bool next[COVER_PATTERN_MAX + 1];
	bool within[COVER_PATTERN_MAX + 1];
};

/* The part that starts at @at; returns how long it is. */
static size_t read_part(struct part *part, struct span text, size_t at)
{
	bool segment = !at || text.data[at - 1] == '/';
	size_t left = text.len - at;

	part->kind = PART_BYTE;
	part->byte = text.data[at];
	if (part->byte != '*')
		return 1;
	part->kind = PART_STAR;
	if (left < 2 || text.data[at + 1] != '*')
		return 1;
	part->kind = PART_ALL;
	if (!segment || left < 3 || text.data[at + 2] != '/')
		return 2;
	part->kind = PART_SEGMENTS;
	return 3;
}

static bool read_pattern(struct pattern *pattern, struct span text)
{
	size_t at = 0;

	pattern->count = 0;
	while (at < text.len) {
		if (pattern->count == COVER_PATTERN_MAX)
			return false;
		at += read_part(&pattern->parts[pattern->count++], text, at);
	}
	return true;
}

/* A star can also stand for nothing. */
static void close_states(struct states *states, const struct pattern *pattern)
{
	size_t i;

	for (i = 0; i < pattern->count; i++) {
		enum part_kind kind = pattern->parts[i].kind;

		if (!states->next[i] || kind == PART_BYTE)
			continue;
		states->next[i + 1] = true;
		states->within[i] |= kind == PART_SEGMENTS;
	}
}

static struct states take_byte(const struct states *states,
			       const struct pattern *pattern, char byte)
{
	struct states after = { .next = { false } };
	bool slash = byte == '/';
	size_t i;

	for (i = 0; i < pattern->count; i++) {
		const struct part *part = &pattern->parts[i];

		after.next[i] |= states->next[i] &&
				 (part->kind == PART_ALL ||
				  (part->kind == PART_STAR && !slash));
		after.next[i] |= states->within[i] && slash;
		after.within[i] |= states->within[i] && !slash;
		after.next[i + 1] |= states->next[i] &&
				     part->kind == PART_BYTE &&
				     part->byte == byte;
	}
	return after;
}

/* What stays whatever a part of @kind stands for. */
static struct states take_star(const struct states *states,
			       const struct pattern *pattern,
			       enum part_kind kind)
{
	struct states after = { .next = { false } };
	size_t i;

	for (i = 0; i < pattern->count; i++) {
		enum part_kind own = pattern->parts[i].kind;

		after.next[i] =
			states->next[i] &&
			(own == PART_ALL ||
			 (kind == PART_STAR && own == PART_STAR) ||
			 (kind == PART_SEGMENTS && own == PART_SEGMENTS));
		after.within[i] = states->within[i] && kind == PART_STAR;
	}
	return after;
}

bool glob_covers(struct span wide, struct span narrow)
{
	struct states states = { .next = { true } };
	struct pattern pattern, text;
	size_t i;

	if (span_equal(wide, narrow))
		return true;
	if (!read_pattern(&pattern, wide) || !read_pattern(&text, narrow))
		return false;
	close_states(&states, &pattern);
	for (i = 0; i < text.count; i++) {
		const struct part *part = &text.parts[i];

		states = part->kind == PART_BYTE
				 ? take_byte(&states, &pattern, part->byte)
				 : take_star(&states, &pattern, part->kind);
		close_states(&states, &pattern);
	}
	return states.next[pattern.count];
}
