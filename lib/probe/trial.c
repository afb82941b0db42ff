/* SPDX-License-Identifier: ISC */
#include "probe/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"

static void try_in_child(trial_fn *fn, int answer_fd)
{
	struct trial trial = { 0 };
	int r = fn(&trial);

	trial.errnum = -r;
	_exit(write(answer_fd, &trial, sizeof(trial)) == sizeof(trial) ? 0 : 1);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Whether the child said how it went; if not, it is ended. */
static int listen_to(int fd, struct trial *trial, pid_t pid)
{
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	int r;

	do
		r = poll(&answer, 1, TRIAL_SECONDS * 1000);
	while (r < 0 && errno == EINTR);
	if (r > 0 && read(fd, trial, sizeof(*trial)) == sizeof(*trial))
		return 1;
	if (r == 0)
		(void)kill(pid, SIGKILL);
	return 0;
}

int trial_failed(struct trial *trial, int r, const struct why *why)
{
	if (r < 0)
		(void)snprintf(trial->text, sizeof(trial->text), "%.*s",
			       TRIAL_TEXT_MAX - 1, why->text);
	return r;
}

struct trial trial_run(trial_fn *fn)
{
	struct trial trial = { 0 };
	autoclose int answer_fd = -1;
	int pair[2], signal;
	bool crowded;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return (struct trial){ .errnum = -1 };
	answer_fd = pair[0];
	pid = fork();
	if (!pid)
		try_in_child(fn, pair[1]);
	crowded = pid < 0 && errno == EAGAIN;
	(void)close(pair[1]);
	if (pid < 0)
		return (struct trial){ .errnum = -1, .crowded = crowded };
	if (!listen_to(answer_fd, &trial, pid))
		trial = (struct trial){ .errnum = -1 };
	signal = wait_for(pid);
	if (trial.errnum == -1)
		trial.signal = signal;
	return trial;
}
