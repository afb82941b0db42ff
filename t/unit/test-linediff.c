/* SPDX-License-Identifier: ISC */
/* linediff: what stays and went is the old text, what stays and came the new */

#include <string.h>

#include "ask/linediff.h"
#include "base/buf.h"
#include "tap.h"

#define LETTERS 3
#define LINES 5

struct told {
	struct buf old;
	struct buf new;
	size_t stayed;
	size_t old_number;
	size_t new_number;
	bool in_order;
};

static void tell(void *context, enum linediff what, size_t number,
		 struct span line)
{
	struct told *told = context;

	if (what != LINE_CAME) {
		buf_add(&told->old, line);
		buf_addc(&told->old, '\n');
		told->old_number++;
	}
	if (what != LINE_WENT) {
		buf_add(&told->new, line);
		buf_addc(&told->new, '\n');
		told->new_number++;
	}
	told->stayed += what == LINE_STAYED;
	if (number != (what == LINE_WENT ? told->old_number : told->new_number))
		told->in_order = false;
}

/* The @number-th text of at most LINES lines of one letter each. */
static void make(char *text, unsigned int number)
{
	for (; number; number /= LETTERS + 1) {
		*text++ = (char)('a' + number % (LETTERS + 1));
		*text++ = '\n';
	}
	*text = '\0';
}

static bool holds(const char *old, const char *new, size_t *stayed)
{
	struct told told = { .in_order = true };
	bool fine;

	linediff(span_of(old), span_of(new), tell, &told);
	fine = told.in_order && !strcmp(buf_str(&told.old), old) &&
	       !strcmp(buf_str(&told.new), new);
	*stayed = told.stayed;
	buf_drop(&told.old);
	buf_drop(&told.new);
	return fine;
}

static void all_small_texts(void)
{
	const unsigned int texts = 256; /* (LETTERS + 1) ** 4 */
	unsigned int i, j;
	bool fine = true;
	bool same = true;
	size_t stayed;

	for (i = 0; i < texts; i++)
		for (j = 0; j < texts; j++) {
			char old[2 * LINES + 1];
			char new[2 * LINES + 1];

			make(old, i);
			make(new, j);
			fine = fine && holds(old, new, &stayed);
			same = same && (i != j || stayed * 2 == strlen(old));
		}
	ok(fine, "tells both texts, whole and in order");
	ok(same, "lets equal texts stay");
}

static void longest(void)
{
	size_t stayed;

	ok(holds("a\nb\nc\nd\ne\n", "b\nx\nd\na\ne\n", &stayed) && stayed == 3,
	   "finds the longest run that stays");
}

static void too_large(void)
{
	struct buf old = { 0 };
	struct buf new = { 0 };
	size_t stayed;
	int i;

	for (i = 0; i < 2100; i++) {
		buf_addf(&old, "%d\n", i);
		buf_addf(&new, "%d\n", 3000 - i);
	}
	ok(holds(buf_str(&old), buf_str(&new), &stayed) && !stayed,
	   "takes parts that are too large for gone and come");
	buf_adds(&old, "end\n");
	buf_adds(&new, "end\n");
	ok(holds(buf_str(&old), buf_str(&new), &stayed) && stayed == 1,
	   "still lets their ends stay");
	buf_drop(&old);
	buf_drop(&new);
}

int main(void)
{
	all_small_texts();
	longest();
	too_large();
	return tap_end();
}
