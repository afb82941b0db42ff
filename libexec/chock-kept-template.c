/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - the part of the checkouts that sessions begin from
 *
 * What they hold is in the project's history as well, so that to remove one
 * costs time and nothing else, and nobody is asked.
 */

#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-kept.h"
#include "log/stamp.h"
#include "workspace/quote.h"
#include "workspace/templatestore.h"

static void put_project(struct buf *text,
			const struct templatestore_entry *template)
{
	if (template->project.len)
		quote_line(text, buf_span(&template->project));
	else
		buf_adds(text, "(unknown)");
}

static void put_size(struct buf *text,
		     const struct templatestore_entry *template)
{
	rough_size(text, templatestore_size(template->dir));
}

static bool put_row(void *context, const struct templatestore_entry *template)
{
	const uint64_t now = stamp_now() / 1000;
	struct buf *text = context;
	autobuf struct buf size = { 0 };
	autobuf struct buf age = { 0 };

	put_size(&size, template);
	rough_age(&age, now > template->used ? now - template->used : 0);
	buf_addf(text, "%-*s %8s %5s  ", SESSION_ID_LEN, "template",
		 buf_str(&size), buf_str(&age));
	put_project(text, template);
	if (template->users)
		buf_addf(text, "  a checkout that %zu workspace%s\n",
			 template->users,
			 template->users == 1 ? " needs" : "s need");
	else
		buf_adds(text, "  a checkout that no workspace needs\n");
	return false;
}

void kept_template_rows(struct buf *text)
{
	struct why why = { 0 };

	if (templatestore_sweep(put_row, text, &why) < 0)
		die_why(&why);
}

static bool choose(void *context, const struct templatestore_entry *template)
{
	struct buf *text = context;
	autobuf struct buf project = { 0 };

	put_project(&project, template);
	if (template->users) {
		warn("a template of %s stays, for %zu workspace%s it",
		     buf_str(&project), template->users,
		     template->users == 1 ? " needs" : "s need");
		return false;
	}
	buf_addf(text, "cleared a template of %s, ", buf_str(&project));
	put_size(text, template);
	buf_addc(text, '\n');
	return true;
}

void kept_template_clear(void)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (templatestore_sweep(choose, &text, &why) < 0)
		die_why(&why);
	print(&text);
}

void kept_template_sweep(void)
{
	struct why why = { 0 };

	if (templatestore_sweep(templatestore_is_old, NULL, &why) < 0)
		warn("%s", why.text);
}
