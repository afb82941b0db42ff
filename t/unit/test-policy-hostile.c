/* SPDX-License-Identifier: ISC */
/*
 * policy: what a hostile file costs, before it is refused or answered by
 *
 * Each file is as large as a file can be.  It is read, and one question is
 * answered by it, in a process of its own, whose time on the processor (not
 * the time on the wall) and memory are measured.
 */

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/decide.h"
#include "policy/path.h"
#include "tap.h"

#ifdef CHOCK_SANITIZED
#define SLOWER 10
#else
#define SLOWER 1
#endif

#define CPU_MAX_MS (100L * SLOWER)
#define RSS_MAX_KIB ((64L << 10) * SLOWER)
#define LABEL 96 /* bytes of a name that is to be long, and fit a line */

/* Adds line @i of a file. */
typedef void add_line(struct buf *text, unsigned int i);

static void long_names(struct buf *text, unsigned int i)
{
	buf_addf(text, "deny call.%0230u\n", i);
}

static void one_action(struct buf *text, unsigned int i)
{
	buf_addf(text, "allow git.push agent %0*u port %u tool t%u\n", LABEL, i,
		 i % 65536, i % 7);
}

static void deep_classes(struct buf *text, unsigned int i)
{
	unsigned int depth;

	buf_addf(text, "ask git.x%u", i);
	for (depth = 0; depth < 7500; depth++)
		buf_adds(text, ".a");
	buf_adds(text, ".*\n");
}

/* Each agent is below all that are before it. */
static void agent_chain(struct buf *text, unsigned int i)
{
	if (!i)
		buf_adds(text, "agent main\n");
	else if (i == 1)
		buf_adds(text, "agent k1 parent main\n");
	else if (i < AGENTS_MAX)
		buf_addf(text, "agent k%u parent k%u\n", i, i - 1);
	else
		buf_addf(text, "deny call.x%u agent k%u\n", i,
			 i % (AGENTS_MAX - 1) + 1);
}

static void ports(struct buf *text, unsigned int i)
{
	unsigned int port;

	buf_addf(text, "deny net.listen tool t%u port 1", i);
	for (port = 0; port < 3200; port++)
		buf_addf(text, ",%u", 2000 + port);
	buf_addc(text, '\n');
}

static void words(struct buf *text, unsigned int i)
{
	unsigned int count;

	buf_addf(text, "mcp server%u", i);
	for (count = 0; count < 253; count++)
		buf_adds(text, " w");
	buf_addc(text, '\n');
}

static void grants(struct buf *text, unsigned int i)
{
	buf_addf(text, "read /%0*u\n", LABEL * 2, i);
}

static void singles(struct buf *text, unsigned int i)
{
	buf_adds(text,
		 i < POLICY_STATEMENTS_MAX - 1 ? "hide .env\n" : "net none\n");
}

static void mistakes(struct buf *text, unsigned int i)
{
	(void)i;
	buf_addf(text, "allow net.conect.%0*u\n", LABEL * 2, 1);
}

static void blanks(struct buf *text, unsigned int i)
{
	unsigned int count;

	(void)i;
	for (count = 0; count < 250; count++)
		buf_addc(text, '\n');
}

static void twins(struct buf *text, unsigned int i)
{
	buf_addf(text, "deny git.push model m%u\n",
		 i < POLICY_STATEMENTS_MAX - 1 ? i : 0);
}

static void patterns(struct buf *text, unsigned int i)
{
	buf_addf(text, "deny fs.read.* path **a*a%u*b\n", i);
}

static const struct {
	const char *name;
	add_line *add;
	const char *action; /* of the question */
	long times;         /* how often what others may it may cost */
} files[] = {
	{ "rules with long names", long_names, "call.x", 1 },
	{ "rules for one action", one_action, "git.push", 1 },
	{ "classes with thousands of segments", deep_classes, "git.x1.a.a", 1 },
	{ "as many agents as there can be", agent_chain, "call.x300", 1 },
	{ "long lists of ports", ports, "net.listen", 1 },
	{ "long lists of words", words, "call.x", 1 },
	{ "thousands of grants", grants, "call.x", 1 },
	{ "thousands of statements", singles, "call.x", 1 },
	/* For each of two agents 4096 patterns against 4096 bytes: minutes, if
	 * the time grew with the square of the length. */
	{ "patterns that are made to take long", patterns, "fs.read.x", 100 },
	{ "a mistake that is near to a word", mistakes, "call.x", 1 },
	{ "blank lines", blanks, "call.x", 1 },
	{ "a rule that stands twice", twins, "git.push", 1 },
};

static void make_text(struct buf *text, add_line *add)
{
	unsigned int i;

	for (i = 0; i < POLICY_STATEMENTS_MAX; i++) {
		size_t before = text->len;

		add(text, i);
		if (text->len > POLICY_BYTES_MAX) {
			buf_cut(text, before);
			break;
		}
	}
}

/* An includer of files that each include the next one. */
static int fetch(void *context, const char *name, const char *from,
		 struct buf *file, struct buf *bytes, struct why *why)
{
	unsigned int depth = (unsigned int)strtoul(name + 1, NULL, 10);
	unsigned int i;

	(void)context;
	(void)from;
	(void)why;
	buf_adds(file, name);
	if (depth < POLICY_INCLUDE_MAX)
		buf_addf(bytes, "include f%u\n", depth + 1);
	for (i = 1; i < POLICY_STATEMENTS_MAX; i++)
		buf_addf(bytes, "deny call.f%u_%u\n", depth, i);
	return 0;
}

static void ask(const struct policy *policy, const char *action)
{
	struct asker asker = { .chain = { span_of("main"), span_of("k255") },
			       .chain_count = 2 };
	struct question question = { .action = span_of(action),
				     .asker = &asker };

	char path[PATH_LEN_MAX];

	memset(path, 'a', sizeof(path));
	question.act.path = (struct span){ path, sizeof(path) };
	(void)decide(policy, &question);
}

static void read_and_ask(const struct buf *text, const char *action)
{
	const struct policy_includer includer = { fetch, NULL };
	autopolicy struct policy policy = { 0 };
	struct why why = { 0 };

	if (!policy_add(&policy, "hostile", buf_span(text), POLICY_CEILING,
			&includer, &why))
		ask(&policy, action);
}

static long milliseconds(struct timeval t)
{
	return t.tv_sec * 1000 + t.tv_usec / 1000;
}

/* Whether reading @text and asking stays in the bounds, @times over. */
static bool bounded(const struct buf *text, const char *action, long times,
		    const char *name)
{
	struct rusage usage;
	long cpu, rss;
	int status;
	pid_t pid = fork();

	if (!pid) {
		read_and_ask(text, action);
		_exit(0);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return false;
	cpu = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
	rss = usage.ru_maxrss;
	printf("# %s: %ld ms, %ld MiB\n", name, cpu, rss >> 10);
	return cpu < CPU_MAX_MS * times && rss < RSS_MAX_KIB * times;
}

int main(void)
{
	autobuf struct buf text = { 0 };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		make_text(&text, files[i].add);
		(void)fflush(stdout);
		ok(bounded(&text, files[i].action, files[i].times,
			   files[i].name),
		   files[i].name);
		buf_reset(&text);
	}
	/* Sixteen full files; each may cost what one may. */
	buf_adds(&text, "include f2\n");
	ok(bounded(&text, "call.f16_4095", POLICY_INCLUDE_MAX,
		   "the deepest includes"),
	   "the deepest includes");
	return tap_end();
}
