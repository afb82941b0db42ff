/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_PLACE_H
#define CHOCK_BASE_PLACE_H

/*
 * place - where chock's own parts are, and where a user's files go
 *
 * No environment variable chooses what runs.  A program that was started from
 * where it was configured to be installed finds the others there.  Any other
 * one (in the build tree, in a staged or a moved installation) finds them
 * beside itself, in the standard layout:
 *
 *	bin/                 what people compose by hand
 *	libexec/chock/       the rest
 *	share/chock/policies/
 *
 * A user's files follow the XDG Base Directory Specification 0.8.
 */

#include "base/buf.h"

struct why;

/*
 * Where programs of the host are looked for, and nowhere else: what only root
 * can write, as a rule, and what a sandbox has in its own PATH first.
 */
#define PLACE_HOST_PATH "/usr/local/bin:/usr/bin:/bin"

/* place_program - the path of chock's program @name, put behind @path */
int place_program(struct buf *path, const char *name, struct why *why);

/*
 * place_host - the path of the host's program @name, put behind @path
 *
 * Returns 0, or -ENOENT if PLACE_HOST_PATH does not have it.
 */
int place_host(struct buf *path, const char *name, struct why *why);

/* place_policies - the directory of the shipped policies, put behind @path */
int place_policies(struct buf *path, struct why *why);

/*
 * place_config - $XDG_CONFIG_HOME/chock, else ~/.config/chock
 * place_state - $XDG_STATE_HOME/chock, else ~/.local/state/chock
 * place_data - $XDG_DATA_HOME/chock, else ~/.local/share/chock
 *
 * Put behind @path.  A variable that is not an absolute path is as good as
 * not set, as the specification wants it.  Nothing is created.
 *
 * Each returns 0, or -ENOENT if there is no home directory either.
 */
int place_config(struct buf *path, struct why *why);
int place_state(struct buf *path, struct why *why);
int place_data(struct buf *path, struct why *why);

/*
 * place_blame_state - put in front of @why, which says why what place_state()
 * named cannot be used, by which variable a person has it elsewhere
 * place_blame_data - the same of place_data()
 *
 * Each returns -why->errnum.
 */
int place_blame_state(struct why *why);
int place_blame_data(struct why *why);

/* place_runtime - $XDG_RUNTIME_DIR/chock, else /tmp/chock-UID */
int place_runtime(struct buf *path, struct why *why);

#endif /* CHOCK_BASE_PLACE_H */
