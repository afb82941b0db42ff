/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_NODE_H
#define CHOCK_COW_NODE_H

/*
 * node - what stands at a name in a directory, looked at without following it
 *
 * A run leaves whatever it likes in its upper layer, and whoever still has a
 * descriptor of a file in there may go on changing it.  Everything is named
 * below a descriptor, by one name, and nothing is waited for: a FIFO is not
 * opened, a link not followed, a device not touched.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * How many directories deep trees are gone into: as many as a path can name,
 * which has less than PATH_MAX bytes and two of them for each.
 */
#define NODE_DEPTH_MAX 2048

/* What is in the way of going on, for who is told that it is left out. */
#define NODE_TOO_DEEP "directory too deep"
#define NODE_TOO_LONG "path too long"
#define NODE_OWN "name of chock's own"

/* node_is_beyond - whether @what is one of these */
bool node_is_beyond(const char *what);

#define NODE_MODE 0777U /* the bits that land: no set-id, no sticky */

#define autoentries __attribute__((cleanup(entries_drop)))

/* The names in a directory, sorted. */
struct entries {
	char **names; /* owned */
	size_t count;
};

/*
 * node_stat - lstat(2) of @name in @dir_fd
 *
 * Returns 1, 0 if nothing is there, or -errno.
 */
int node_stat(int dir_fd, const char *name, struct stat *st);

#define NODE_CLOSED ((struct node){ .fd = -1 })
#define autonode __attribute__((cleanup(node_close)))

/* A directory or regular file that is open for reading. */
struct node {
	int fd;      /* owned; -1 when closed */
	mode_t mode; /* that it had, if it was changed to be read */
	bool lent;
};

/*
 * node_open - open the directory or regular file @name
 *
 * @own says that it is in a layer of ours, where what the run made unreadable
 * is lent a mode with which its owner can read it, until node_close().
 *
 * Returns 0, -EINVAL for what is neither, or another -errno.
 */
int node_open(struct node *node, int dir_fd, const char *name, bool own);

/* node_close - close it, with the mode that it had; fine on a closed one */
void node_close(struct node *node);

/* node_chmod - chmod(2) of @name in @dir_fd, which is no link; 0 or -errno */
int node_chmod(int dir_fd, const char *name, mode_t mode);

/*
 * node_regain - let the owner into the directory @path, which is no link
 *
 * A session may have closed the top of what it worked on, which is ours and
 * never lands.  Returns 0 or -errno.
 */
int node_regain(const char *path);

/*
 * node_parent - open the directory that the relative @path names a thing in
 *
 * No link is followed and no mount entered on the way.  @name becomes the
 * last part of @path.
 *
 * Returns a descriptor, -EINVAL if that part is no name of a thing in it, "."
 * or "..", or another -errno.
 */
int node_parent(int dir_fd, const char *path, const char **name);

/* node_above - as node_parent(), but it may be in another mount and nobody may
 * be able to read it: by O_PATH */
int node_above(int dir_fd, const char *path, const char **name);

/*
 * node_depth_max - how many directories deep this process can go
 *
 * That is NODE_DEPTH_MAX, or less where it may not have the descriptors for
 * that, four for each (RLIMIT_NOFILE).
 */
unsigned int node_depth_max(void);

/*
 * node_make_room - raise this process's limits, so that it can go as deep
 *
 * Each directory on the way costs descriptors and stack.  For a process that
 * starts nothing any more that would inherit them.
 */
void node_make_room(void);

/* node_changed_since - whether @st was changed later than @since */
bool node_changed_since(const struct stat *st, const struct timespec *since);

/*
 * node_changed - whether @name, or anything below it, was changed later than
 * @since
 *
 * Returns 1, also for what is deeper than node_depth_max(), 0, or -errno where
 * it cannot be told.
 */
int node_changed(int dir_fd, const char *name, const struct timespec *since);

/*
 * node_same - whether two names hold the same: type, mode, time and content
 *
 * Only regular files and symbolic links ever do.  Returns 1, 0 or -errno.
 */
int node_same(int a_fd, const char *a, int b_fd, const char *b);

/* node_what - "socket", "FIFO" or "device"; NULL for what can land */
const char *node_what(const struct stat *st);

/* node_is_whiteout - whether it is how an overlay keeps a removal */
bool node_is_whiteout(const struct stat *st);

/*
 * entries_read - all names in the directory @fd but "." and ".."
 *
 * Returns 0 or -errno.
 */
int entries_read(struct entries *entries, int fd);

/* entries_drop - release them; good as new afterwards */
void entries_drop(struct entries *entries);

#endif /* CHOCK_COW_NODE_H */
