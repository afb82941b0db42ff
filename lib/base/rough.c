/* SPDX-License-Identifier: ISC */
#include "base/rough.h"

#include <stddef.h>

#include "base/buf.h"

#define KIB 1024
#define STILL_READ (10 * KIB) /* of a unit; from then on the next one */

void rough_size(struct buf *text, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	uint64_t size = bytes / KIB + (bytes % KIB != 0);
	size_t unit = 0;

	while (size >= STILL_READ && unit < 3) {
		size = size / KIB + (size % KIB != 0);
		unit++;
	}
	buf_addf(text, "%llu%s", (unsigned long long)size, units[unit]);
}

void rough_age(struct buf *text, uint64_t seconds)
{
	static const struct {
		uint64_t seconds;
		char letter;
	} units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	size_t i = 0;

	while (i < 3 && seconds < 2 * units[i].seconds)
		i++;
	buf_addf(text, "%llu%c",
		 (unsigned long long)(seconds / units[i].seconds),
		 units[i].letter);
}

const char *rough_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
