/* SPDX-License-Identifier: ISC */
#include "base/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/bug.h"
#include "base/exitcode.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/report.h"
#include "base/span.h"

#define OPT_MAX 64
#define HELP_COLUMN 26
#define OF_CHOCK "chock-"

/* A command line that is being read. */
struct words {
	const struct opt_table *table;
	uint64_t given; /* a bit for each row that was */
};

static void print_row(char letter, const char *name, const char *arg,
		      const char *help)
{
	char left[80];

	(void)snprintf(left, sizeof(left), "  %c%c%s--%s%s%s",
		       letter ? '-' : ' ', letter ? letter : ' ',
		       letter ? ", " : "  ", name, arg ? " " : "",
		       arg ? arg : "");
	if (strlen(left) < HELP_COLUMN)
		(void)printf("%-*s%s\n", HELP_COLUMN, left, help);
	else
		(void)printf("%s\n%*s%s\n", left, HELP_COLUMN, "", help);
}

/* A line that begins with a blank goes on with the call before it. */
static void print_usage(const struct opt_table *table, FILE *to)
{
	const int width = (int)strlen(table->program);
	const char *line = table->usage;
	const char *end;

	do {
		end = strchrnul(line, '\n');
		(void)fprintf(to, "%s %*s%s%.*s\n",
			      line == table->usage ? "usage:" : "      ", width,
			      *line == ' ' ? "" : table->program,
			      end == line ? "" : " ", (int)(end - line), line);
		line = end + 1;
	} while (*end);
}

static void print_help(const struct opt_table *table)
{
	const struct opt *opt;
	bool grouped = false;

	print_usage(table, stdout);
	(void)printf("\n%s - %s\n", table->program, table->about);
	if (!table->opts->group)
		(void)putchar('\n');
	for (opt = table->opts; opt->name; opt++) {
		if (opt->group)
			(void)printf("\n%s:\n", opt->group);
		grouped = grouped || opt->group;
		print_row(opt->letter, opt->name, opt->arg, opt->help);
	}
	if (grouped)
		(void)putchar('\n');
	print_row('h', "help", NULL, "print this and exit");
	print_row(0, "version", NULL, "print the version and exit");
	(void)printf("\nThe manual is %s(1).\n", table->program);
	if (fflush(stdout) != 0)
		die_errno(EXIT_SYSTEM, "cannot write to standard output");
}

void opt_misuse(const struct opt_table *table)
{
	print_usage(table, stderr);
	report_leave(EXIT_MISUSE, "the call has too few words, or too many");
}

static void take_fd_number(const struct opt *opt, const char *value)
{
	uint64_t number;

	if (num_read(&number, span_of(value), INT_MAX) < 0)
		die(EXIT_MISUSE, "--%s: '%s' is not a descriptor", opt->name,
		    value);
	if (fcntl((int)number, F_GETFD) < 0)
		die_errno(EXIT_MISUSE, "--%s: cannot use descriptor %s",
			  opt->name, value);
	*opt->fd = (int)number;
}

static void take_number(const struct opt *opt, const char *value)
{
	int r = num_read(opt->num, span_of(value), opt->max);

	if (r == -ERANGE)
		die(EXIT_MISUSE, "--%s: %s is more than %llu", opt->name, value,
		    (unsigned long long)opt->max);
	if (r < 0)
		die(EXIT_MISUSE, "--%s: '%s' is not a number", opt->name,
		    value);
}

static void take_seconds(const struct opt *opt, const char *value)
{
	uint64_t seconds;
	int r = num_read_seconds(&seconds, span_of(value), opt->max);

	if (r == -ERANGE)
		die(EXIT_MISUSE, "--%s: %s is more than %llu seconds",
		    opt->name, value, (unsigned long long)opt->max);
	if (r < 0 || seconds < opt->min)
		die(EXIT_MISUSE, "--%s: '%s' is not a time, such as 90s",
		    opt->name, value);
	*opt->seconds = seconds;
}

/* A flag says the same twice, and a list is for more than one. */
static void note(struct words *words, const struct opt *opt)
{
	size_t row = (size_t)(opt - words->table->opts);
	uint64_t bit;

	bug_if(row >= OPT_MAX);
	bit = UINT64_C(1) << row;
	if (words->given & bit && !opt->list && !opt->flag)
		die(EXIT_MISUSE, "--%s: given twice, and one value counts",
		    opt->name);
	words->given |= bit;
	if (opt->flag)
		*opt->flag = true;
}

static void take_value(struct words *words, const struct opt *opt,
		       const char *value)
{
	struct opt_list *list = opt->list;

	note(words, opt);
	if (opt->str) {
		*opt->str = value;
	} else if (list) {
		list->items = alloc_array(list->items, list->count,
					  sizeof(*list->items));
		list->items[list->count++] = value;
	} else if (opt->fd) {
		take_fd_number(opt, value);
	} else if (opt->seconds) {
		take_seconds(opt, value);
	} else {
		bug_if(!opt->num);
		take_number(opt, value);
	}
}

/* How a person has it run: of most programs only chock is on PATH. */
static const char *call_of(const struct opt_table *table, struct buf *called)
{
	const size_t len = strlen(OF_CHOCK);

	buf_adds(called, table->program);
	if (strncmp(table->program, OF_CHOCK, len) != 0)
		return buf_str(called);
	buf_reset(called);
	buf_addf(called, "chock %s", table->program + len);
	return buf_str(called);
}

static const struct opt *find_letter(const struct opt_table *table, char letter)
{
	autobuf struct buf called = { 0 };
	const struct opt *opt;

	for (opt = table->opts; opt->name; opt++)
		if (opt->letter == letter)
			return opt;
	die(EXIT_MISUSE, "no option -%c; see '%s --help'", letter,
	    call_of(table, &called));
}

static const struct opt *find_name(const struct opt_table *table,
				   struct span name)
{
	const char *names[OPT_MAX + 2] = { "help", "version" };
	autobuf struct buf called = { 0 };
	const struct opt *opt;
	const char *near;
	size_t count = 2;

	for (opt = table->opts; opt->name; opt++) {
		bug_if(count == OPT_MAX + 2);
		if (span_is(name, opt->name))
			return opt;
		names[count++] = opt->name;
	}
	near = nearest_word(name, names, count);
	if (near)
		die(EXIT_MISUSE, "no option --%.*s; did you mean --%s?",
		    (int)name.len, name.data, near);
	die(EXIT_MISUSE, "no option --%.*s; see '%s --help'", (int)name.len,
	    name.data, call_of(table, &called));
}

/* One word that starts with "--"; returns how many words it took. */
static int take_long(struct words *words, char **word)
{
	struct span name = { word[0] + 2, strcspn(word[0] + 2, "=") };
	const char *value = name.data[name.len] ? name.data + name.len + 1
						: NULL;
	const struct opt *opt;

	if (value && (span_is(name, "help") || span_is(name, "version")))
		die(EXIT_MISUSE, "--%.*s takes no value", (int)name.len,
		    name.data);
	if (span_is(name, "help")) {
		print_help(words->table);
		exit(EXIT_ALLOW);
	}
	if (span_is(name, "version")) {
		(void)printf("%s %s\n", words->table->program, PACKAGE_VERSION);
		exit(fflush(stdout) == 0 ? EXIT_ALLOW : EXIT_SYSTEM);
	}
	opt = find_name(words->table, name);
	if (opt->flag) {
		if (value)
			die(EXIT_MISUSE, "--%s takes no value", opt->name);
		note(words, opt);
		return 1;
	}
	if (value) {
		take_value(words, opt, value);
		return 1;
	}
	if (!word[1])
		die(EXIT_MISUSE, "--%s needs %s", opt->name, opt->arg);
	take_value(words, opt, word[1]);
	return 2;
}

/* One word of letters behind '-'; returns how many words it took. */
static int take_letters(struct words *words, char **word)
{
	const char *letter;
	const struct opt *opt;

	for (letter = word[0] + 1; *letter; letter++) {
		if (*letter == 'h') {
			print_help(words->table);
			exit(EXIT_ALLOW);
		}
		opt = find_letter(words->table, *letter);
		if (opt->flag) {
			note(words, opt);
			continue;
		}
		if (letter[1]) {
			take_value(words, opt, letter + 1);
			return 1;
		}
		if (!word[1])
			die(EXIT_MISUSE, "-%c needs %s", *letter, opt->arg);
		take_value(words, opt, word[1]);
		return 2;
	}
	return 1;
}

static int take_all(struct words *words, int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (argv[i][1] == '-')
			i += take_long(words, argv + i);
		else
			i += take_letters(words, argv + i);
	}
	return i < argc ? i : argc;
}

static int parse(const struct opt_table *table, int argc, char **argv,
		 uint64_t *given)
{
	struct words words = { .table = table };
	int at;

	report_name(table->program);
	at = take_all(&words, argc, argv);
	*given = words.given;
	return at;
}

int opt_parse(const struct opt_table *table, int argc, char **argv)
{
	uint64_t given;

	return parse(table, argc, argv, &given);
}

static bool among(const char *const names[OPT_VERB_MAX], const char *name)
{
	size_t i;

	for (i = 0; i < OPT_VERB_MAX && names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void check_options(const struct opt_verb *verb,
			  const struct opt_table *table, uint64_t given)
{
	const struct opt *opt;

	for (opt = table->opts; opt->name; opt++, given >>= 1) {
		const bool needed = among(verb->needs, opt->name);

		if (needed && !(given & 1))
			die(EXIT_MISUSE, "%s needs --%s %s", verb->name,
			    opt->name, opt->arg);
		if (given & 1 && !needed && !among(verb->takes, opt->name))
			die(EXIT_MISUSE, "%s takes no --%s", verb->name,
			    opt->name);
	}
}

const struct opt_verb *opt_read_verb(const struct opt_verb *verbs,
				     const struct opt_table *table, int argc,
				     char **argv, const char **dir)
{
	const struct opt_verb *verb = verbs;
	uint64_t given;
	int at = opt_parse(table, argc, argv);

	while (at < argc && verb->name && strcmp(argv[at], verb->name) != 0)
		verb++;
	if (at != 1 || at == argc || !verb->name)
		opt_misuse(table);
	argc -= at;
	argv += at;
	at = parse(table, argc, argv, &given);
	check_options(verb, table, given);
	if (argc - at > (verb->dir ? 1 : 0))
		opt_misuse(table);
	*dir = argc > at ? argv[at] : ".";
	return verb;
}
