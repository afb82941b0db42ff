/* SPDX-License-Identifier: ISC */
#include "workspace/proposal.h"

#include <fcntl.h>
#include <string.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/rough.h"
#include "base/why.h"
#include "record/json.h"
#include "workspace/elsewhere.h"
#include "workspace/hidden.h"
#include "workspace/look.h"
#include "workspace/obstacle.h"
#include "workspace/offered.h"
#include "workspace/quote.h"
#include "workspace/refs.h"
#include "workspace/shown.h"

/* The quarantine is made anew, so that it holds this work and no other. */
static int renew(const struct inside *inside, struct why *why)
{
	const char *dir = inside->space->quarantine;
	int r = file_remove_tree(AT_FDCWD, dir, why);

	return r < 0 ? r
		     : space_quarantine(inside->space, inside->project, why);
}

static int receive(struct effect *effect, const struct inside *inside,
		   const struct look *look, struct why *why)
{
	const bool partial = inside->project->settings.partial;
	int r = effect_receive(inside->space, partial, why);

	return r < 0 ? r
		     : effect_find(effect, inside->space, buf_span(&look->tip),
				   why);
}

/* Without work, branches that bring nothing are no reason to ask. */
static void receive_also(struct proposal *q, const struct inside *inside,
			 const struct look *look, uint64_t pack_max)
{
	struct names left = { 0 };
	size_t i;

	also_find(&q->also, inside, look, pack_max);
	if (!q->effect.commits && !q->also.news && q->also.refs.count)
		also_drop(&q->also);
	for (i = 0; q->also.refs.count && i < q->others.count; i++) {
		const struct span name = span_of(q->others.items[i]);

		if (!span_starts(name, "refs/heads/") &&
		    !span_starts(name, "refs/tags/"))
			names_add(&left, name);
	}
	if (!q->also.refs.count)
		return;
	names_drop(&q->others);
	q->others = left;
}

int proposal_plan(struct proposal *q, const struct space *space,
		  const struct project *project, struct why *why)
{
	struct course *course = &q->course;
	int r = 0;

	buf_reset(&course->commit);
	buf_reset(&course->reason);
	buf_reset(&q->reason);
	effect_drop(&q->landed);
	r = hidden_obstacle(&q->reason, space, &q->effect, why);
	if (r < 0 || q->reason.len)
		return r;
	obstacle_branch(&q->reason, space, project);
	if (q->reason.len)
		return 0;
	if (!course->onto.len)
		buf_add(&course->onto, buf_span(&project->head));
	if (course->way == COURSE_PARK)
		buf_adds(&q->reason, "it is to be kept at its reference");
	else
		r = course_make(course, space, project, &q->effect, why);
	buf_add(&q->reason, buf_span(&course->reason));
	if (r < 0 || q->reason.len)
		return r;
	if (!span_equal(buf_span(&course->commit), buf_span(&q->effect.to))) {
		buf_add(&q->landed.from, buf_span(&course->onto));
		buf_add(&q->landed.to, buf_span(&course->commit));
		q->landed.commits = q->effect.commits;
		r = effect_compare(&q->landed, space, why);
	}
	const struct landing landing = { space, project, proposal_lands(q) };

	return r < 0 ? r
		     : obstacle_find(&q->reason, &landing,
				     q->unlooked ? NULL : &q->dirt, why);
}

int proposal_find(struct proposal *proposal, const struct inside *inside,
		  uint64_t pack_max, struct why *why)
{
	const struct space *space = inside->space;
	autolook struct look look = { 0 };
	bool work;
	int r = offered_forget(space, why);

	if (!r)
		r = look_inside(&look, inside, pack_max, why);
	if (r < 0)
		return r;
	proposal->uncommitted = look.uncommitted;
	proposal->others = look.others;
	look.others = (struct names){ 0 };
	work = look.tip.len &&
	       !span_equal(buf_span(&look.tip), buf_span(&space->head));
	if (work || look.moved.count)
		r = renew(inside, why);
	if (!r && work)
		r = receive(&proposal->effect, inside, &look, why);
	if (!r && (work || look.moved.count))
		receive_also(proposal, inside, &look, pack_max);
	return r < 0 ? r
		     : offered_note(space, buf_span(&proposal->effect.to),
				    &proposal->also, why);
}

/* What becomes of the branch, as far as anything does. */
static void add_move(struct buf *detail, struct proposal *q)
{
	static const char *const how[] = {
		[COURSE_MERGE] = "merged",    [COURSE_REBASE] = "replayed",
		[COURSE_SQUASH] = "squashed", [COURSE_ASK] = "asked",
		[COURSE_PARK] = "parked",
	};

	if (q->landed.to.len)
		buf_addf(detail,
			 "the work is %s onto %s, the branch moves to what "
			 "comes of it, and the working tree with it\n",
			 how[q->course.way], buf_str(&q->course.onto));
	else
		buf_addf(detail,
			 "the branch moves from %s to %s, and the working tree "
			 "with it\n",
			 buf_str(&q->effect.from), buf_str(&q->effect.to));
}

static void add_uncommitted(struct buf *detail, const struct proposal *q)
{
	if (q->uncommitted)
		buf_addf(detail, "%zu uncommitted file%s not applied\n",
			 q->uncommitted, q->uncommitted == 1 ? " is" : "s are");
}

static void add_kept(struct buf *detail, const struct proposal *q,
		     const struct space *space)
{
	buf_adds(detail, "the working tree and the branch stay as they are\n");
	add_uncommitted(detail, q);
	also_show(&q->also, space, detail);
}

/*
 * What is short and what is ours comes first, and then files: a question is cut
 * where it is long, and subjects are whatever a session wrote.  What does not
 * come to the branch has no room of what does, and is last.
 */
static int print_detail(struct buf *detail, struct proposal *q,
			const struct space *space, struct why *why)
{
	const struct effect *lands = proposal_lands(q);
	autonames struct names lines = { 0 };
	int r = effect_subjects(&q->effect, space, SHOWN_ROWS_MAX, &lines, why);

	if (r < 0)
		return r;
	buf_adds(detail, "as a diff, in another terminal:\n  ");
	elsewhere_diff(detail, space->dir, ELSEWHERE_GIT);
	buf_addc(detail, '\n');
	if (q->reason.len)
		buf_addf(detail,
			 "the working tree and the branch stay as they are: "
			 "%s\n",
			 buf_str(&q->reason));
	else
		add_move(detail, q);
	buf_addf(detail, "kept as %s%s\n", REFS_PARKED, buf_str(&space->id));
	add_uncommitted(detail, q);
	shown_work(detail, lands, &q->effect, &lines);
	also_show(&q->also, space, detail);
	return 0;
}

static void print_files(struct buf *record, const struct effect *effect)
{
	const size_t end = record->len + PROPOSAL_SHOWN_MAX;
	size_t i;

	json_open_array(record, "files");
	for (i = 0; i < effect->change_count && record->len < end; i++) {
		const struct effect_change *change = &effect->changes[i];

		json_item_object(record);
		json_str(record, "path", span_of(change->path));
		json_str(record, "status", (struct span){ &change->status, 1 });
		json_close_object(record);
	}
	json_close_array(record);
	json_num(record, "file_count", (int64_t)effect->change_count);
}

static void print_rest(struct buf *record, const struct proposal *q)
{
	const size_t end = record->len + PROPOSAL_SHOWN_MAX;
	size_t i;

	json_num(record, "uncommitted", (int64_t)q->uncommitted);
	json_open_array(record, "others");
	for (i = 0; i < q->others.count && record->len < end; i++)
		json_item(record, span_of(q->others.items[i]));
	json_close_array(record);
	json_num(record, "other_count", (int64_t)q->others.count);
	also_print(&q->also, record);
}

static void print_summary(struct buf *record, struct proposal *q,
			  const struct space *space)
{
	static const char *const verbs[] = {
		[COURSE_MERGE] = "merge",   [COURSE_REBASE] = "rebase",
		[COURSE_SQUASH] = "squash", [COURSE_ASK] = "apply",
		[COURSE_PARK] = "keep",
	};
	const char *verb = q->landed.to.len ? verbs[q->course.way] : "apply";
	const size_t count = proposal_lands(q)->change_count;
	autobuf struct buf summary = { 0 };
	const char *branch = buf_str(&space->branch);

	if (q->effect.commits)
		buf_addf(&summary, "%s %zu commit%s, %zu file%s",
			 q->reason.len ? "keep" : verb, q->effect.commits,
			 rough_plural(q->effect.commits), count,
			 rough_plural(count));
	if (q->effect.commits && !q->reason.len) {
		buf_adds(&summary, q->landed.to.len ? " onto " : " to ");
		quote_line(&summary, span_of(branch + strlen("refs/heads/")));
	}
	if (q->also.refs.count)
		buf_addf(&summary, "%skeep %zu other branch%s or tag%s",
			 summary.len ? ", " : "", q->also.refs.count,
			 q->also.refs.count == 1 ? "" : "es",
			 rough_plural(q->also.refs.count));
	json_str(record, "summary", buf_span(&summary));
}

const char *proposal_landing(const struct proposal *q)
{
	return q->reason.len      ? PROPOSAL_PARKED
	       : q->landed.to.len ? course_word(q->course.way)
				  : "fast-forward";
}

/* What the detail says in words, for programs. */
static void print_effect(struct buf *record, struct proposal *proposal,
			 const struct space *space)
{
	const struct effect *effect = &proposal->effect;
	const struct effect *lands = proposal_lands(proposal);
	const char *way = course_word(proposal->course.way);

	json_open_object(record, "effect");
	json_str(record, "session", buf_span(&space->id));
	if (space->branch.len)
		json_str(record, "branch", buf_span(&space->branch));
	if (effect->commits) {
		json_str(record, "from", buf_span(&effect->from));
		json_str(record, "to", buf_span(&effect->to));
		json_str(record, "onto", buf_span(&proposal->course.onto));
		json_str(record, "tree", buf_span(&lands->tree));
		json_str(record, "way", span_of(way));
		json_str(record, "landing",
			 span_of(proposal_landing(proposal)));
		if (proposal->reason.len)
			json_str(record, "obstacle",
				 buf_span(&proposal->reason));
		print_files(record, lands);
	}
	json_num(record, "commits", (int64_t)effect->commits);
	print_rest(record, proposal);
	json_close_object(record);
}

int proposal_print(struct buf *record, struct proposal *proposal,
		   const struct inside *inside, struct why *why)
{
	autobuf struct buf detail = { 0 };
	int r = 0;

	json_open(record);
	if (proposal_asks(proposal)) {
		buf_adds(&detail, "in ");
		quote_line(&detail, buf_span(&inside->space->project));
		buf_addc(&detail, '\n');
		if (proposal->effect.commits)
			r = print_detail(&detail, proposal, inside->space, why);
		else
			add_kept(&detail, proposal, inside->space);
		json_str(record, "action", span_of("workspace.apply"));
		json_str(record, "source", span_of("workspace"));
		print_summary(record, proposal, inside->space);
		json_str(record, "detail", buf_span(&detail));
	}
	print_effect(record, proposal, inside->space);
	json_close(record);
	return r;
}

void proposal_drop(struct proposal *proposal)
{
	course_drop(&proposal->course);
	effect_drop(&proposal->effect);
	effect_drop(&proposal->landed);
	buf_drop(&proposal->reason);
	names_drop(&proposal->others);
	also_drop(&proposal->also);
	dirt_drop(&proposal->dirt);
}
