/* SPDX-License-Identifier: ISC */
/*
 * decide - what one decision costs, with ten rules and with ten thousand
 *
 *	decide [--rounds N]
 *
 * Two policies of one shape, a small and a large one, are asked in turns, so
 * that what else the machine does hits both alike; the ratios are medians over
 * the ratios of single rounds.  The questions differ, and in a large policy
 * they are about rules from all over it; every other one is named by none.
 * "warm" asks all of them again and again, as a harness would; "cold" asks one
 * at a time, each after the caches were filled with something else.
 */

#include "policy/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/why.h"

#define SMALL 10
#define LARGE 10000
#define QUESTIONS 1024
#define WARM_SWEEPS 4 /* over all questions */
#define COLD_QUESTIONS 8
#define EVICT_BYTES ((size_t)64 << 20) /* more than a cache has */
#define ROUNDS_MAX 100000

/* A kind of policy: the line of rule @i, and who would be asking. */
struct shape {
	const char *name;
	void (*rule)(struct buf *line, unsigned int i);
	void (*ask)(struct question *question, struct asker *asker,
		    struct buf *name, unsigned int i);
};

struct contestant {
	struct policy policy;
	struct buf names[QUESTIONS]; /* owned; what the questions point into */
	struct asker askers[QUESTIONS];
	struct question questions[QUESTIONS];
};

static uint64_t rounds = 40;

static const struct opt_table options = {
	"decide",
	"[--rounds N]",
	"what one decision costs, with ten rules and with ten thousand",
	(const struct opt[]){ { 'n', "rounds", "N",
				"how often each is measured; 40",
				.num = &rounds, .max = ROUNDS_MAX },
			      { .name = NULL } },
};

/* ---- shapes of policies ------------------------------------------------- */

static void add_prefix(struct buf *name, unsigned int i)
{
	static const char *const prefixes[] = { "call.tool", "git.sub",
						"exec.path.program",
						"net.connect.com.host",
						"provider.instance" };

	buf_adds(name, prefixes[i % (sizeof(prefixes) / sizeof(*prefixes))]);
	buf_addf(name, "%u", i);
}

static void rule_exact(struct buf *line, unsigned int i)
{
	buf_adds(line, "allow ");
	add_prefix(line, i);
}

static void ask_exact(struct question *question, struct asker *asker,
		      struct buf *name, unsigned int i)
{
	(void)asker;
	add_prefix(name, i);
	question->action = buf_span(name);
}

static void rule_class(struct buf *line, unsigned int i)
{
	buf_addf(line, "ask net.connect.com.host%u.*", i);
}

static void ask_class(struct question *question, struct asker *asker,
		      struct buf *name, unsigned int i)
{
	(void)asker;
	buf_addf(name, "net.connect.com.host%u.static.www", i);
	question->action = buf_span(name);
}

/* Four rules an action, and of all kinds. */
static void rule_mixed(struct buf *line, unsigned int i)
{
	static const char *const forms[] = { "port 443,8000-8100",
					     "agent reviewer",
					     "tool fetch_url model m.*",
					     "port 443 proto tcp agent main" };

	if (i % 8 < 4)
		buf_addf(line, "allow net.connect.com.host%u %s", i / 4,
			 forms[i % 4]);
	else
		buf_addf(line, "ask net.connect.com.host%u.* %s", i / 4,
			 forms[i % 4]);
}

static void ask_mixed(struct question *question, struct asker *asker,
		      struct buf *name, unsigned int i)
{
	buf_addf(name, "net.connect.com.host%u%s", i / 4,
		 i % 8 < 4 ? "" : ".www");
	question->action = buf_span(name);
	question->act.has_port = true;
	question->act.port = 443;
	question->act.proto = span_of("tcp");
	if (i % 2)
		asker->tool = span_of("fetch_url");
}

/* One action, told apart by who asks. */
static void rule_agents(struct buf *line, unsigned int i)
{
	buf_addf(line, "allow git.push agent worker%u", i);
}

static void ask_agents(struct question *question, struct asker *asker,
		       struct buf *name, unsigned int i)
{
	buf_addf(name, "worker%u", i);
	question->action = span_of("git.push");
	asker->chain[0] = buf_span(name);
}

/* One action, told apart by the tool, the model and the agent at once. */
static void rule_askers(struct buf *line, unsigned int i)
{
	buf_addf(line, "allow git.push tool tool%u model m%u agent worker%u", i,
		 i % 16, i / 16);
}

static void ask_askers(struct question *question, struct asker *asker,
		       struct buf *name, unsigned int i)
{
	size_t model, agent;

	buf_addf(name, "tool%u", i);
	model = name->len;
	buf_addf(name, "m%u", i % 16);
	agent = name->len;
	buf_addf(name, "worker%u", i / 16);
	question->action = span_of("git.push");
	asker->tool = (struct span){ name->data, model };
	asker->model = (struct span){ name->data + model, agent - model };
	asker->chain[0] = span_from(buf_span(name), agent);
}

static const struct shape shapes[] = {
	{ "exact names", rule_exact, ask_exact },
	{ "classes", rule_class, ask_class },
	{ "mixed, four an action", rule_mixed, ask_mixed },
	{ "one action, many agents", rule_agents, ask_agents },
	{ "one action, many askers", rule_askers, ask_askers },
};

/* ---- making ------------------------------------------------------------- */

static void add_file(struct policy *policy, const struct buf *text)
{
	struct why why = { 0 };

	if (policy_add(policy, "bench", buf_span(text), POLICY_PROJECT, NULL,
		       &why) < 0)
		die_why(&why);
}

static void make_policy(struct policy *policy, const struct shape *shape,
			unsigned int count)
{
	autobuf struct buf text = { 0 };
	unsigned int i;

	for (i = 0; i < count; i++) {
		shape->rule(&text, i);
		buf_addc(&text, '\n');
		if ((i + 1) % POLICY_STATEMENTS_MAX)
			continue;
		add_file(policy, &text);
		buf_reset(&text);
	}
	add_file(policy, &text);
}

static struct contestant *make(const struct shape *shape, unsigned int count)
{
	struct contestant *made = alloc_zero(1, sizeof(*made));
	unsigned int i;

	make_policy(&made->policy, shape, count);
	for (i = 0; i < QUESTIONS; i++) {
		/* A prime walks through all of the rules, near and far; what
		 * no rule names is the same for both policies. */
		unsigned int about = i % 2 ? i * 7919 % LARGE + LARGE * 8
					   : i * 7919 % count;
		struct question *question = &made->questions[i];

		question->asker = &made->askers[i];
		made->askers[i].chain[0] = span_of("main");
		made->askers[i].chain_count = 1;
		shape->ask(question, &made->askers[i], &made->names[i], about);
	}
	return made;
}

static void drop(struct contestant *contestant)
{
	size_t i;

	policy_drop(&contestant->policy);
	for (i = 0; i < QUESTIONS; i++)
		buf_drop(&contestant->names[i]);
	free(contestant);
}

/* ---- measuring ---------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void evict(void)
{
	static volatile char *bytes;
	size_t i;

	if (!bytes)
		bytes = alloc_zero(1, EVICT_BYTES);
	for (i = 0; i < EVICT_BYTES; i += 64)
		bytes[i]++;
}

/* Nanoseconds a decision. */
static double ask(const struct contestant *c, size_t first, size_t count,
		  size_t sweeps)
{
	static volatile unsigned int last;
	double start = now();
	size_t i, sweep;

	for (sweep = 0; sweep < sweeps; sweep++)
		for (i = 0; i < count; i++)
			last = decide(&c->policy, &c->questions[first + i])
				       .decision;
	(void)last;
	return (now() - start) / (double)(count * sweeps);
}

static double measure(const struct contestant *c, bool cold)
{
	double sum = 0;
	size_t i;

	if (!cold)
		return ask(c, 0, QUESTIONS, WARM_SWEEPS);
	for (i = 0; i < COLD_QUESTIONS; i++) {
		evict();
		sum += ask(c, i, 1, 1);
	}
	return sum / COLD_QUESTIONS;
}

static int by_value(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

static double median(double *values)
{
	qsort(values, rounds, sizeof(*values), by_value);
	return values[rounds / 2];
}

static void compare(const struct shape *shape, const struct contestant *small,
		    const struct contestant *large, bool cold)
{
	double *few = alloc_zero(rounds, sizeof(*few));
	double *many = alloc_zero(rounds, sizeof(*many));
	double *ratio = alloc_zero(rounds, sizeof(*ratio));
	uint64_t i;

	(void)measure(small, cold);
	(void)measure(large, cold);
	for (i = 0; i < rounds; i++) {
		few[i] = measure(small, cold);
		many[i] = measure(large, cold);
		ratio[i] = many[i] / few[i];
	}
	(void)printf("%-26s %-5s %10.0f %10.0f %8.2f\n", shape->name,
		     cold ? "cold" : "warm", median(few), median(many),
		     median(ratio));
	free(few);
	free(many);
	free(ratio);
}

int main(int argc, char **argv)
{
	size_t i;

	if (opt_parse(&options, argc, argv) != argc || !rounds)
		opt_misuse(&options);
	(void)printf("%-26s %-5s %10s %10s %8s\n", "ns a decision", "cache",
		     "10 rules", "10000", "ratio");
	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct contestant *small = make(&shapes[i], SMALL);
		struct contestant *large = make(&shapes[i], LARGE);

		compare(&shapes[i], small, large, false);
		compare(&shapes[i], small, large, true);
		drop(small);
		drop(large);
	}
	return fflush(stdout) == 0 ? EXIT_ALLOW : EXIT_SYSTEM;
}
