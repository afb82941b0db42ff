/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval --filter: allowed records go on, all others elsewhere.
 *
 * What is not allowed never reaches standard output, whatever becomes of the
 * other descriptor: when that cannot be written, the program ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/rough.h"
#include "chock-policy-eval.h"

/* Whether both lead to one pipe, socket or file. */
static bool is_same(int fd, int other_fd)
{
	struct stat a, b;

	return !fstat(fd, &a) && !fstat(other_fd, &b) && !S_ISCHR(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void filter_open(const struct eval_options *options)
{
	int fd = options->refused_fd;
	int flags;

	if (!options->filter)
		return;
	/* A reader that went away is an error to be said, and not a death. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (fd < 0)
		return;
	if (fd == STDOUT_FILENO || is_same(fd, STDOUT_FILENO))
		die(EXIT_MISUSE,
		    "--refused-fd: descriptor %d is where allowed records go",
		    fd);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		die(EXIT_MISUSE,
		    "--refused-fd: descriptor %d cannot be written", fd);
}

static void count(struct filter_counts *counts, enum policy_decision decision)
{
	counts->records++;
	if (decision == DECISIONS)
		counts->errors++;
	else if (decision == DECISION_DENY)
		counts->denied++;
	else if (decision != DECISION_ALLOW)
		counts->asked++;
}

void filter_put(const struct eval_options *options,
		struct filter_counts *counts, enum policy_decision decision,
		const struct buf *line)
{
	int fd = options->refused_fd;
	int r;

	count(counts, decision);
	if (decision == DECISION_ALLOW) {
		print(line);
		return;
	}
	if (fd < 0)
		return;
	r = line->full ? -ENOMEM : file_write(fd, buf_span(line));
	if (r < 0) {
		errno = -r;
		die_errno(EXIT_SYSTEM, "cannot write to descriptor %d", fd);
	}
}

int filter_status(const struct eval_options *options,
		  const struct filter_counts *counts)
{
	uint64_t lost = counts->errors + counts->denied + counts->asked;

	if (lost && options->refused_fd < 0)
		warn("%llu of %llu record%s went nowhere: denied %llu, to be asked "
		     "about %llu, in error %llu",
		     (unsigned long long)lost,
		     (unsigned long long)counts->records,
		     rough_plural(counts->records),
		     (unsigned long long)counts->denied,
		     (unsigned long long)counts->asked,
		     (unsigned long long)counts->errors);
	if (counts->errors)
		return EXIT_MISUSE;
	if (counts->denied)
		return EXIT_DENY;
	return counts->asked ? EXIT_ASK : EXIT_ALLOW;
}
