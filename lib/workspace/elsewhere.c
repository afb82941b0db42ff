/* SPDX-License-Identifier: ISC */
#include "workspace/elsewhere.h"

#include <string.h>

#include "base/buf.h"
#include "base/span.h"
#include "workspace/quote.h"

void elsewhere_diff(struct buf *text, const char *dir, const char *id,
		    enum elsewhere_kind kind)
{
	const char *slash = strrchr(dir, '/');

	if (slash && !strcmp(slash + 1, id)) {
		buf_addf(text, "chock workspace diff %s", id);
		return;
	}
	buf_addf(text, "chock %s diff -w ",
		 kind == ELSEWHERE_GIT ? "workspace" : "overlay");
	quote_shell(text, span_of(dir));
}
