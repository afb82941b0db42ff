/* SPDX-License-Identifier: ISC */
#include "call/subagents.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/num.h"
#include "policy/agent.h"

/* The words behind `subagents`: width W depth D. */
enum { WIDTH = 1, DEPTH = 3 };

struct spawned_chain {
	struct buf kinds; /* a NUL behind each */
	int64_t count;
};

/* One of the two numbers, and where it stands. */
struct most {
	int64_t value;
	const struct policy_statement *statement; /* NULL: the default */
};

static void lower(struct most *most, const struct policy_statement *statement,
		  size_t word)
{
	uint64_t value = 0;

	/* That it is a number was checked when it was read. */
	(void)num_read(&value, span_of(statement->words[word]), INT64_MAX);
	if (most->statement && (int64_t)value >= most->value)
		return;
	most->value = (int64_t)value;
	most->statement = statement;
}

static struct most find_most(const struct policy *policy, size_t word,
			     int64_t value)
{
	struct most layers[POLICY_LAYERS] = { { .value = 0 } };
	struct most most = { .value = value };
	unsigned int layer;
	size_t i;

	for (i = 0; i < policy->statement_count; i++) {
		const struct policy_statement *statement =
			&policy->statements[i];

		if (statement->keyword == POLICY_SUBAGENTS)
			lower(&layers[statement->layer], statement, word);
	}
	for (layer = 0; layer < POLICY_CEILING && !most.statement; layer++)
		if (layers[layer].statement)
			most = layers[layer];
	if (layers[POLICY_CEILING].statement &&
	    layers[POLICY_CEILING].value < most.value)
		most = layers[POLICY_CEILING];
	return most;
}

static void put_chain(struct buf *kinds, const struct asker *asker)
{
	size_t i;

	for (i = 0; i < asker->chain_count; i++) {
		buf_add(kinds, asker->chain[i]);
		buf_addc(kinds, '\0');
	}
}

static struct spawned_chain *find_chain(const struct spawned *spawned,
					const struct asker *asker)
{
	autobuf struct buf kinds = { 0 };
	size_t i;

	put_chain(&kinds, asker);
	for (i = 0; i < spawned->count; i++)
		if (span_equal(buf_span(&spawned->chains[i].kinds),
			       buf_span(&kinds)))
			return &spawned->chains[i];
	return NULL;
}

static struct answer refuse(const struct most *most)
{
	return (struct answer){ .decision = DECISION_DENY,
				.by = ANSWER_SUBAGENTS,
				.statement = most->statement };
}

/* "FILE:LINE: subagents width 6: " */
static void put_most(struct buf *text, const struct most *most,
		     const char *what)
{
	if (most->statement)
		buf_addf(text, "%s:%u: ", most->statement->origin.file,
			 most->statement->origin.line);
	buf_addf(text, "subagents %s %lld%s: ", what, (long long)most->value,
		 most->statement ? "" : ", where no policy says it");
}

struct answer subagents_judge(const struct policy *policy,
			      const struct spawned *spawned,
			      const struct spawning *spawning, struct buf *text)
{
	const struct most width =
		find_most(policy, WIDTH, SUBAGENTS_WIDTH_DEFAULT);
	const struct most depth =
		find_most(policy, DEPTH, SUBAGENTS_DEPTH_DEFAULT);
	const size_t agents = spawning->asker->chain_count;
	const struct spawned_chain *chain =
		find_chain(spawned, spawning->asker);
	int64_t running = spawning->running;

	if (spawning->kind.data && !agent_known(policy, spawning->kind))
		return (struct answer){ .decision = DECISION_DENY,
					.by = ANSWER_KIND,
					.agent = spawning->kind };
	if ((int64_t)agents > depth.value) {
		put_most(text, &depth, "depth");
		buf_addf(text, "the chain has %zu agents", agents);
		return refuse(&depth);
	}
	if (running < 0)
		running = chain ? chain->count : 0;
	if (running >= width.value) {
		put_most(text, &width, "width");
		buf_addf(text, "it has started %lld", (long long)running);
		return refuse(&width);
	}
	if (spawning->running < 0 && !chain &&
	    spawned->count == SUBAGENTS_CHAINS_MAX) {
		buf_addf(text,
			 "what more than %d chains started is not counted",
			 SUBAGENTS_CHAINS_MAX);
		return refuse(&(struct most){ .value = 0 });
	}
	return (struct answer){ .decision = DECISION_ALLOW,
				.by = ANSWER_NOTHING };
}

void spawned_add(struct spawned *spawned, const struct asker *asker)
{
	struct spawned_chain *chain = find_chain(spawned, asker);

	if (!chain) {
		spawned->chains = alloc_array(spawned->chains, spawned->count,
					      sizeof(*spawned->chains));
		chain = &spawned->chains[spawned->count++];
		*chain = (struct spawned_chain){ .count = 0 };
		put_chain(&chain->kinds, asker);
	}
	chain->count++;
}

void spawned_drop(struct spawned *spawned)
{
	size_t i;

	for (i = 0; i < spawned->count; i++)
		buf_drop(&spawned->chains[i].kinds);
	free(spawned->chains);
	*spawned = (struct spawned){ .count = 0 };
}
