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

static void count(struct accounting *accounting, enum policy_decision decision)
{
	accounting->records++;
	if (decision == DECISIONS)
		accounting->errors++;
	else if (decision == DECISION_DENY)
		accounting->denied++;
	else if (decision != DECISION_ALLOW)
		accounting->asked++;
}

void filter_put(const struct eval_options *options,
		struct accounting *accounting, enum policy_decision decision,
		const struct buf *line)
{
	int fd = options->refused_fd;
	int r;

	count(accounting, decision);
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
		  const struct accounting *accounting)
{
	uint64_t lost =
		accounting->errors + accounting->denied + accounting->asked;

	if (lost && options->refused_fd < 0)
		warn("%llu of %llu %s went nowhere: denied %llu, to be asked "
		     "about %llu, in error %llu",
		     (unsigned long long)lost,
		     (unsigned long long)accounting->records,
		     accounting->records == 1 ? "record" : "records",
		     (unsigned long long)accounting->denied,
		     (unsigned long long)accounting->asked,
		     (unsigned long long)accounting->errors);
	if (accounting->errors)
		return EXIT_MISUSE;
	if (accounting->denied)
		return EXIT_DENY;
	return accounting->asked ? EXIT_ASK : EXIT_ALLOW;
}
