/* SPDX-License-Identifier: ISC */
/* Digits become a number exactly, or an error; nothing is guessed. */

#include <errno.h>
#include <stdint.h>

#include "base/num.h"
#include "tap.h"

typedef int reader(uint64_t *value, struct span text, uint64_t max);

struct row {
	reader *read;
	const char *text;
	uint64_t max;
	int result;
	uint64_t value;
};

static const struct row rows[] = {
	{ num_read, "0", 0, 0, 0 },
	{ num_read, "007", 10, 0, 7 },
	{ num_read, "18446744073709551615", UINT64_MAX, 0, UINT64_MAX },
	{ num_read, "18446744073709551616", UINT64_MAX, -ERANGE, 0 },
	{ num_read, "99999999999999999999999", UINT64_MAX, -ERANGE, 0 },
	{ num_read, "10", 9, -ERANGE, 0 },
	{ num_read, "", 9, -EINVAL, 0 },
	{ num_read, "-1", 9, -EINVAL, 0 },
	{ num_read, "+1", 9, -EINVAL, 0 },
	{ num_read, " 1", 9, -EINVAL, 0 },
	{ num_read, "1 ", 9, -EINVAL, 0 },
	{ num_read, "0x1", 9, -EINVAL, 0 },
	{ num_read, "1e1", 9, -EINVAL, 0 },
	{ num_read, "1KiB", 9999, -EINVAL, 0 },
	{ num_read_size, "12", 12, 0, 12 },
	{ num_read_size, "12B", 12, 0, 12 },
	{ num_read_size, "1KiB", 1024, 0, 1024 },
	{ num_read_size, "1KiB", 1023, -ERANGE, 0 },
	{ num_read_size, "3MiB", UINT64_MAX, 0, 3145728 },
	{ num_read_size, "4GiB", UINT64_MAX, 0, 4294967296 },
	{ num_read_size, "2TiB", UINT64_MAX, 0, 2199023255552 },
	{ num_read_size, "16777216TiB", UINT64_MAX, -ERANGE, 0 },
	{ num_read_size, "1kib", UINT64_MAX, -EINVAL, 0 },
	{ num_read_size, "1KB", UINT64_MAX, -EINVAL, 0 },
	{ num_read_size, "1K", UINT64_MAX, -EINVAL, 0 },
	{ num_read_size, "KiB", UINT64_MAX, -EINVAL, 0 },
	{ num_read_size, "1KiBB", UINT64_MAX, -EINVAL, 0 },
	{ num_read_seconds, "90", 90, 0, 90 },
	{ num_read_seconds, "90s", 90, 0, 90 },
	{ num_read_seconds, "2m", 999, 0, 120 },
	{ num_read_seconds, "2h", 9999, 0, 7200 },
	{ num_read_seconds, "2d", 999999, 0, 172800 },
	{ num_read_seconds, "2d", 172799, -ERANGE, 0 },
	{ num_read_seconds, "2w", 999999, -EINVAL, 0 },
	{ num_read_seconds, "1h30m", 99999, -EINVAL, 0 },
};

static void sizes_have_words(void)
{
	static const struct {
		uint64_t bytes;
		const char *words;
	} sizes[] = {
		{ 0, "0B" },
		{ 1023, "1023B" },
		{ 1024, "1KiB" },
		{ 1025, "1025B" },
		{ UINT64_C(3) << 20, "3MiB" },
		{ (UINT64_C(1) << 30) + 1024, "1048577KiB" },
		{ UINT64_C(5) << 40, "5TiB" },
		{ UINT64_MAX, "18446744073709551615B" },
	};
	const char *unit;
	char name[80];
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		value = sizes[i].bytes;
		unit = num_shorten(&value);
		(void)snprintf(name, sizeof(name), "%llu%s",
			       (unsigned long long)value, unit);
		ok(!strcmp(name, sizes[i].words), sizes[i].words);
	}
}

int main(void)
{
	char name[80];
	uint64_t value;
	size_t i;
	int r;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		r = rows[i].read(&value, span_of(rows[i].text), rows[i].max);
		(void)snprintf(name, sizeof(name), "'%s' of at most %llu: %d",
			       rows[i].text, (unsigned long long)rows[i].max,
			       rows[i].result);
		ok(r == rows[i].result && (r < 0 || value == rows[i].value),
		   name);
	}
	sizes_have_words();
	r = num_read(&value, (struct span){ "1\0002", 3 }, 999);
	ok(r == -EINVAL, "a NUL is no digit");
	r = num_read(&value, (struct span){ "123", 2 }, 999);
	ok(r == 0 && value == 12, "what is behind the span is not read");
	return tap_end();
}
