/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_OPT_H
#define CHOCK_BASE_OPT_H

/*
 * opt - a program's options as a table
 *
 * A table is data: parsing, --help and the check of the manual read the same
 * rows.  Where a row leads decides whether the option takes an argument, and
 * what it may be.  Every program also has --help and --version.
 *
 * Options end at the first word that is not one, or behind "--".  A value
 * follows as the next word or, for a long name, behind '='.  Long names are
 * written in full: an abbreviation that is unique today need not be so
 * tomorrow.  An option that has one value is given once: which of two counts
 * would be a guess, and of `--net none --net host` a dear one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every value that a repeated option was given, in order. */
struct opt_list {
	const char **items; /* owned, the strings are argv's */
	size_t count;
};

/* One option; exactly one of the destinations is set. */
struct opt {
	char letter;      /* 0: only a long name */
	const char *name; /* NULL ends the table */
	const char *arg;  /* what --help calls the value; NULL for a flag */
	const char *help; /* one line, lower case, no full stop */
	bool *flag;
	const char **str;
	struct opt_list *list; /* may be given more than once */
	int *fd;               /* a descriptor that is open */
	uint64_t *num;         /* decimal, at most @max */
	uint64_t *seconds;     /* a time such as 90s, from @min to @max */
	uint64_t min;
	uint64_t max;
	const char *group; /* heading that --help puts in front, or NULL */
};

struct opt_table {
	const char *program;
	const char
		*usage; /* what follows the program's name, a line a call; one
			    that begins with a blank goes on with a call */
	const char *about; /* the manual's one-line description */
	const struct opt *opts;
};

/*
 * opt_parse - read the options of @argv into their destinations
 *
 * Names the program for base/report.  --help and --version are printed on
 * standard output and end the program with EXIT_ALLOW.  A wrong option ends
 * it with EXIT_MISUSE and the nearest right name.
 *
 * Returns the index of the first word that is not an option.
 */
int opt_parse(const struct opt_table *table, int argc, char **argv);

#define OPT_VERB_MAX 8

/* A first word, and the options that go with it: VERB [OPTION]... [DIR]. */
struct opt_verb {
	const char *name; /* NULL ends the table */
	void (*run)(const char *dir);
	const char *needs[OPT_VERB_MAX]; /* options that it must have, */
	const char *takes[OPT_VERB_MAX]; /* and those that it may have */
	bool dir;                        /* whether a DIR may follow */
};

/*
 * opt_read_verb - read the command line of a program that has the verbs @verbs
 *
 * @dir is the word behind it, "." where none is.  The options of @table are
 * read as by opt_parse(); what is wrong ends the program with EXIT_MISUSE.
 *
 * Returns the verb, for the caller to run.
 */
const struct opt_verb *opt_read_verb(const struct opt_verb *verbs,
				     const struct opt_table *table, int argc,
				     char **argv, const char **dir);

/* opt_misuse - say how @table's program is called; leaves with EXIT_MISUSE */
void opt_misuse(const struct opt_table *table) __attribute__((noreturn));

#endif /* CHOCK_BASE_OPT_H */
