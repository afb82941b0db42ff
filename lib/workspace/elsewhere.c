/* SPDX-License-Identifier: ISC */
#include "workspace/elsewhere.h"

#include "base/auto.h"
#include "base/buf.h"
#include "base/place.h"
#include "base/span.h"
#include "base/why.h"
#include "workspace/quote.h"

/* The session whose workspace, or what it binds, is in @dir; or nothing. */
static struct span kept_session(const char *dir)
{
	autobuf struct buf kept = { 0 };
	struct span rest = span_of(dir);
	struct why why = { 0 };
	struct span id;

	if (place_state(&kept, &why) < 0)
		return (struct span){ NULL, 0 };
	buf_adds(&kept, "/sessions/");
	if (!span_starts(rest, buf_str(&kept)))
		return (struct span){ NULL, 0 };
	rest = span_from(rest, kept.len);
	(void)span_cut(&rest, '/');
	id = span_cut(&rest, '/');
	return rest.len && !span_is(rest, "binds") ? (struct span){ NULL, 0 }
						   : id;
}

void elsewhere_diff(struct buf *text, const char *dir, enum elsewhere_kind kind)
{
	const struct span id = kept_session(dir);

	if (id.len) {
		buf_adds(text, "chock workspace diff ");
		buf_add(text, id);
		return;
	}
	buf_addf(text, "chock %s diff -w ",
		 kind == ELSEWHERE_GIT ? "workspace" : "overlay");
	quote_shell(text, span_of(dir));
}
