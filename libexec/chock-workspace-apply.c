/* SPDX-License-Identifier: ISC */
/* What is asked before a session's work is applied, and the applying. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "record/json.h"
#include "workspace/caution.h"
#include "workspace/inside.h"
#include "workspace/land.h"
#include "workspace/obstacle.h"
#include "workspace/proposal.h"
#include "workspace/quote.h"
#include "workspace/refs.h"

static void __attribute__((noreturn))
stop(const struct applying *a, struct why *why)
{
	why_within(why, "nothing is applied, and the work stays in '%s'",
		   a->workspace);
	die_why(why);
}

void put_questions(const struct applying *a)
{
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autoproposal struct proposal found = { 0 };
	autobuf struct buf records = { 0 };
	autobuf struct buf record = { 0 };
	const struct inside inside = { &space, &project, a->seconds };
	struct why why = { 0 };

	open_both(&space, &project, a->workspace);
	if (proposal_find(&found, &inside, a->pack_max, &why) < 0)
		stop(a, &why);
	rules_mark(&found.effect, a, &project);
	caution_print(&records, &found.effect, &space);
	if (proposal_print(&record, &found, &inside, &why) < 0)
		stop(a, &why);
	buf_addc(&record, '\n');
	buf_add(&records, buf_span(&record));
	print(&records);
	if (!found.effect.commits)
		exit(EXIT_DENY);
}

static void print_applied(const struct space *space,
			  const struct effect *effect, const struct buf *reason)
{
	autobuf struct buf record = { 0 };
	autobuf struct buf undo = { 0 };
	autobuf struct buf ref = { 0 };

	buf_addf(&ref, "%s%s", REFS_PARKED, buf_str(&space->id));
	buf_adds(&undo, "git -C ");
	quote_shell(&undo, buf_span(&space->project));
	if (reason->len)
		buf_addf(&undo, " update-ref -d %s", buf_str(&ref));
	else
		buf_addf(&undo, " reset --keep %s", buf_str(&effect->from));
	json_open(&record);
	json_str(&record, "ref", buf_span(&ref));
	json_bool(&record, "landed", !reason->len);
	if (reason->len)
		json_str(&record, "reason", buf_span(reason));
	json_str(&record, "from", buf_span(&effect->from));
	json_str(&record, "to", buf_span(&effect->to));
	json_str(&record, "undo", buf_span(&undo));
	print_record(&record);
}

/* The work that was shown, or none at all. */
static int find_shown(struct effect *effect, const struct space *space,
		      const struct applying *a, struct why *why)
{
	int r = effect_find(effect, space, span_of(a->to), why);

	if (r < 0)
		return r;
	if (strcmp(buf_str(&effect->tree), a->tree) != 0)
		return why_set(why, EBADMSG,
			       "the tree of %s is not the one that was shown",
			       a->to);
	if (!effect->commits)
		return why_set(why, EBADMSG, "%s is where the session began",
			       a->to);
	return 0;
}

static int land(struct buf *reason, const struct space *space,
		const struct project *project, const struct effect *effect,
		struct why *why)
{
	int r = obstacle_find(reason, space, project, effect, why);

	return r < 0 || reason->len
		       ? r
		       : land_move(reason, space, project, effect, why);
}

void apply_work(const struct applying *a)
{
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autoeffect struct effect effect = { 0 };
	autobuf struct buf reason = { 0 };
	struct why why = { 0 };

	open_both(&space, &project, a->workspace);
	if (space_quarantine(&space, &project, &why) < 0 ||
	    find_shown(&effect, &space, a, &why) < 0 ||
	    land_keep(&space, &project, &effect, &why) < 0)
		die_why(&why);
	if (a->no_integrate)
		buf_adds(&reason, "integration was not allowed");
	else if (land(&reason, &space, &project, &effect, &why) < 0) {
		why_within(&why, "the work is kept as %s%s", REFS_PARKED,
			   buf_str(&space.id));
		die_why(&why);
	}
	print_applied(&space, &effect, &reason);
}
