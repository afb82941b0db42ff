/* SPDX-License-Identifier: ISC */
/* What is asked before a session's work is applied. */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "workspace/inside.h"
#include "workspace/proposal.h"
#include "workspace/protect.h"
#include "workspace/questions.h"
#include "workspace/reach.h"

static void __attribute__((noreturn))
stop(const struct applying *a, struct why *why)
{
	report_last_words(NULL);
	print_error(0, why->text);
	why_within(why, "nothing is applied, and the work stays in '%s'",
		   a->workspace);
	die_why(why);
}

/* What the ways that are offered have in common. */
struct offering {
	const struct inside *inside;
	const struct rules *rules;
	struct names *asked; /* changes that there is a question about */
};

static int put_proposal(struct buf *records, struct proposal *q,
			const struct inside *inside, struct why *why)
{
	autobuf struct buf record = { 0 };
	int r = proposal_print(&record, q, inside, why);

	buf_addc(&record, '\n');
	buf_add(records, buf_span(&record));
	return r;
}

/* One question for each way in which the work can come back, best first. */
static int put_ways(struct buf *records, struct proposal *q,
		    const struct inside *inside, struct why *why)
{
	const bool ask = q->course.way == COURSE_ASK;
	unsigned int way = ask ? COURSE_MERGE : q->course.way;
	const unsigned int last = ask ? COURSE_SQUASH : way;
	autobuf struct buf before = { 0 };
	bool put = false;
	int r = 0;

	for (; !r && way <= last; way++) {
		const bool forward = put && !before.len;

		q->course.way = (enum course_way)way;
		r = proposal_plan(q, inside->space, inside->project, why);
		/* A way that is none, or that is one that was asked about. */
		if (r < 0 ||
		    (put && (q->reason.len || (forward && !q->landed.to.len))))
			continue;
		r = put_proposal(records, q, inside, why);
		buf_reset(&before);
		buf_add(&before, buf_span(&q->landed.to));
		put = true;
	}
	return r;
}

/* What was asked about because of another way is not asked about again. */
static void forget_asked(struct effect *lands, struct names *asked)
{
	autonames struct names more = { 0 };
	size_t i;

	for (i = 0; i < lands->change_count; i++) {
		struct effect_change *c = &lands->changes[i];
		autofree char *key = alloc_text("%c%u%u%s", c->status,
						(unsigned int)c->protect,
						c->policy ? 1U : 0U, c->path);

		if (!c->policy && c->protect == PROTECT_NONE)
			continue;
		if (names_has(asked, key)) {
			c->protect = PROTECT_NONE;
			c->policy = false;
		}
		names_add(&more, span_of(key));
	}
	for (i = 0; i < more.count; i++)
		names_add(asked, span_of(more.items[i]));
	names_tidy(asked);
}

/* The project's links as they would be: its index tells them, where it is that
 * of the commit from which the branch moves. */
static int find_reach(struct reach *reach, struct proposal *q,
		      const struct inside *inside, struct why *why)
{
	const struct effect *lands = proposal_lands(q);
	const struct space *space = inside->space;
	int r = -ENOTSUP;

	reach_add_git(reach, inside->project);
	if (q->dirt.none && span_equal(buf_span(&lands->from),
				       buf_span(&inside->project->head)))
		r = reach_find_landed(reach, space, lands, why);
	return r == -ENOTSUP ? reach_find_tree(reach, space,
					       buf_str(&lands->tree), why)
			     : r;
}

/* Marked is all that could come into the project: what lands, or the work. */
static int put_questions_apart(struct buf *records, struct proposal *q,
			       const struct offering *o, struct why *why)
{
	struct effect *lands = proposal_lands(q);
	autoreach struct reach reach = { .links = NULL };
	const struct space *space = o->inside->space;
	int r = protect_find(lands, space, why);

	if (!r)
		r = find_reach(&reach, q, o->inside, why);
	if (r < 0)
		return r;
	rules_mark(lands, o->rules, &reach);
	forget_asked(lands, o->asked);
	questions_print(records, lands,
			&(struct questions_of){ buf_span(&space->id),
						space->dir, ELSEWHERE_GIT });
	return 0;
}

/* For all ways that are offered, as a yes may be to any of them. */
static int put_ways_apart(struct buf *records, struct proposal *q,
			  const struct offering *o, struct why *why)
{
	const bool ask = q->course.way == COURSE_ASK;
	unsigned int way = ask ? COURSE_MERGE : q->course.way;
	const unsigned int first = way;
	const unsigned int last = ask ? COURSE_SQUASH : way;
	int r = 0;

	for (; !r && way <= last; way++) {
		q->course.way = (enum course_way)way;
		r = proposal_plan(q, o->inside->space, o->inside->project, why);
		if (!r && (way == first || !q->reason.len))
			r = put_questions_apart(records, q, o, why);
	}
	q->course.way = ask ? COURSE_ASK : q->course.way;
	return r;
}

void put_questions(const struct applying *a)
{
	autohides struct hides hides = { 0 };
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autoproposal struct proposal found = { 0 };
	autorules struct rules rules = { .root = NULL };
	autobuf struct buf records = { 0 };
	autonames struct names asked = { 0 };
	const struct inside inside = { &space, &project, a->seconds };
	const struct offering offering = { &inside, &rules, &asked };
	struct why why = { 0 };
	enum course_way way;
	int r;

	report_last_words(print_error);
	open_both(&space, &project, a->workspace);
	hides_read(&hides, &space);
	rules_open(&rules, a, buf_str(&project.root));
	way = rules_way(&rules, a);
	if (proposal_find(&found, &inside, a->pack_max, &why) < 0)
		stop(a, &why);
	if (keep_times(&why) < 0 || keep_within(&space, NULL, &why) < 0)
		stop(a, &why);
	found.course.way = way;
	if (!found.effect.commits) {
		r = put_proposal(&records, &found, &inside, &why);
	} else {
		r = put_ways_apart(&records, &found, &offering, &why);
		if (!r)
			r = put_ways(&records, &found, &inside, &why);
	}
	if (r < 0)
		stop(a, &why);
	print(&records);
	if (!proposal_asks(&found))
		exit(EXIT_DENY);
}
