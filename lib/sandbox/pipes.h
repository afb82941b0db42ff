/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_PIPES_H
#define CHOCK_SANDBOX_PIPES_H

/*
 * pipes - pipes of the sandbox's own in place of standard ones of the caller's
 *
 * A pipe lies on a file system that nobody mounts, of which Landlock lets
 * everything through: whoever has one end can open the other by its name in
 * /proc, and write what a shell outside reads as its script.  So the sandbox
 * has pipes in which there is nothing of anybody else's, and what belongs into
 * the caller's is passed on outside.
 *
 * Invariants
 *   - A pipe that is open for one way is passed on that way; one that is open
 *     for both in, if it is standard input, else out.
 *   - Where several are one pipe, so are those in their place.
 */

#include <stdbool.h>
#include <sys/stat.h>

#include "sandbox/drain.h"
#include "sandbox/feed.h"

struct loop;
struct why;

#define PIPES_STANDARD 3 /* descriptors: 0 to 2 */

enum pipes_way {
	PIPES_NOT, /* it is no pipe, and stays */
	PIPES_IN,
	PIPES_OUT
};

struct pipes_end {
	enum pipes_way way;
	struct stat is;
	int theirs_fd; /* owned; takes its place; -1: it stays, or is begun */
};

struct pipes {
	struct loop *loop; /* borrowed */
	struct pipes_end ends[PIPES_STANDARD];
	struct feed feeds[PIPES_STANDARD];
	struct drain drains[PIPES_STANDARD];
	int left; /* drains that are not through, when it is ending */
	void (*over_fn)(void *arg);
	void *over_arg;                 /* borrowed */
	void (*of_sigpipe)(int signal); /* the caller's action */
};

#define autopipes __attribute__((cleanup(pipes_free)))

/*
 * pipes_open - make one for each standard descriptor that is one
 *
 * From then on SIGPIPE is ignored.  @pipes is NULL where there is none: it has
 * room for much, and costs nothing for who needs none.  Returns 0 or -errno.
 */
int pipes_open(struct pipes **pipes, struct loop *loop, struct why *why);

/* pipes_enter - in the child that is to have them: be left with those alone */
int pipes_enter(struct pipes *pipes, struct why *why);

/* pipes_start - in the parent, when there is that child: pass on */
void pipes_start(struct pipes *pipes);

/*
 * pipes_finish - nothing is left inside: call @fn once all was passed on
 *
 * What nobody inside has read is left to the caller.
 */
void pipes_finish(struct pipes *pipes, void (*fn)(void *arg), void *arg);

/* pipes_free - let go of all that @slot points to, if any; SIGPIPE too */
void pipes_free(struct pipes **slot);

#endif /* CHOCK_SANDBOX_PIPES_H */
