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
#include "policy/glob.h"
#include "policy/path.h"
#include "tap.h"

#ifdef CHOCK_SANITIZED
#define SLOWER 10
#else
#define SLOWER 1
#endif

/* What one file may cost, on a machine that does other things too. */
#define NOISE 2
#define CPU_MAX_MS (100L * NOISE * SLOWER)
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

/* As long as a file of them can have, as many stars as one can have, and each
 * fits until near its end. */
static void long_patterns(struct buf *text, unsigned int i)
{
	unsigned int bit;

	buf_adds(text, "deny fs.read.* path **");
	for (bit = 0; bit < 12; bit++)
		buf_adds(text, i >> bit & 1 ? "aa" : "*a");
	for (bit = 12; bit < GLOB_STARS_MAX - 4; bit++)
		buf_adds(text, "*a");
	for (bit *= 2; bit < 229; bit++)
		buf_addc(text, 'a');
	buf_adds(text, "*b*\n");
}

/* The same, and all the kinds that a chain can have. */
static void many_askers(struct buf *text, unsigned int i)
{
	if (!i)
		buf_adds(text, "agent main\n");
	else if (i < CHAIN_MAX)
		buf_addf(text, "agent k%u\n", i);
	else
		long_patterns(text, i);
}

struct file {
	const char *name;
	add_line *add;
	const char *action; /* of the question */
	unsigned int files; /* each a ceiling, and allowed what one is */
	bool wrong;         /* it is refused */
};

static const struct file files[] = {
	{ "rules with long names", long_names, "call.x", 1, false },
	{ "rules for one action", one_action, "git.push", 1, false },
	{ "classes with thousands of segments", deep_classes, "git.x1.a.a", 1,
	  false },
	{ "as many agents as there can be", agent_chain, "call.x300", 1,
	  false },
	{ "long lists of ports", ports, "net.listen", 1, false },
	{ "long lists of words", words, "call.x", 1, false },
	{ "thousands of grants", grants, "call.x", 1, false },
	{ "thousands of statements", singles, "call.x", 1, false },
	{ "patterns that are made to take long", patterns, "fs.read.x", 1,
	  false },
	{ "long patterns of that kind", long_patterns, "fs.read.x", 1, false },
	{ "the same for a full chain", many_askers, "fs.read.x", 1, false },
	{ "the same in several ceilings", many_askers, "fs.read.x", 4, false },
	{ "a mistake that is near to a word", mistakes, "call.x", 1, true },
	{ "blank lines", blanks, "call.x", 1, false },
	{ "a rule that stands twice", twins, "git.push", 1, true },
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

static struct buf included[POLICY_INCLUDE_MAX + 1]; /* by their depth */

/* Files that each include the next one; the first is what is read. */
static void make_included(void)
{
	unsigned int depth, i;

	for (depth = 1; depth <= POLICY_INCLUDE_MAX; depth++) {
		struct buf *bytes = &included[depth];

		if (depth < POLICY_INCLUDE_MAX)
			buf_addf(bytes, "include f%u\n", depth + 1);
		for (i = 1; i < POLICY_STATEMENTS_MAX; i++)
			buf_addf(bytes, "deny call.f%u_%u\n", depth, i);
	}
}

static int fetch(void *context, const char *name, const char *from,
		 struct buf *file, struct buf *bytes, struct why *why)
{
	unsigned int depth = (unsigned int)strtoul(name + 1, NULL, 10);

	(void)context;
	(void)from;
	(void)why;
	buf_adds(file, name);
	buf_add(bytes, buf_span(&included[depth]));
	return 0;
}

static void ask(const struct policy *policy, const char *action)
{
	char path[PATH_LEN_MAX], kinds[CHAIN_MAX][8];
	struct asker asker = { .chain = { span_of("main") } };
	struct question question = { .action = span_of(action),
				     .asker = &asker };
	unsigned int i;

	for (i = 1; i < CHAIN_MAX; i++) {
		(void)snprintf(kinds[i], sizeof(kinds[i]), "k%u", i);
		asker.chain[i] = span_of(kinds[i]);
	}
	asker.chain_count = CHAIN_MAX;
	memset(path, 'a', sizeof(path));
	*path = '/';
	question.act.path = (struct span){ path, sizeof(path) };
	(void)decide(policy, &question);
}

/* Returns whether what is read, or is not, is what should be. */
static bool read_and_ask(const struct buf *text, const struct file *file)
{
	const struct policy_includer includer = { fetch, NULL };
	autopolicy struct policy policy = { 0 };
	struct why why = { 0 };
	unsigned int i;
	int r = 0;

	for (i = 0; !r && i < file->files; i++)
		r = policy_add(&policy, "hostile", buf_span(text),
			       POLICY_CEILING, &includer, &why);
	if (r)
		printf("# refused: %.100s\n", why.text);
	else
		ask(&policy, file->action);
	(void)fflush(stdout);
	return file->wrong == (r < 0);
}

static long milliseconds(struct timeval t)
{
	return t.tv_sec * 1000 + t.tv_usec / 1000;
}

/* Whether reading @text and asking stays in the bounds. */
static void hold(const struct buf *text, const struct file *file)
{
	long many = (long)file->files;
	struct rusage usage = { 0 };
	long cpu, rss;
	int status;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(!read_and_ask(text, file));
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		status = -1;
	cpu = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
	rss = usage.ru_maxrss;
	printf("# %s: %ld ms, %ld MiB\n", file->name, cpu, rss >> 10);
	ok(!status && cpu < CPU_MAX_MS * many && rss < RSS_MAX_KIB * many,
	   file->name);
}

int main(void)
{
	static const struct file deepest = {
		"the deepest includes, sixteen full files",
		NULL,
		"call.f16_4095",
		1,
		false,
	};
	autobuf struct buf text = { 0 };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		make_text(&text, files[i].add);
		hold(&text, &files[i]);
		buf_reset(&text);
	}
	make_included();
	hold(&included[1], &deepest);
	for (i = 0; i <= POLICY_INCLUDE_MAX; i++)
		buf_drop(&included[i]);
	return tap_end();
}
