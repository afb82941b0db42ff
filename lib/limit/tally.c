/* SPDX-License-Identifier: ISC */
#include "limit/tally.h"

#include <signal.h>

#include "base/clock.h"
#include "base/loop.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

#define PROC "/proc"
#define APART 4 /* times as long as a look took, until the next one */

static bool wants(const struct sandbox *sandbox, const struct outcome *outcome,
		  enum limit limit)
{
	return outcome->means.watched &&
	       sandbox->limits.value[limit] != LIMIT_NONE &&
	       outcome->limits[limit].state == LIMIT_PARTIAL &&
	       !(outcome->means.cgroup & LIMIT_BIT(limit));
}

static bool wants_any(const struct sandbox *sandbox,
		      const struct outcome *outcome)
{
	return wants(sandbox, outcome, LIMIT_MEMORY) ||
	       wants(sandbox, outcome, LIMIT_PROCESSES);
}

static int look(struct usage *usage, const struct outcome *outcome)
{
	return outcome->layers[LAYER_PROC].state == LAYER_ON
		       ? usage_open(usage, PROC, SANDBOX_TMP)
		       : -1;
}

void tally_check(const struct sandbox *sandbox, struct outcome *outcome)
{
	autousage struct usage usage = USAGE_CLOSED;

	if (!wants_any(sandbox, outcome) || look(&usage, outcome) == 0)
		return;
	outcome->means.watched = false;
	limitrow_note(outcome->limits, &sandbox->limits, &outcome->means);
}

/* Once nothing is left of it but zombies, there is nothing that can fork. */
static void end(struct tally *tally, enum limit limit)
{
	tally->outcome->toll.ended |= LIMIT_BIT(limit);
	(void)kill(-1, SIGKILL);
}

static void check_memory(struct tally *tally)
{
	uint64_t most = tally->sandbox->limits.value[LIMIT_MEMORY];
	uint64_t bytes;
	int r = usage_memory(&tally->usage, most, &bytes);

	if (r < 0)
		tally->outcome->toll.blind = true;
	if (r < 0 || bytes > most)
		end(tally, LIMIT_MEMORY);
}

/* Process 1 is chock's, and counted for nobody. */
static void check_processes(struct tally *tally)
{
	uint64_t most = tally->sandbox->limits.value[LIMIT_PROCESSES];
	uint64_t count;

	if (usage_tasks(&tally->usage, &count) < 0 || count - 1 > most)
		end(tally, LIMIT_PROCESSES);
}

static void on_time(void *arg)
{
	struct tally *tally = arg;
	int64_t began = clock_ms();
	int64_t pause;

	if (wants(tally->sandbox, tally->outcome, LIMIT_PROCESSES))
		check_processes(tally);
	if (wants(tally->sandbox, tally->outcome, LIMIT_MEMORY))
		check_memory(tally);
	pause = (clock_ms() - began) * APART;
	if (pause < USAGE_INTERVAL)
		pause = USAGE_INTERVAL;
	if (pause > USAGE_MAX)
		pause = USAGE_MAX;
	loop_after(tally->loop, pause, on_time, tally);
}

void tally_start(struct tally *tally, const struct sandbox *sandbox,
		 struct outcome *outcome, struct loop *loop)
{
	*tally = (struct tally){ .sandbox = sandbox,
				 .outcome = outcome,
				 .loop = loop,
				 .usage = USAGE_CLOSED };
	if (!wants_any(sandbox, outcome))
		return;
	/* Without it, the first look finds that it is blind. */
	(void)look(&tally->usage, outcome);
	loop_after(loop, USAGE_INTERVAL, on_time, tally);
}

void tally_close(struct tally *tally)
{
	usage_close(&tally->usage);
}
