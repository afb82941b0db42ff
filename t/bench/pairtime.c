/* SPDX-License-Identifier: ISC */
/*
 * pairtime - how long commands take beside each other
 *
 *	pairtime [--rounds N] LABEL COMMAND [WORD...] [';' LABEL COMMAND...]...
 *
 * Each round starts every command once, in an order that is drawn anew, and
 * measures from posix_spawn(3) to the end of wait4(2).  What else the machine
 * does then hits all of them alike: the ratios are medians over the ratios of
 * single rounds.  "cpu" is what the command and all that it waited for kept a
 * processor busy, by getrusage(2): a figure that holds on a busy machine too.
 * A command that does not exit with 0 ends the measurement.
 */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/report.h"

#define COMMANDS_MAX 32
#define WARM_UP 3 /* rounds that do not count */
#define ROUNDS_MAX 1000000

extern char **environ;

struct command {
	const char *label;
	char **argv;
	double *seconds; /* owned; one a round */
	double *cpu;     /* owned; likewise */
};

static struct command commands[COMMANDS_MAX];
static size_t command_count;
static uint64_t rounds = 200;

static const struct opt_table options = {
	"pairtime",
	"[--rounds N] LABEL COMMAND [WORD...] [';' LABEL COMMAND...]...",
	"how long commands take beside each other",
	(const struct opt[]){ { 'n', "rounds", "N",
				"how often each is started; 200",
				.num = &rounds, .max = ROUNDS_MAX },
			      { .name = NULL } },
};

static void read_commands(char **words)
{
	while (*words) {
		struct command *command = &commands[command_count++];

		if (command_count > COMMANDS_MAX)
			die(EXIT_MISUSE, "more than %d commands", COMMANDS_MAX);
		command->label = *words++;
		command->argv = words;
		command->seconds = alloc_zero(rounds, sizeof(double));
		command->cpu = alloc_zero(rounds, sizeof(double));
		while (*words && strcmp(*words, ";") != 0)
			words++;
		if (words == command->argv)
			opt_misuse(&options);
		if (*words)
			*words++ = NULL;
	}
	if (!command_count || !rounds)
		opt_misuse(&options);
}

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double in_seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static double time_one(const struct command *command,
		       const posix_spawn_file_actions_t *actions, double *cpu)
{
	double start = now();
	struct rusage usage;
	double end;
	int status;
	pid_t pid;
	int r;

	r = posix_spawn(&pid, command->argv[0], actions, NULL, command->argv,
			environ);
	if (!r && wait4(pid, &status, 0, &usage) < 0)
		r = errno;
	end = now();
	if (r)
		die(EXIT_SYSTEM, "cannot run '%s': %s", command->argv[0],
		    strerror(r));
	if (status)
		die(EXIT_SYSTEM, "'%s' does not exit with 0, but with %d",
		    command->label,
		    WIFEXITED(status) ? WEXITSTATUS(status)
				      : EXIT_SIGNAL + WTERMSIG(status));
	*cpu = in_seconds(&usage.ru_utime) + in_seconds(&usage.ru_stime);
	return end - start;
}

/* By Fisher and Yates. */
static void shuffle(size_t *order)
{
	unsigned int drawn;
	size_t i;

	for (i = command_count - 1; i > 0; i--) {
		size_t other;
		size_t held = order[i];

		if (getrandom(&drawn, sizeof(drawn), 0) != sizeof(drawn))
			die_errno(EXIT_SYSTEM, "cannot draw a number");
		other = drawn % (i + 1);
		order[i] = order[other];
		order[other] = held;
	}
}

static void measure(void)
{
	posix_spawn_file_actions_t actions;
	size_t order[COMMANDS_MAX];
	uint64_t round;
	size_t i;

	if (posix_spawn_file_actions_init(&actions) ||
	    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
					     "/dev/null", O_RDONLY, 0) ||
	    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
					     "/dev/null", O_WRONLY, 0))
		die(EXIT_SYSTEM, "out of memory");
	for (i = 0; i < command_count; i++)
		order[i] = i;
	for (round = 0; round < WARM_UP + rounds; round++) {
		shuffle(order);
		for (i = 0; i < command_count; i++) {
			struct command *command = &commands[order[i]];
			double cpu;
			double taken = time_one(command, &actions, &cpu);

			if (round < WARM_UP)
				continue;
			command->seconds[round - WARM_UP] = taken;
			command->cpu[round - WARM_UP] = cpu;
		}
	}
	(void)posix_spawn_file_actions_destroy(&actions);
}

static int by_value(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

/* The value below which @part of them are; sorts them. */
static double quantile(double *values, double part)
{
	qsort(values, rounds, sizeof(*values), by_value);
	return values[(size_t)(part * (double)(rounds - 1) + 0.5)];
}

/* The median of what @times are of @to, round for round. */
static double ratio(const double *times, const double *to, double *scratch)
{
	uint64_t i;

	for (i = 0; i < rounds; i++)
		scratch[i] = to[i] > 0 ? times[i] / to[i] : 0;
	return quantile(scratch, 0.5);
}

static void print_row(const struct command *command, double *scratch)
{
	const struct command *first = &commands[0];
	const struct command *last = &commands[command_count - 1];
	double low, high;

	memcpy(scratch, command->seconds, rounds * sizeof(*scratch));
	low = quantile(scratch, 0.1) * 1e3;
	high = quantile(scratch, 0.9) * 1e3;
	(void)printf("%-28s %8.2f  [%.2f-%.2f]%*s", command->label,
		     quantile(scratch, 0.5) * 1e3, low, high, 3, "");
	(void)printf(" %8.2f %8.2f",
		     ratio(command->seconds, first->seconds, scratch),
		     ratio(command->seconds, last->seconds, scratch));
	(void)printf(" %8.2f", ratio(command->cpu, last->cpu, scratch));
	memcpy(scratch, command->cpu, rounds * sizeof(*scratch));
	(void)printf(" %8.2f\n", quantile(scratch, 0.5) * 1e3);
}

static void print_table(void)
{
	double *scratch = alloc_zero(rounds, sizeof(*scratch));
	size_t i;

	(void)printf("%-28s %8s  %-15s %8s %8s %8s %8s\n", "command", "ms",
		     "[p10-p90]", "x first", "x last", "cpu x", "cpu ms");
	for (i = 0; i < command_count; i++)
		print_row(&commands[i], scratch);
	free(scratch);
}

int main(int argc, char **argv)
{
	int i = opt_parse(&options, argc, argv);

	read_commands(argv + i);
	measure();
	print_table();
	for (command_count = 0; command_count < COMMANDS_MAX; command_count++) {
		free(commands[command_count].seconds);
		free(commands[command_count].cpu);
	}
	return fflush(stdout) == 0 ? EXIT_ALLOW : EXIT_SYSTEM;
}
