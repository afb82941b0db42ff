/* SPDX-License-Identifier: ISC */
#include "base/loop.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/why.h"

int loop_open(struct loop *loop, const sigset_t *signals, loop_signal_fn *fn,
	      void *arg, struct why *why)
{
	int fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd < 0)
		return why_sys(why, errno, "cannot wait for signals");
	*loop = (struct loop){ .signal_fd = fd,
			       .signal_fn = fn,
			       .signal_arg = arg };
	return 0;
}

static struct loop_source *find_source(struct loop *loop, int fd)
{
	size_t i;

	for (i = 0; i < loop->source_count; i++)
		if (loop->sources[i].fd == fd)
			return &loop->sources[i];
	return NULL;
}

void loop_watch(struct loop *loop, int fd, short events, loop_ready_fn *fn,
		void *arg)
{
	struct loop_source *source = find_source(loop, fd);

	if (!source) {
		bug_if(loop->source_count == LOOP_SOURCES_MAX);
		source = &loop->sources[loop->source_count++];
		source->since = loop->round;
	}
	*source = (struct loop_source){ fd, events, source->since, fn, arg };
}

void loop_forget(struct loop *loop, int fd)
{
	struct loop_source *source = find_source(loop, fd);

	if (source)
		*source = loop->sources[--loop->source_count];
}

void loop_cancel(struct loop *loop, loop_timer_fn *fn, const void *arg)
{
	size_t i = 0;

	while (i < loop->timer_count)
		if (loop->timers[i].fn == fn && loop->timers[i].arg == arg)
			loop->timers[i] = loop->timers[--loop->timer_count];
		else
			i++;
}

/* What no clock reaches is never. */
void loop_after(struct loop *loop, int64_t ms, loop_timer_fn *fn, void *arg)
{
	int64_t time = clock_ns();
	int64_t most = (INT64_MAX - time) / CLOCK_NS_PER_MS;
	struct loop_timer timer = { .fn = fn, .arg = arg };

	timer.at = ms < most ? time + ms * CLOCK_NS_PER_MS : INT64_MAX;
	loop_cancel(loop, fn, arg);
	bug_if(loop->timer_count == LOOP_TIMERS_MAX);
	loop->timers[loop->timer_count++] = timer;
}

/* The one that is due first; NULL without any. */
static const struct loop_timer *first_timer(const struct loop *loop)
{
	const struct loop_timer *first = NULL;
	size_t i;

	for (i = 0; i < loop->timer_count; i++)
		if (!first || loop->timers[i].at < first->at)
			first = &loop->timers[i];
	return first;
}

/* Those that are due before the call; what they set is for the next round. */
static void call_timers(struct loop *loop)
{
	int64_t time = clock_ns();
	const struct loop_timer *first;
	struct loop_timer due;

	while (!loop->ended && (first = first_timer(loop)) &&
	       first->at <= time) {
		due = *first;
		loop_cancel(loop, due.fn, due.arg);
		due.fn(due.arg);
	}
}

/* One at a time: what it is told may change what is waited for. */
static void call_signal(struct loop *loop)
{
	struct signalfd_siginfo info;

	if (read(loop->signal_fd, &info, sizeof(info)) == sizeof(info))
		loop->signal_fn(loop->signal_arg, &info);
}

/*
 * A source that another one has put off or forgotten is not called, and one
 * that came after the waiting was not waited for, whatever its number.
 */
static void call_source(struct loop *loop, const struct pollfd *polled)
{
	const struct loop_source *source = find_source(loop, polled->fd);
	short ready = polled->revents;

	if (!ready || !source || !source->events ||
	    source->since == loop->round)
		return;
	source->fn(source->arg, ready);
}

/* The signals' row is the last of @polled. */
static size_t fill(const struct loop *loop, struct pollfd *polled)
{
	size_t i;

	for (i = 0; i < loop->source_count; i++) {
		polled[i] =
			(struct pollfd){ .fd = loop->sources[i].fd,
					 .events = loop->sources[i].events };
		if (!polled[i].events)
			polled[i].fd = -1;
	}
	polled[i] = (struct pollfd){ .fd = loop->signal_fd, .events = POLLIN };
	return i + 1;
}

static int wait_once(const struct loop *loop, struct pollfd *polled,
		     size_t count)
{
	const struct loop_timer *first = first_timer(loop);
	struct timespec left = { 0 };
	int64_t ns;

	if (!first)
		return ppoll(polled, count, NULL, NULL);
	ns = first->at - clock_ns();
	if (ns > 0) {
		left.tv_sec = ns / CLOCK_NS_PER_S;
		left.tv_nsec = ns % CLOCK_NS_PER_S;
	}
	return ppoll(polled, count, &left, NULL);
}

int loop_run(struct loop *loop, struct why *why)
{
	struct pollfd polled[LOOP_SOURCES_MAX + 1];
	size_t count, i;

	while (!loop->ended) {
		loop->round++;
		count = fill(loop, polled);
		if (wait_once(loop, polled, count) < 0) {
			if (errno == EINTR)
				continue;
			return why_sys(why, errno, "cannot wait");
		}
		if (polled[count - 1].revents)
			call_signal(loop);
		for (i = 0; i + 1 < count && !loop->ended; i++)
			call_source(loop, &polled[i]);
		call_timers(loop);
	}
	return 0;
}

void loop_end(struct loop *loop)
{
	loop->ended = true;
}

void loop_close(struct loop *loop)
{
	int fd = loop->signal_fd;

	auto_close(&fd);
	*loop = LOOP_CLOSED;
}
