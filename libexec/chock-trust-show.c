/* SPDX-License-Identifier: ISC */
/* What chock-trust tells a person before it asks. */
#include <string.h>

#include "ask/linediff.h"
#include "ask/show.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-trust.h"
#include "policy/agent.h"
#include "policy/rule.h"

#define CONTEXT 3 /* lines around one that changed */

/* Where the text goes, and what has to be known while it is made. */
struct page {
	struct buf *text; /* borrowed */
	const struct offer *offer;
	struct show how;
	bool cut; /* something was too long */
};

static void put_field(struct page *page, const char *name, struct span value)
{
	size_t start = page->text->len;

	show_field(page->text, span_of(name), value, &page->how);
	/* A row of a text that was shown starts with a mark, this one not. */
	if (strstr(buf_str(page->text) + start, "\n  [cut: "))
		page->cut = true;
}

/* ---- what it would mean ------------------------------------------------- */

/* What messages call the project's files, which is with the project. */
static const char *short_name(const struct offer *offer, const char *file)
{
	size_t len = strlen(offer->project);

	return !strncmp(file, offer->project, len) && file[len] == '/'
		       ? file + len + 1
		       : file;
}

static bool is_shipped(const char *file)
{
	return !strchr(file, '/');
}

/* The line that stands at @origin, without blanks in front. */
static struct span line_at(const struct offer *offer,
			   const struct policy_origin *origin)
{
	struct span rest = { NULL, 0 };
	unsigned int line;
	const char *end;
	size_t i;

	for (i = 0; i < offer->files.count; i++)
		if (!strcmp(offer->files.files[i].name, origin->file))
			rest = buf_span(&offer->files.files[i].bytes);
	for (line = 1; line < origin->line && rest.len; line++) {
		end = memchr(rest.data, '\n', rest.len);
		rest = span_from(rest, (size_t)(end - rest.data) + 1);
	}
	end = rest.len ? memchr(rest.data, '\n', rest.len) : NULL;
	if (end)
		rest.len = (size_t)(end - rest.data);
	return span_from(rest, rest.len ? origin->column - 1 : 0);
}

static void put_line(struct page *page, const struct policy_origin *origin,
		     const char *more)
{
	autobuf struct buf name = { 0 };
	autobuf struct buf value = { 0 };

	buf_addf(&name, "%s:%u", short_name(page->offer, origin->file),
		 origin->line);
	buf_add(&value, line_at(page->offer, origin));
	buf_adds(&value, more);
	put_field(page, buf_str(&name), buf_span(&value));
}

/* Returns whether it was put: a rule that changes nothing is not. */
static bool put_rule(struct page *page, const struct policy_rule *rule)
{
	autobuf struct buf more = { 0 };

	if (!widens_by_rule(&more, page->offer, rule))
		return false;
	put_line(page, &rule->origin, buf_str(&more));
	return true;
}

static bool put_agent(struct page *page, const struct policy_agent *agent)
{
	if (!widens_by_agent(page->offer, agent))
		return false;
	put_line(page, &agent->origin, "");
	return true;
}

/* Whether a statement of the same file holds already, or stands before it. */
static bool is_told(const struct policy *policy, size_t count,
		    const struct policy_statement *statement, bool now)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct policy_statement *other = &policy->statements[i];

		if (!strcmp(other->origin.file, statement->origin.file) &&
		    (now ? other->layer != POLICY_CEILING
			 : other->layer == POLICY_PROJECT))
			return true;
	}
	return false;
}

/* What a shipped policy grants is said by its name, once. */
static bool put_shipped(struct page *page,
			const struct policy_statement *statement)
{
	const struct policy *then = &page->offer->then;
	const struct policy *now = &page->offer->now;

	if (is_told(now, now->statement_count, statement, true) ||
	    is_told(then, (size_t)(statement - then->statements), statement,
		    false))
		return false;
	put_field(page, statement->origin.file,
		  span_of("all that this policy of chock's own grants"));
	return true;
}

/* What only narrows is no news: it held before. */
static bool narrows(enum policy_keyword keyword)
{
	return keyword == POLICY_HIDE || keyword == POLICY_LIMIT ||
	       keyword == POLICY_SYSCALLS || keyword == POLICY_EXPIRES;
}

static bool put_grant(struct page *page,
		      const struct policy_statement *statement)
{
	if (statement->layer != POLICY_PROJECT || narrows(statement->keyword))
		return false;
	if (is_shipped(statement->origin.file))
		return put_shipped(page, statement);
	put_line(page, &statement->origin, "");
	return true;
}

static void put_meaning(struct page *page)
{
	const struct policy *then = &page->offer->then;
	size_t count = 0;
	size_t i;

	buf_adds(page->text, "\nOnce trusted, it permits and grants this, "
			     "beyond what holds now:\n\n");
	for (i = 0; i < then->rule_count; i++)
		count += put_rule(page, &then->rules[i]);
	for (i = 0; i < then->agent_count; i++)
		count += put_agent(page, &then->agents[i]);
	for (i = 0; i < then->statement_count; i++)
		count += put_grant(page, &then->statements[i]);
	if (!count)
		buf_adds(page->text, "  nothing\n");
	for (i = 0; i < then->warning_count; i++) {
		if (!i)
			buf_adds(page->text, "\nNothing in this version asks "
					     "for these by itself:\n\n");
		put_line(page, &then->warnings[i].origin, "");
	}
}

/* ---- the files ---------------------------------------------------------- */

struct differing {
	struct page *page;
	const char *name;
	bool changes; /* leave out what stayed */
	bool headed;
	size_t held_count; /* lines that stayed, not put yet */
	size_t since;      /* lines that stayed since one that did not */
	struct {
		size_t number;
		struct span line;
	} held[CONTEXT];
};

static void put_text_line(struct differing *differing, const char *mark,
			  size_t number, struct span line)
{
	autobuf struct buf name = { 0 };

	if (!differing->headed) {
		buf_addc(differing->page->text, '\n');
		put_field(differing->page, "file", span_of(differing->name));
	}
	differing->headed = true;
	buf_addf(&name, "%s%zu", mark, number);
	put_field(differing->page, buf_str(&name), line);
}

/* Keeps a line that stayed until it is known whether it is near to one that
 * did not. */
static void stay(struct differing *differing, size_t number, struct span line)
{
	if (!differing->changes || differing->since < CONTEXT) {
		differing->since++;
		put_text_line(differing, differing->changes ? " " : "", number,
			      line);
		return;
	}
	if (differing->held_count == CONTEXT)
		memmove(differing->held, differing->held + 1,
			sizeof(differing->held) - sizeof(*differing->held));
	else
		differing->held_count++;
	differing->held[differing->held_count - 1].number = number;
	differing->held[differing->held_count - 1].line = line;
}

static void put_differing(void *context, enum linediff what, size_t number,
			  struct span line)
{
	struct differing *differing = context;
	size_t i;

	if (what == LINE_STAYED) {
		stay(differing, number, line);
		return;
	}
	for (i = 0; i < differing->held_count; i++)
		put_text_line(differing, " ", differing->held[i].number,
			      differing->held[i].line);
	differing->held_count = 0;
	differing->since = 0;
	put_text_line(differing, what == LINE_CAME ? "+" : "-", number, line);
}

static const struct trusted_file *find(const struct trust *trust,
				       const char *name)
{
	size_t i;

	for (i = 0; i < trust->count; i++)
		if (!strcmp(trust->files[i].name, name))
			return &trust->files[i];
	return NULL;
}

static void put_file(struct page *page, const char *name, bool changes)
{
	const struct trusted_file *was = find(&page->offer->was, name);
	const struct trusted_file *is = find(&page->offer->is, name);
	struct differing differing = {
		.page = page,
		.name = name,
		.changes = changes,
		.since = CONTEXT,
	};
	struct span new = is ? buf_span(&is->bytes) : (struct span){ NULL, 0 };
	struct span old = was ? buf_span(&was->bytes)
			      : (struct span){ NULL, 0 };

	if (!changes)
		old = new;
	linediff(old, new, put_differing, &differing);
}

static void put_files(struct page *page, bool changes)
{
	const struct offer *offer = page->offer;
	size_t i;

	for (i = 0; i < offer->is.count; i++)
		put_file(page, offer->is.files[i].name, changes);
	for (i = 0; changes && i < offer->was.count; i++)
		if (!find(&offer->is, offer->was.files[i].name))
			put_file(page, offer->was.files[i].name, changes);
}

static const char *headline(const struct offer *offer, bool changes)
{
	if (!changes)
		return "\nThe files:\n";
	return offer->was.count
		       ? "\nWhat is new since then, in the files:\n"
		       : "\nIt was never trusted, so all of it is new:\n";
}

bool offer_show(struct buf *text, const struct offer *offer, size_t columns,
		bool changes)
{
	struct page page = { .text = text,
			     .offer = offer,
			     .how = { .columns = columns } };

	buf_addc(text, '\n');
	put_field(&page, "project", span_of(offer->project));
	if (offer->was.count)
		put_field(&page, "trusted on",
			  (struct span){ offer->was.date, 10 });
	else
		put_field(&page, "trusted", span_of("never"));
	put_meaning(&page);
	buf_adds(text, headline(offer, changes));
	put_files(&page, changes);
	buf_addc(text, '\n');
	put_field(&page, "digest", span_of(offer->digest));
	return !page.cut;
}
