/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_NEST_H
#define CHOCK_SANDBOX_NEST_H

/*
 * nest - a directory of a sandbox's own in the host's tree
 *
 * It holds the home and the temporary files of a command that has no tmpfs,
 * and goes with it.  It lies in $TMPDIR of who asks, else in /tmp.
 *
 * Invariants
 *   - Nobody but its owner can enter it, and nobody else can have put it, or
 *     another thing, in its place.
 *   - What is removed is what was made, and nothing that a link leads to.
 */

#include <sys/types.h>

struct why;

#define NEST_HOME "home"
#define NEST_TMP "tmp"
#define NEST_PREFIX "chock-nest-"
#define NEST_RANDOM 16 /* digits behind that */

struct nest {
	char *above; /* owned; the directory that it is in */
	char *path;  /* owned; NULL: there is none */
	dev_t dev;
	ino_t ino;
};

/*
 * nest_make - make it, with an empty NEST_HOME and NEST_TMP
 *
 * Returns 0, -EPERM where others could replace what is made in that place, or
 * another -errno; nothing is left behind then.
 */
int nest_make(struct nest *nest, struct why *why);

/*
 * nest_link - have @part of its home lead to @path, by a symbolic link
 *
 * The directories above @part are made, of mode 0700.  Returns 0, -EEXIST
 * where something is in the way, or another -errno.
 */
int nest_link(const struct nest *nest, const char *part, const char *path,
	      struct why *why);

/*
 * nest_remove - remove it and all that is in it; fine on one that is gone
 *
 * Returns 0, or -errno if something of it is left.
 */
int nest_remove(const struct nest *nest, struct why *why);

/* nest_drop - release what is known of it; good as new afterwards */
void nest_drop(struct nest *nest);

#endif /* CHOCK_SANDBOX_NEST_H */
