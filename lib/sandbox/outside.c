/* SPDX-License-Identifier: ISC */
#include "sandbox/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/why.h"
#include "limit/birth.h"
#include "sandbox/caps.h"
#include "sandbox/init.h"
#include "sandbox/pipes.h"
#include "sandbox/watch.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"
#include "spec/standard.h"
#include "tty/relay.h"

/*
 * Root's groups are not dropped by becoming root in a namespace.  Who is root
 * only in a user namespace in which setgroups(2) is denied is an ordinary
 * user, whose groups nobody can drop.
 */
static int drop_groups(struct outcome *outcome)
{
	struct why *why = &outcome->why;
	autoclose int fd = -1;
	char word[8] = "";
	int errnum;

	if (geteuid() != 0 || !setgroups(0, NULL) || getgroups(0, NULL) == 0)
		return 0;
	errnum = errno;
	fd = open("/proc/self/setgroups", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, word, sizeof(word) - 1) > 0 &&
	    !strncmp(word, "deny", 4))
		return 0;
	(void)why_sys(why, errnum, "cannot drop supplementary groups");
	return layer_failed(outcome->layers, LAYER_USERNS, why);
}

pid_t outside_clone(struct init *init, unsigned int flags)
{
	pid_t pid;
	int r;

	do {
		pid = birth(flags, init->caps->cgroup.fd, init_main, init);
		r = pid < 0 ? caps_refused(init->caps, -pid) : 1;
	} while (!r);
	errno = pid < 0 ? -pid : 0;
	return pid < 0 ? -1 : pid;
}

/* With a terminal of the sandbox's own: what stands between the two. */
static int open_relay(struct relay **relay, struct init *init,
		      struct watch *watch)
{
	const struct sandbox *sandbox = init->sandbox;
	int fd;

	if (sandbox->tty == TTY_CALLERS)
		return 0;
	*relay = alloc_zero(1, sizeof(**relay));
	fd = relay_open(*relay, &watch->loop, sandbox->terminal_fd,
			sandbox->tty, &init->outcome->why);
	if (fd < 0)
		return fd;
	init->pty.control_fd = fd;
	init->pty.tty = sandbox->tty;
	watch->relay = *relay;
	return 0;
}

static int run_watched(const struct outside *outside,
		       const struct sandbox *sandbox, struct outcome *shared,
		       struct watch *watch, struct caps *caps)
{
	struct init init = { .kind = outside->kind,
			     .caps = caps,
			     .sandbox = sandbox,
			     .outcome = shared,
			     .pty = PTY_CLOSED,
			     .stay = STAY_CLOSED,
			     .uid = geteuid(),
			     .gid = getegid() };
	uint64_t seconds = sandbox->limits.value[LIMIT_TIME];
	autorelay struct relay *relay = NULL;
	autopipes struct pipes *pipes = NULL;
	autoclose int alive_fd = -1;
	autoclose int theirs_fd = -1;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, init.alive) < 0)
		return why_sys(&shared->why, errno, "cannot make a socket");
	theirs_fd = init.alive[0];
	alive_fd = watch->word_fd = init.alive[1];
	watch->end_signal = outside->kind->end_signal;
	if (open_relay(&relay, &init, watch) < 0)
		return -shared->why.errnum;
	if (pipes_open(&pipes, &watch->loop, &shared->why) < 0)
		return -shared->why.errnum;
	init.pipes = watch->pipes = pipes;
	pid = outside->start(&init, &shared->why);
	fd_drop(&init.pty.control_fd);
	fd_drop(&theirs_fd);
	if (pid < 0) {
		watch->relay = NULL;
		watch->pipes = NULL;
		return pid;
	}
	if (pipes)
		pipes_start(pipes);
	watch->pid = pid;
	caps_watch(caps, watch);
	/*
	 * Without it, nobody would see to the time limit.  Where only the
	 * relay was left, the process id may be another's by now.
	 */
	if (watch_until_end(watch, seconds, &shared->why) < 0 &&
	    !watch->ended) {
		(void)kill(pid, outside->kind->end_signal);
		child_bury(pid);
	}
	shared->hung_up = relay && relay->hung_up;
	watch->relay = NULL;
	watch->pipes = NULL;
	return 0;
}

/* On the command itself, which does not start without: see layer.h. */
static void note_rest(struct outcome *outcome)
{
	layer_set(outcome->layers, LAYER_RLIMITS, LAYER_ON, "");
}

void outside_run(const struct outside *outside, const struct sandbox *sandbox,
		 struct outcome *outcome)
{
	int64_t began = clock_ns();
	struct outcome *shared;
	struct watch watch;
	struct caps caps;

	if (standard_check(sandbox, outcome) < 0 || drop_groups(outcome) < 0)
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		(void)why_sys(&outcome->why, errno, "cannot share memory");
		return;
	}
	outcome_copy(shared, outcome);
	note_rest(shared);
	if (!watch_open(&watch, sandbox->tty, &shared->why)) {
		if (!caps_open(&caps, sandbox, shared, outside->kind->counts))
			(void)run_watched(outside, sandbox, shared, &watch,
					  &caps);
		shared->timed_out = watch.timed_out;
		caps_close(&caps);
		watch_close(&watch);
	}
	if (shared->stage != OUTCOME_STARTED && !shared->why.errnum)
		(void)why_set(&shared->why, ECHILD,
			      "process 1 of the sandbox was killed before the "
			      "command could start");
	shared->seconds = (double)(clock_ns() - began) / (double)CLOCK_NS_PER_S;
	outcome_copy(outcome, shared);
	(void)munmap(shared, sizeof(*shared));
}
