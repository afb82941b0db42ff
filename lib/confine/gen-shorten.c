/* SPDX-License-Identifier: ISC */
#include "confine/gen-shorten.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bug.h"
#include "confine/gen-names.h"

/* What is known of a filter; one bit an instruction. */
struct notes {
	bool shared[GEN_CODE_MAX]; /* a return that others may use as theirs */
	bool reached[GEN_CODE_MAX];
	uint32_t held[GEN_CODE_MAX]; /* what is loaded there, see held_behind */
	size_t moved[GEN_CODE_MAX];  /* where it will be */
};

static bool is_return(const struct sock_filter *at)
{
	return BPF_CLASS(at->code) == BPF_RET;
}

static bool is_long_jump(const struct sock_filter *at)
{
	return at->code == (BPF_JMP | BPF_JA);
}

static bool is_condition(const struct sock_filter *at)
{
	return BPF_CLASS(at->code) == BPF_JMP && !is_long_jump(at);
}

/*
 * Where the instruction at @from shall go in place of @to: if that is a
 * return, to the farthest equal one in reach that is shared already.
 */
static size_t shared_target(struct notes *notes, const struct sock_filter *code,
			    size_t len, size_t from, size_t to)
{
	size_t last = from + 1 + GEN_JUMP_MAX;
	size_t i;

	if (!is_return(&code[to]))
		return to;
	if (last >= len)
		last = len - 1;
	for (i = last; i > from; i--)
		if (notes->shared[i] && code[i].code == code[to].code &&
		    code[i].k == code[to].k)
			return i;
	notes->shared[to] = true;
	return to;
}

/* From the end on, so that what is behind an instruction is known by then. */
static void share_returns(struct notes *notes, struct sock_filter *code,
			  size_t len)
{
	size_t i = len;

	while (i--) {
		if (!notes->reached[i] || !is_condition(&code[i]))
			continue;
		code[i].jt = (uint8_t)(shared_target(notes, code, len, i,
						     i + 1 + code[i].jt) -
				       i - 1);
		code[i].jf = (uint8_t)(shared_target(notes, code, len, i,
						     i + 1 + code[i].jf) -
				       i - 1);
	}
}

/* What is loaded behind @at, which finds @held: its place + 1, 0: not known. */
static uint32_t held_behind(const struct sock_filter *at, uint32_t held)
{
	if (at->code == (BPF_LD | BPF_W | BPF_ABS))
		return at->k + 1;
	return BPF_CLASS(at->code) == BPF_JMP ? held : 0;
}

/* Notes that one comes to @to with @held, and from elsewhere with others. */
static void arrive(struct notes *notes, size_t to, uint32_t held)
{
	notes->held[to] = notes->reached[to] && notes->held[to] != held ? 0
									: held;
	notes->reached[to] = true;
}

/* Where a jump to @to comes to: past a load of what is @held already. */
static size_t past_load(const struct sock_filter *code, size_t to,
			uint32_t held)
{
	return to + (code[to].code == (BPF_LD | BPF_W | BPF_ABS) &&
		     code[to].k + 1 == held);
}

/* What a row of arguments has looked at, the next one looks at again. */
static void share_loads(struct notes *notes, struct sock_filter *code,
			size_t len)
{
	size_t i, first, second;
	uint32_t held;

	arrive(notes, 0, 0);
	for (i = 0; i < len; i++) {
		if (!notes->reached[i] || is_return(&code[i]))
			continue;
		held = held_behind(&code[i], notes->held[i]);
		first = second = i + 1;
		if (is_condition(&code[i])) {
			first = past_load(code, i + 1 + code[i].jt, held);
			second = past_load(code, i + 1 + code[i].jf, held);
			bug_if(first > i + 1 + GEN_JUMP_MAX ||
			       second > i + 1 + GEN_JUMP_MAX);
			code[i].jt = (uint8_t)(first - i - 1);
			code[i].jf = (uint8_t)(second - i - 1);
		} else if (is_long_jump(&code[i])) {
			first = second =
				past_load(code, i + 1 + code[i].k, held);
			code[i].k = (uint32_t)(first - i - 1);
		}
		arrive(notes, first, held);
		arrive(notes, second, held);
	}
	memset(notes->reached, 0, sizeof(notes->reached));
}

/* Jumps lead forward, so that once through is enough. */
static void mark_reached(struct notes *notes, const struct sock_filter *code,
			 size_t len)
{
	size_t first, second, i;

	notes->reached[0] = true;
	for (i = 0; i < len; i++) {
		if (!notes->reached[i] || is_return(&code[i]))
			continue;
		first = second = i + 1;
		if (is_long_jump(&code[i]))
			first = second = i + 1 + code[i].k;
		else if (is_condition(&code[i])) {
			first += code[i].jt;
			second += code[i].jf;
		}
		bug_if(first >= len || second >= len);
		notes->reached[first] = notes->reached[second] = true;
	}
}

static size_t close_up(struct notes *notes, struct sock_filter *code,
		       size_t len)
{
	const size_t *moved = notes->moved;
	size_t left = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		notes->moved[i] = left;
		left += notes->reached[i];
	}
	for (i = 0; i < len; i++) {
		struct sock_filter at = code[i];

		if (!notes->reached[i])
			continue;
		if (is_long_jump(&at)) {
			at.k = (uint32_t)(moved[i + 1 + at.k] - moved[i] - 1);
		} else if (is_condition(&at)) {
			at.jt = (uint8_t)(moved[i + 1 + at.jt] - moved[i] - 1);
			at.jf = (uint8_t)(moved[i + 1 + at.jf] - moved[i] - 1);
		}
		code[moved[i]] = at;
	}
	return left;
}

size_t shorten(struct sock_filter *code, size_t len)
{
	static struct notes notes;
	size_t before;

	bug_if(!len || len > GEN_CODE_MAX);
	/* What is left out brings more returns into the reach of a jump. */
	do {
		before = len;
		memset(&notes, 0, sizeof(notes));
		share_loads(&notes, code, len);
		mark_reached(&notes, code, len);
		share_returns(&notes, code, len);
		memset(notes.reached, 0, sizeof(notes.reached));
		mark_reached(&notes, code, len);
		len = close_up(&notes, code, len);
	} while (len < before);
	return len;
}
