/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that knows whose call it is
 */

#include "base/exitcode.h"
#include "base/report.h"
#include "chock-spawn.h"
#include "policy/agent.h"
#include "policy/decide.h"
#include "policy/type.h"

static void check_label(const char *option, const char *word)
{
	const char *fault = type_find(span_of("NAME"))->fault(word);

	if (!*word)
		fault = "empty";
	if (fault)
		die(EXIT_MISUSE, "--%s: '%s' is %s", option, word, fault);
}

static void find_asker(struct spawn *spawn)
{
	const struct spawn_options *given = &spawn->options;
	const char *tool = given->tool ? given->tool : SPAWN_TOOL;
	const char *agent = given->agent ? given->agent : SPAWN_AGENT;

	check_label("tool", tool);
	check_label("agent", agent);
	if (given->agent && !agent_known(&spawn->policy, span_of(agent)))
		die(EXIT_MISUSE,
		    "--agent: no policy that declares agents knows '%s'",
		    agent);
	spawn->asker = (struct asker){ .tool = span_of(tool),
				       .chain = { span_of(agent) },
				       .chain_count = 1 };
}

/* Nobody can be asked here, so that every answer but allow is a no. */
static void decide_jit(struct spawn *spawn)
{
	struct question question = { .action = span_of("sandbox.jit"),
				     .asker = &spawn->asker };

	spawn->sandbox.jit = decide(&spawn->policy, &question).decision ==
			     DECISION_ALLOW;
}

void spawn_asker(struct spawn *spawn)
{
	find_asker(spawn);
	decide_jit(spawn);
}
