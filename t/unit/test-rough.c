/* SPDX-License-Identifier: ISC */
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/rough.h"
#include "tap.h"

static bool is(void (*put)(struct buf *, uint64_t), uint64_t amount,
	       const char *words)
{
	autobuf struct buf text = { 0 };

	put(&text, amount);
	return !strcmp(buf_str(&text), words);
}

static void sizes_are_rounded_up(void)
{
	ok(is(rough_size, 0, "0KiB"), "nothing");
	ok(is(rough_size, 1, "1KiB"), "a byte takes a KiB");
	ok(is(rough_size, 10239 << 10, "10239KiB"), "few MiB are many KiB");
	ok(is(rough_size, 10240 << 10, "10MiB"), "ten MiB are so");
	ok(is(rough_size, (10240 << 10) + 1, "11MiB"), "and a byte more");
	ok(is(rough_size, UINT64_MAX, "16777216TiB"), "the most there is");
}

static void ages_are_rounded_down(void)
{
	ok(is(rough_age, 0, "0s"), "now");
	ok(is(rough_age, 119, "119s"), "less than two minutes");
	ok(is(rough_age, 121, "2m"), "minutes");
	ok(is(rough_age, 3 * 3600 + 59, "3h"), "hours");
	ok(is(rough_age, 50 * 86400, "50d"), "days");
}

static void nouns_have_an_ending(void)
{
	ok(!strcmp(rough_plural(1), ""), "one file");
	ok(!strcmp(rough_plural(0), "s") && !strcmp(rough_plural(2), "s"),
	   "no files, two files");
}

int main(void)
{
	nouns_have_an_ending();
	sizes_are_rounded_up();
	ages_are_rounded_down();
	return tap_end();
}
