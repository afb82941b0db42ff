/* SPDX-License-Identifier: ISC */
#include "limit/tally.h"

#include <signal.h>

#include "base/clock.h"
#include "base/loop.h"
#include "limit/full.h"
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

static bool wants_any(const struct tally *tally)
{
	return wants(tally->sandbox, tally->outcome, LIMIT_MEMORY) ||
	       wants(tally->sandbox, tally->outcome, LIMIT_PROCESSES);
}

void tally_open(struct tally *tally, const struct sandbox *sandbox,
		struct outcome *outcome)
{
	*tally = (struct tally){ .sandbox = sandbox,
				 .outcome = outcome,
				 .usage = USAGE_CLOSED };
	if (!wants_any(tally))
		return;
	if (outcome->layers[LAYER_PROC].state == LAYER_ON &&
	    !usage_open(&tally->usage, PROC, SANDBOX_TMP))
		return;
	outcome->means.watched = false;
	limitrow_note(outcome->limits, &sandbox->limits, &outcome->means);
}

/* Once nothing is left of it but zombies, there is nothing that can fork. */
static void end(struct tally *tally, enum limit limit)
{
	tally->outcome->exceeded.ended |= LIMIT_BIT(limit);
	(void)kill(-1, SIGKILL);
}

static void check_memory(struct tally *tally)
{
	uint64_t most = tally->sandbox->limits.value[LIMIT_MEMORY];
	uint64_t bytes;
	int r = usage_memory(&tally->usage, most, &bytes);

	if (r < 0)
		tally->outcome->exceeded.blind = true;
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

/* What an rlimit holds is not ended: the kernel has refused it already. */
static bool wants_crowd(const struct tally *tally)
{
	const struct outcome *outcome = tally->outcome;

	return tally->sandbox->limits.value[LIMIT_PROCESSES] != LIMIT_NONE &&
	       outcome->limits[LIMIT_PROCESSES].state == LIMIT_ON &&
	       !(outcome->means.cgroup & LIMIT_BIT(LIMIT_PROCESSES));
}

/* Process 1 is one of the user's as well; of the others @gone have ended. */
static void look_for_crowd(struct tally *tally, uint64_t gone)
{
	uint64_t most = tally->sandbox->limits.value[LIMIT_PROCESSES];
	uint64_t count;

	if (!usage_tasks(&tally->usage, &count) && count + gone >= most)
		tally->crowded = true;
}

static void on_time(void *arg)
{
	struct tally *tally = arg;
	int64_t began = clock_ms();
	int64_t pause;

	if (wants(tally->sandbox, tally->outcome, LIMIT_PROCESSES))
		check_processes(tally);
	if (wants_crowd(tally) && !tally->crowded)
		look_for_crowd(tally, 0);
	if (wants(tally->sandbox, tally->outcome, LIMIT_MEMORY))
		check_memory(tally);
	pause = (clock_ms() - began) * APART;
	if (pause < USAGE_INTERVAL)
		pause = USAGE_INTERVAL;
	if (pause > USAGE_MAX)
		pause = USAGE_MAX;
	loop_after(tally->loop, pause, on_time, tally);
}

/* Without a look at them, the first one finds that it is blind. */
void tally_start(struct tally *tally, struct loop *loop)
{
	tally->loop = loop;
	if (wants_any(tally))
		loop_after(loop, USAGE_INTERVAL, on_time, tally);
}

void tally_end(struct tally *tally)
{
	if (!wants_any(tally) || !wants_crowd(tally) ||
	    !full_failed(tally->outcome))
		return;
	if (!tally->crowded)
		look_for_crowd(tally, 1);
	if (tally->crowded)
		tally->outcome->exceeded.full |= LIMIT_BIT(LIMIT_PROCESSES);
}

void tally_close(struct tally *tally)
{
	usage_close(&tally->usage);
}
