/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_GIT_H
#define CHOCK_WORKSPACE_GIT_H

/*
 * git - the host's git, run so that nothing it finds makes it run more
 *
 * A call knows only what struct git says: git is the one of place_host(), and
 * finds programs of its own there too; the environment is made from nothing,
 * the system's and the person's configuration are not read, and hooks,
 * fsmonitor, automatic maintenance, transports and recursion into submodules
 * are off on the command line, which outranks every file.  What only a
 * configuration file can name (filters, textconv, external diff) is kept out by
 * pointing git_dir at a repository of our own (workspace/repo.h) wherever a
 * command looks at files; the project's own git_dir is used for references
 * alone.
 *
 * What a session made can be small and unpack to any size, or stand for any
 * number of files: no call has more memory than GIT_MEMORY_MAX.  The limit is
 * on data that git writes itself (getrlimit(2), RLIMIT_DATA), so that a
 * project's packs, which it maps, do not count.
 *
 * Never used on a repository that a sandbox could write: see workspace/inside.h
 * for those.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/span.h"
#include "workspace/names.h"

struct why;

#define GIT_SAID_MAX 256
#define GIT_MEMORY_MAX ((uint64_t)2 << 30) /* bytes */

struct git {
	const char *dir;         /* borrowed; where it runs; NULL: here */
	const char *git_dir;     /* borrowed; NULL: git looks for it */
	const char *work_tree;   /* borrowed; NULL: none */
	const char *index;       /* borrowed; NULL: git_dir's own */
	const char *objects;     /* borrowed; the store written to; NULL: own */
	const char *borrowed;    /* borrowed; quoted list of more stores */
	const struct names *env; /* borrowed; NAME=VALUE; NULL: no more */
	const int *keep_fd;      /* borrowed; stays open in it; NULL: none */
	bool refreshes; /* what it finds out of files goes into its index */
	bool counts;    /* it says how far it is, see git_counting() */
	int in_fd;      /* borrowed; -1: nothing on its standard input */
	int out_fd;     /* borrowed; -1: its standard output is dropped */

	char said[GIT_SAID_MAX]; /* its last complaint, when it failed */
};

#define GIT_CALL(...) ((struct git){ .in_fd = -1, .out_fd = -1, __VA_ARGS__ })

/*
 * git_run - run git with @args, NULL at the end
 *
 * Returns its exit status, or -errno if it did not run; -ENOENT: there is
 * no git.
 */
int git_run(struct git *git, const char *const *args, struct why *why);

/* git_read - git_run() with its output, of at most BUF_MAX, put into @out */
int git_read(struct git *git, const char *const *args, struct buf *out,
	     struct why *why);

/* git_filter - git_read() with @in on its standard input */
int git_filter(struct git *git, const char *const *args, struct span in,
	       struct buf *out, struct why *why);

/*
 * git_start - git_run() that does not wait
 *
 * Returns 0 with the process, for child_wait(), or -errno.
 */
int git_start(struct git *git, const char *const *args, pid_t *pid,
	      struct why *why);

/*
 * git_settle - turn the status @r of a call that should have succeeded into
 * 0 or -errno, with @what could not be done and git's own words
 */
int git_settle(const struct git *git, int r, const char *what, struct why *why);

/*
 * git_one - what a command prints as one line, without its newline
 *
 * The line may be a path that holds newlines: only the last one is taken off.
 *
 * Returns git's exit status or -errno.
 */
int git_one(struct git *git, const char *const *args, struct buf *out,
	    struct why *why);

/*
 * git_strict - the option by which git-index-pack(1) looks at each object
 *
 * With @partial it does not look for each object that these name.
 */
const char *git_strict(bool partial);

/* git_empty_tree - the tree without an entry, which git knows, not having it */
const char *git_empty_tree(bool sha256);

/*
 * git_counting - the option by which git-read-tree(1) counts the files that it
 * writes, for what base/progress shows, if anything is shown
 */
const char *git_counting(void);

struct git_object {
	struct span id, type, content; /* into what git printed */
};

/*
 * git_next_object - take one object off @out, what `git cat-file --batch`
 * printed: "ID TYPE SIZE", the content, a newline
 *
 * Returns 0, or -EBADMSG if that is not what it is.
 */
int git_next_object(struct git_object *object, struct span *out);

/* git_is_id - whether @id is a whole object id, in lower case */
bool git_is_id(struct span id);

#endif /* CHOCK_WORKSPACE_GIT_H */
