/* SPDX-License-Identifier: ISC */
#include "limit/accounting.h"

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

static bool wants_any(const struct accounting *accounting)
{
	return wants(accounting->sandbox, accounting->outcome, LIMIT_MEMORY) ||
	       wants(accounting->sandbox, accounting->outcome, LIMIT_PROCESSES);
}

void accounting_open(struct accounting *accounting,
		     const struct sandbox *sandbox, struct outcome *outcome)
{
	*accounting = (struct accounting){ .sandbox = sandbox,
					   .outcome = outcome,
					   .usage = USAGE_CLOSED };
	if (!wants_any(accounting))
		return;
	if (outcome->layers[LAYER_PROC].state == LAYER_ON &&
	    !usage_open(&accounting->usage, PROC, SANDBOX_TMP))
		return;
	outcome->means.watched = false;
	limitrow_note(outcome->limits, &sandbox->limits, &outcome->means);
}

/* Once nothing is left of it but zombies, there is nothing that can fork. */
static void end(struct accounting *accounting, enum limit limit)
{
	accounting->outcome->exceeded.ended |= LIMIT_BIT(limit);
	(void)kill(-1, SIGKILL);
}

static void check_memory(struct accounting *accounting)
{
	uint64_t most = accounting->sandbox->limits.value[LIMIT_MEMORY];
	uint64_t bytes;
	int r = usage_memory(&accounting->usage, most, &bytes);

	if (r < 0)
		accounting->outcome->exceeded.blind = true;
	if (r < 0 || bytes > most)
		end(accounting, LIMIT_MEMORY);
}

/* Process 1 is chock's, and counted for nobody. */
static void check_processes(struct accounting *accounting)
{
	uint64_t most = accounting->sandbox->limits.value[LIMIT_PROCESSES];
	uint64_t count;

	if (usage_tasks(&accounting->usage, &count) < 0 || count - 1 > most)
		end(accounting, LIMIT_PROCESSES);
}

/* What an rlimit holds is not ended: the kernel has refused it already. */
static bool wants_crowd(const struct accounting *accounting)
{
	const struct outcome *outcome = accounting->outcome;

	return accounting->sandbox->limits.value[LIMIT_PROCESSES] !=
		       LIMIT_NONE &&
	       outcome->limits[LIMIT_PROCESSES].state == LIMIT_ON &&
	       !(outcome->means.cgroup & LIMIT_BIT(LIMIT_PROCESSES));
}

/* Process 1 is one of the user's as well; of the others @gone have ended. */
static void look_for_crowd(struct accounting *accounting, uint64_t gone)
{
	uint64_t most = accounting->sandbox->limits.value[LIMIT_PROCESSES];
	uint64_t count;

	if (!usage_tasks(&accounting->usage, &count) && count + gone >= most)
		accounting->crowded = true;
}

static void on_time(void *arg)
{
	struct accounting *accounting = arg;
	int64_t began = clock_ms();
	int64_t pause;

	if (wants(accounting->sandbox, accounting->outcome, LIMIT_PROCESSES))
		check_processes(accounting);
	if (wants_crowd(accounting) && !accounting->crowded)
		look_for_crowd(accounting, 0);
	if (wants(accounting->sandbox, accounting->outcome, LIMIT_MEMORY))
		check_memory(accounting);
	pause = (clock_ms() - began) * APART;
	if (pause < USAGE_INTERVAL)
		pause = USAGE_INTERVAL;
	if (pause > USAGE_MAX)
		pause = USAGE_MAX;
	loop_after(accounting->loop, pause, on_time, accounting);
}

/* Without a look at them, the first one finds that it is blind. */
void accounting_start(struct accounting *accounting, struct loop *loop)
{
	accounting->loop = loop;
	if (wants_any(accounting))
		loop_after(loop, USAGE_INTERVAL, on_time, accounting);
}

void accounting_end(struct accounting *accounting)
{
	if (!wants_any(accounting) || !wants_crowd(accounting) ||
	    !full_failed(accounting->outcome))
		return;
	if (!accounting->crowded)
		look_for_crowd(accounting, 1);
	if (accounting->crowded)
		accounting->outcome->exceeded.full |=
			LIMIT_BIT(LIMIT_PROCESSES);
}

void accounting_close(struct accounting *accounting)
{
	usage_close(&accounting->usage);
}
