/* SPDX-License-Identifier: ISC */
/*
 * The reader of what an apply wrote down before it was cut off.
 *
 * The input is the file.  What is read must be ids that git takes for nothing
 * else, and no byte behind the second line counts.
 */

#include "workspace/intent.h"

#include <errno.h>

#include "base/auto.h"
#include "base/why.h"
#include "fuzz.h"

static size_t count_lines(struct span text)
{
	size_t i, lines = 0;

	for (i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	return lines;
}

static void check(const struct intent *intent, struct span text)
{
	const size_t lines = count_lines(text);

	bug_if(intent->also &&
	       (!lines || intent->files || intent->to.len || intent->work.len));
	if (intent->also)
		return;
	bug_if(intent->files != (lines > 1));
	bug_if(!lines != !intent->to.len);
	if (!lines)
		return;
	bug_if(!git_is_id(buf_span(&intent->to)) ||
	       !git_is_id(buf_span(&intent->work)));
	bug_if(intent->from.len && !git_is_id(buf_span(&intent->from)));
}

static bool is_same(const struct intent *a, const struct intent *b)
{
	return span_equal(buf_span(&a->from), buf_span(&b->from)) &&
	       span_equal(buf_span(&a->to), buf_span(&b->to)) &&
	       span_equal(buf_span(&a->work), buf_span(&b->work)) &&
	       span_equal(buf_span(&a->head), buf_span(&b->head)) &&
	       span_equal(buf_span(&a->branch), buf_span(&b->branch)) &&
	       a->files == b->files && a->also == b->also;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span text = { (const char *)data, size };
	autointent struct intent intent = INTENT_CLOSED;
	autointent struct intent again = INTENT_CLOSED;
	struct span whole = text;
	struct why why = { 0 };
	int r = intent_take(&intent, text, &why);

	bug_if(r != 0 && r != -EBADMSG);
	bug_if(r < 0 && !*why.text);
	if (r < 0)
		return 0;
	check(&intent, text);
	while (whole.len && whole.data[whole.len - 1] != '\n')
		whole.len--;
	bug_if(intent_take(&again, whole, &why) < 0);
	bug_if(!is_same(&intent, &again));
	return 0;
}
