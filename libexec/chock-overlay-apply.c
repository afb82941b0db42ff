/* SPDX-License-Identifier: ISC */
/*
 * chock-overlay - the part that puts a session's files in place
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-overlay.h"
#include "chock-workspace.h"
#include "record/json.h"
#include "workspace/changeset.h"

/* Without a @reason all of it landed. */
static void print_applied(const struct overlay *overlay, const char *reason,
			  bool final)
{
	autobuf struct buf record = { 0 };

	json_open(&record);
	json_str(&record, "session", buf_span(&overlay->id));
	json_bool(&record, "landed", !reason);
	if (reason)
		json_str(&record, "reason", span_of(reason));
	if (final)
		json_bool(&record, "final", true);
	print_record(&record);
}

static void save(struct overlay *overlay)
{
	struct why why = { 0 };

	if (overlay_save(overlay, &why) < 0)
		die_why(&why);
}

/* What is begun is ended: nothing that can be caught cuts it off. */
static enum cow_state land(struct overlay *overlay, const struct cow *cow,
			   bool begun, struct why *why)
{
	autoclose int upper_fd = begun ? -1 : overlay_upper(overlay, why);
	enum cow_state state;
	autoprogress struct progress progress = { 0 };
	sigset_t all, before;

	progress_begin(&progress, "putting the files in place");
	if (!begun && upper_fd < 0)
		return COW_KEPT;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	state = begun ? deferred_resume(cow, &overlay->origin, why)
		      : deferred_land(cow, upper_fd, &overlay->origin, why);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return state;
}

static void carry_out(struct overlay *overlay, const struct cow *cow,
		      bool begun)
{
	struct why why = { 0 };
	enum cow_state state = land(overlay, cow, begun, &why);

	if (state == COW_HALF)
		die(EXIT_SYSTEM,
		    "the apply to '%s' is not finished, and another one goes "
		    "on with it: %s",
		    buf_str(&overlay->project), why.text);
	overlay->landing = false;
	overlay->landed = state == COW_DONE;
	save(overlay);
	if (state != COW_DONE && why.errnum != ESTALE)
		die(EXIT_SYSTEM, "nothing is applied: %s", why.text);
	print_applied(overlay, state == COW_DONE ? NULL : why.text,
		      state != COW_DONE);
}

/* Whether there is something to land; what speaks against it is said. */
static bool check(const struct overlay *overlay, const struct cow *cow,
		  const char *tree)
{
	autochangeset struct changeset changeset = { 0 };
	struct why why = { 0 };

	if (changeset_find(&changeset, overlay, cow, &why) < 0)
		die_why(&why);
	if (!changeset.count && (overlay->landing || overlay->landed))
		return false;
	if (strcmp(changeset.tree, tree) != 0)
		die(EXIT_MISUSE,
		    "nothing is applied: what the session wrote, or what is "
		    "there, is not what was shown");
	if (!changeset.count)
		die(EXIT_MISUSE, "there is nothing to apply");
	if (!changeset.obstacle.len)
		return true;
	print_applied(overlay, buf_str(&changeset.obstacle), changeset.final);
	exit(EXIT_ALLOW);
}

/* All is in place: it was cut off before saying so, or has said it. */
static void say_landed(struct overlay *overlay, const struct cow *cow)
{
	struct why why = { 0 };

	if (deferred_tidy(cow, &why) < 0)
		die_why(&why);
	overlay->landing = false;
	overlay->landed = true;
	save(overlay);
	print_applied(overlay, NULL, false);
}

void overlay_apply(const char *path, const char *tree)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	bool begun;

	report_last_words(print_error);
	begun = overlay_hold(&overlay, &cow, path, true);
	if (!begun && !check(&overlay, &cow, tree)) {
		say_landed(&overlay, &cow);
		return;
	}
	if (!overlay.landing) {
		overlay.landing = true;
		save(&overlay);
	}
	carry_out(&overlay, &cow, begun);
}
