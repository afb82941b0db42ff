/* SPDX-License-Identifier: ISC */
/* A filter that was shortened answers as before, whatever it looks at. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "confine/gen-shorten.h"
#include "tap.h"

#define LEAVES_MAX 600
#define ROOM 4096
#define ACTIONS 5

static struct sock_filter made[ROOM], shorter[ROOM];
static size_t len;

/*
 * Runs it on one number; at any other place than 0, it is the bits of that
 * number from there on.
 */
static uint32_t answer(const struct sock_filter *code, uint32_t number)
{
	const struct sock_filter *at = code;
	uint32_t a = number;

	for (;; at++)
		switch (at->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = number >> at->k;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= at->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			at += a == at->k ? at->jt : at->jf;
			break;
		case BPF_RET | BPF_K:
			return at->k;
		case BPF_JMP | BPF_JA:
			at += at->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			at += a >= at->k ? at->jt : at->jf;
			break;
		default:
			break;
		}
}

/* The same each time, and mixed well enough. */
static size_t drawn(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 16;
}

static void add(uint16_t code, size_t jt, size_t jf, size_t k)
{
	made[len++] = (struct sock_filter){ code, (uint8_t)jt, (uint8_t)jf,
					    (uint32_t)k };
}

/* How long the tree over @count leaves gets; as gen-filters makes it. */
static size_t tree_len(size_t count)
{
	size_t left = count == 1 ? 0 : tree_len(count / 2);

	if (count == 1)
		return 1;
	return (left > 255 ? 2 : 1) + left + tree_len(count - count / 2);
}

static void add_tree(size_t first, size_t count)
{
	size_t left;

	if (count == 1) {
		add(BPF_RET | BPF_K, 0, 0, drawn() % ACTIONS);
		return;
	}
	left = tree_len(count / 2);
	if (left > 255) {
		add(BPF_JMP | BPF_JGE | BPF_K, 0, 1, first + count / 2);
		add(BPF_JMP | BPF_JA, 0, 0, left);
	} else {
		add(BPF_JMP | BPF_JGE | BPF_K, left, 0, first + count / 2);
	}
	add_tree(first, count / 2);
	add_tree(first + count / 2, count - count / 2);
}

/* Whether a tree over @count leaves says the same when it is shorter. */
static bool is_kept(size_t count, size_t *shorter_len)
{
	uint32_t number;

	len = 0;
	add(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0);
	add_tree(0, count);
	memcpy(shorter, made, sizeof(made));
	*shorter_len = shorten(shorter, len);
	/* What is behind the end must not be needed. */
	memset(shorter + *shorter_len, 0,
	       (ROOM - *shorter_len) * sizeof(*shorter));
	for (number = 0; number <= count; number++)
		if (answer(shorter, number) != answer(made, number))
			return false;
	return *shorter_len <= len;
}

static bool are_kept(void)
{
	size_t count, left;

	for (count = 1; count <= LEAVES_MAX; count++)
		if (!is_kept(count, &left))
			return false;
	return true;
}

/* Rows of two tests each, of which some change what they have loaded. */
static bool rows_are_kept(size_t *loads)
{
	uint32_t number;
	size_t row, i;

	len = 0;
	for (row = 0; row < 40; row++) {
		add(BPF_LD | BPF_W | BPF_ABS, 0, 0, row / 8);
		if (row % 5 == 4)
			add(BPF_ALU | BPF_AND | BPF_K, 0, 0, 6);
		add(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, drawn() % 16);
		add(BPF_LD | BPF_W | BPF_ABS, 0, 0, row % 3 ? row / 8 : 0);
		add(BPF_JMP | BPF_JGE | BPF_K, 0, 1, drawn() % 16);
		add(BPF_RET | BPF_K, 0, 0, row % ACTIONS);
	}
	add(BPF_RET | BPF_K, 0, 0, ACTIONS);
	memcpy(shorter, made, sizeof(made));
	row = shorten(shorter, len);
	memset(shorter + row, 0, (ROOM - row) * sizeof(*shorter));
	for (*loads = i = 0; i < row; i++)
		*loads += BPF_CLASS(shorter[i].code) == BPF_LD;
	for (number = 0; number < 256; number++)
		if (answer(shorter, number) != answer(made, number))
			return false;
	return true;
}

/* Two ways to one place, of which one has loaded what comes next. */
static bool meeting_is_kept(void)
{
	uint32_t number;

	len = 0;
	add(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0);
	add(BPF_JMP | BPF_JGE | BPF_K, 1, 0, 5);
	add(BPF_LD | BPF_W | BPF_ABS, 0, 0, 1);
	add(BPF_JMP | BPF_JGE | BPF_K, 0, 3, 2);
	add(BPF_LD | BPF_W | BPF_ABS, 0, 0, 1);
	add(BPF_JMP | BPF_JGE | BPF_K, 0, 1, 6);
	add(BPF_RET | BPF_K, 0, 0, 1);
	add(BPF_RET | BPF_K, 0, 0, 2);
	memcpy(shorter, made, sizeof(made));
	if (shorten(shorter, len) != len)
		return false;
	for (number = 0; number < 16; number++)
		if (answer(shorter, number) != answer(made, number))
			return false;
	return true;
}

int main(void)
{
	static const struct sock_filter one = { BPF_RET | BPF_K, 0, 0, 7 };
	size_t left;

	ok(are_kept(), "trees of one to six hundred answers");
	ok(is_kept(300, &left) && left < len * 2 / 3,
	   "a third and more of three hundred answers goes");
	ok(rows_are_kept(&left) && left < 40, "half of the loads of rows goes");
	ok(meeting_is_kept(), "a load that one of two ways lacks stays");
	shorter[0] = one;
	ok(shorten(shorter, 1) == 1 && answer(shorter, 0) == 7,
	   "a filter of one answer stays");
	return tap_end();
}
