/* SPDX-License-Identifier: ISC */
/* The applying of a session's work. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "record/json.h"
#include "workspace/also.h"
#include "workspace/intent.h"
#include "workspace/land.h"
#include "workspace/proposal.h"
#include "workspace/quote.h"
#include "workspace/recover.h"
#include "workspace/refs.h"

static void print_applied(const struct space *space,
			  const struct project *project, struct proposal *q)
{
	const struct buf *reason = &q->reason;
	const struct effect *lands = proposal_lands(q);

	autobuf struct buf record = { 0 };
	autobuf struct buf undo = { 0 };
	autobuf struct buf ref = { 0 };

	buf_addf(&ref, "%s%s", REFS_PARKED, buf_str(&space->id));
	buf_adds(&undo, "git -C ");
	quote_shell(&undo, buf_span(&space->project));
	if (reason->len)
		buf_addf(&undo, " update-ref -d %s", buf_str(&ref));
	else
		buf_addf(&undo, " reset --keep %s", buf_str(&lands->from));
	json_open(&record);
	json_str(&record, "ref", buf_span(&ref));
	json_bool(&record, "landed", !reason->len);
	if (reason->len)
		json_str(&record, "reason", buf_span(reason));
	print_checked_out(&record, project);
	json_str(&record, "from", buf_span(&lands->from));
	json_str(&record, "to", buf_span(&q->effect.to));
	if (!reason->len)
		json_str(&record, "commit", buf_span(&lands->to));
	json_str(&record, "undo", buf_span(&undo));
	print_kept_also(&record, &q->also);
	print_record(&record);
}

/* The work that was shown, or none at all; then how it goes in. */
static int find_shown(struct proposal *q, const struct space *space,
		      const struct project *project, const struct applying *a,
		      struct why *why)
{
	const struct span tree = span_of(a->tree);
	int r = effect_find(&q->effect, space, span_of(a->to), why);

	if (r < 0)
		return r;
	if (!q->effect.commits)
		return why_set(why, EBADMSG, "%s is where the session began",
			       a->to);
	buf_adds(&q->course.onto, a->onto ? a->onto : buf_str(&space->head));
	q->course.way = a->way == COURSE_WAYS ? COURSE_MERGE : a->way;
	/* Nothing else is brought in that would be there for nothing. */
	q->unlooked = a->landing && !strcmp(a->landing, "fast-forward");
	r = proposal_plan(q, space, project, why);
	if (r < 0 || span_equal(tree, buf_span(&proposal_lands(q)->tree)))
		return r;
	if (!span_equal(tree, buf_span(&q->effect.tree)))
		return why_set(why, EBADMSG,
			       "the tree of %s is not the one that was shown",
			       a->to);
	if (!q->reason.len)
		buf_adds(&q->reason, "what would land is not what was shown");
	return 0;
}

/* A yes to work that waits is none to work that lands, and so of each way. */
static void check_landing(struct proposal *q, const char *shown)
{
	if (q->reason.len || !shown || !strcmp(shown, proposal_landing(q)))
		return;
	buf_adds(&q->reason, strcmp(shown, PROPOSAL_PARKED)
				     ? "what would land is not what was shown"
				     : "it was shown as work that waits");
}

/* A lock that is there before we begin is another git's. */
static void find_locks(struct buf *reason, const struct space *space,
		       const struct project *project)
{
	autonames struct names paths = { 0 };
	size_t i;

	intent_locks(&paths, space, project);
	for (i = 0; !reason->len && i < paths.count; i++) {
		if (access(paths.items[i], F_OK) < 0)
			continue;
		buf_adds(reason, "another git has locked it: '");
		quote_line(reason, span_of(paths.items[i]));
		buf_adds(reason, "' is there");
	}
}

static int land(struct proposal *q, struct intent *intent,
		const struct space *space, const struct project *project,
		struct why *why)
{
	const struct landing landing = { space, project, proposal_lands(q) };
	int r = q->landed.to.len ? land_bring(space, project, &q->course, why)
				 : 0;

	return r < 0 ? r : land_move(&q->reason, intent, &landing, why);
}

/* All that writes the project, between the two ends of a journal. */
static int carry_in(struct proposal *q, struct space *space,
		    struct project *project, struct why *why)
{
	autointent struct intent intent = INTENT_CLOSED;
	int r = intent_begin(&intent, space, proposal_lands(q),
			     buf_span(&q->effect.to), why);

	if (r < 0)
		return r;
	space->keep_fd = &intent.fd;
	project->keep_fd = &intent.fd;
	find_locks(&q->reason, space, project);
	r = land_keep(space, project, &q->effect, why);
	if (!r)
		keep_also(&q->also, space, project);
	if (!r && !q->reason.len && land(q, &intent, space, project, why) < 0)
		r = why_within(why, "the work is kept as %s%s", REFS_PARKED,
			       buf_str(&space->id));
	space->keep_fd = NULL;
	project->keep_fd = NULL;
	if (r < 0)
		(void)intent_end(&intent, space, &(struct why){ 0 });
	else
		r = intent_end(&intent, space, why);
	return r;
}

/* Sees to an apply that was cut off, and says what was the case. */
static void recover(const struct space *space, struct project *project)
{
	autobuf struct buf what = { 0 };
	struct why why = { 0 };

	if (recover_apply(&what, space, project, &why) < 0)
		die_why(&why);
	if (what.len)
		warn("%s", buf_str(&what));
}

void recover_work(const struct applying *a)
{
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autobuf struct buf record = { 0 };
	autobuf struct buf what = { 0 };
	struct why why = { 0 };
	int r;

	open_both(&space, &project, a->workspace);
	if (keep_times(&why) < 0 || keep_within(&space, &project, &why) < 0)
		die_why(&why);
	r = recover_apply(&what, &space, &project, &why);
	if (r == -EALREADY)
		die(EXIT_DENY, "%s", why.text);
	if (r < 0)
		die_why(&why);
	json_open(&record);
	json_str(&record, "session", buf_span(&space.id));
	json_str(&record, "recovered",
		 what.len ? buf_span(&what)
			  : span_of("there was nothing to do"));
	print_record(&record);
}

void apply_work(const struct applying *a)
{
	autohides struct hides hides = { 0 };
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autoproposal struct proposal q = { 0 };
	struct why why = { 0 };

	report_last_words(print_error);
	open_both(&space, &project, a->workspace);
	hides_read(&hides, &space);
	if (keep_times(&why) < 0 || keep_within(&space, &project, &why) < 0)
		die_why(&why);
	recover(&space, &project);
	if (a->also && also_read(&q.also, &space, a->also, &why) < 0)
		die_why(&why);
	if (!a->to) {
		apply_also(&q.also, &space, &project);
		return;
	}
	if (space_quarantine(&space, &project, &why) < 0 ||
	    find_shown(&q, &space, &project, a, &why) < 0)
		die_why(&why);
	if (a->no_integrate) {
		buf_reset(&q.reason);
		buf_adds(&q.reason, "integration was not allowed");
	}
	check_landing(&q, a->landing);
	if (carry_in(&q, &space, &project, &why) < 0)
		die_why(&why);
	print_applied(&space, &project, &q);
}
