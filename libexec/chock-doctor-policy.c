/* SPDX-License-Identifier: ISC */
/* What the policies that a run here would find give up of the hardening. */
#include "base/buf.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-doctor.h"
#include "policy/decide.h"
#include "policyfile/policyfile.h"
#include "record/json.h"

/* The two acts that widen, and what each gives up. */
static const struct widening {
	const char *action;
	const char *means;
} widenings[] = {
	{ "sandbox.jit", "pages may be writable and executable" },
	{ "workspace.integrate", "an apply may move the branch" },
};

/* The name of the rule that allows @action, if that is none that ships. */
static bool find_rule(struct buf *name, const struct policy *policy,
		      const char *action)
{
	const struct asker asker = { .chain = { span_of("main") },
				     .chain_count = 1 };
	const struct question question = { .action = span_of(action),
					   .asker = &asker };
	struct answer answer = decide(policy, &question);

	if (answer.decision != DECISION_ALLOW || !answer.rule ||
	    answer.rule->layer == POLICY_DEFAULTS)
		return false;
	rule_name(name, answer.rule);
	return true;
}

static void add_widening(struct buf *out, const struct widening *widening,
			 struct span rule, bool json)
{
	if (json) {
		json_item_object(out);
		json_str(out, "action", span_of(widening->action));
		json_str(out, "rule", rule);
		json_close_object(out);
		return;
	}
	buf_addf(out, "\n%s is allowed by ", widening->action);
	buf_add_plain(out, rule);
	buf_addf(out, ": %s\n", widening->means);
}

static void add_failure(struct buf *out, const struct why *why, bool json)
{
	if (json) {
		json_str(out, "policy", span_of(why->text));
		return;
	}
	buf_adds(out, "\nThe policies here cannot be used: ");
	buf_add_plain(out, span_of(why->text));
	buf_addc(out, '\n');
}

void doctor_widened(struct buf *out, bool json)
{
	autopolicyfiles struct policyfiles files = { 0 };
	autopolicy struct policy policy = { 0 };
	struct why why = { 0 };
	size_t i;
	int r = policyfiles_find(&files, &policy, &why);

	if (!r)
		r = policyfiles_add_found(&files, &policy, ".", &why);
	if (r < 0) {
		add_failure(out, &why, json);
		return;
	}
	if (json)
		json_open_array(out, "widened");
	for (i = 0; i < sizeof(widenings) / sizeof(*widenings); i++) {
		autobuf struct buf rule = { 0 };

		if (find_rule(&rule, &policy, widenings[i].action))
			add_widening(out, &widenings[i], buf_span(&rule), json);
	}
	if (json)
		json_close_array(out);
}
