/* SPDX-License-Identifier: ISC */
#include "lint/punycode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/utf8.h"

/* The parameters of section 5. */
#define BASE 36U
#define T_MIN 1U
#define T_MAX 26U
#define SKEW 38U
#define DAMP 700U
#define INITIAL_BIAS 72U
#define INITIAL_N 128U

struct label {
	uint32_t characters[PUNYCODE_LABEL_MAX];
	uint32_t count;
	uint32_t ascii; /* how many of them are */
};

static int read_label(struct label *label, struct span text)
{
	size_t len;

	for (; text.len; text = span_from(text, len)) {
		uint32_t *to = &label->characters[label->count];

		if (label->count == PUNYCODE_LABEL_MAX)
			return -EINVAL;
		len = utf8_next(to, text);
		if (!len)
			return -EINVAL;
		label->ascii += *to < INITIAL_N;
		label->count++;
	}
	return 0;
}

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
	uint32_t steps = 0;

	delta = first ? delta / DAMP : delta / 2;
	delta += delta / points;
	while (delta > (BASE - T_MIN) * T_MAX / 2) {
		delta /= BASE - T_MIN;
		steps += BASE;
	}
	return steps + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static void add_digit(struct buf *ascii, uint32_t digit)
{
	buf_addc(ascii, (char)(digit < 26 ? 'a' + digit : '0' + digit - 26));
}

/* A number whose digits say by themselves where it ends. */
static void add_number(struct buf *ascii, uint32_t number, uint32_t bias)
{
	uint32_t at = BASE;

	for (;; at += BASE) {
		uint32_t threshold = at <= bias           ? T_MIN
				     : at >= bias + T_MAX ? T_MAX
							  : at - bias;

		if (number < threshold)
			break;
		number -= threshold;
		add_digit(ascii, threshold + number % (BASE - threshold));
		number /= BASE - threshold;
	}
	add_digit(ascii, number);
}

/* The smallest character of @label that is not below @least. */
static uint32_t next_character(const struct label *label, uint32_t least)
{
	uint32_t next = UINT32_MAX;
	uint32_t i;

	for (i = 0; i < label->count; i++)
		if (label->characters[i] >= least &&
		    label->characters[i] < next)
			next = label->characters[i];
	return next;
}

/* 63 characters below 0x110000 keep all of this far from overflow. */
static void encode(struct buf *ascii, const struct label *label)
{
	uint32_t next = INITIAL_N, delta = 0, bias = INITIAL_BIAS;
	uint32_t done = label->ascii;
	uint32_t i;

	while (done < label->count) {
		uint32_t character = next_character(label, next);

		delta += (character - next) * (done + 1);
		next = character;
		for (i = 0; i < label->count; i++) {
			delta += label->characters[i] < next;
			if (label->characters[i] != next)
				continue;
			add_number(ascii, delta, bias);
			bias = adapt(delta, done + 1, done == label->ascii);
			delta = 0;
			done++;
		}
		delta++;
		next++;
	}
}

int punycode_add(struct buf *ascii, struct span text)
{
	struct label label = { .count = 0 };
	uint32_t i;
	int r = read_label(&label, text);

	if (r < 0)
		return r;
	if (label.ascii < label.count)
		buf_adds(ascii, "xn--");
	for (i = 0; i < label.count; i++)
		if (label.characters[i] < INITIAL_N)
			buf_addc(ascii, (char)label.characters[i]);
	if (label.ascii && label.ascii < label.count)
		buf_addc(ascii, '-');
	encode(ascii, &label);
	return 0;
}
