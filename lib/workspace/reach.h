/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_REACH_H
#define CHOCK_WORKSPACE_REACH_H

/*
 * reach - by which other names symbolic links lead to a path
 *
 * A rule names .claude/settings.json, and in the project .claude is a link to
 * conf: who changes conf/settings.json changes what the rule is about.  All
 * links of a project are known here, each with where it leads once all others
 * are followed, and a path is tried by all names that they give it.
 *
 * Invariants
 *   - Paths are relative to the project, and no link is on the way to one that
 *     reach_add() gets.
 *   - Where the links, or the names, are too many to be looked at, a path has
 *     every name.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct effect;
struct project;
struct space;
struct why;

#define REACH_LINKS_MAX 20000
#define REACH_FOLLOWED_MAX 40 /* as the kernel follows, path_resolution(7) */
#define REACH_HOPS_MAX 4      /* links of whose names one name is made */
#define REACH_NAMES_MAX 2000  /* that one path is tried by */
#define REACH_HOOKS_MAX 1000  /* names in a directory of hooks */

struct reach_link {
	char *path;   /* owned */
	char *target; /* owned */
	char *leads;  /* owned; a path; NULL: out of the project, or nowhere */
};

struct reach {
	struct reach_link *links; /* owned; sorted once it is settled */
	size_t count;
	bool many; /* too many to be known */
};

#define autoreach __attribute__((cleanup(reach_drop)))

/* reach_add - there is a link at @path, with the text @target */
void reach_add(struct reach *reach, const char *path, struct span target);

/*
 * reach_add_git - add what the project's repository and its configuration lead
 * to in the working tree, as links in .git: hooks, and what is run or read
 *
 * Before the others are found, which settle it.
 */
void reach_add_git(struct reach *reach, const struct project *project);

/*
 * reach_find_git - the same of the directory @dir, the top of a project or one
 * in no git, for which the person's own configuration holds
 *
 * Starts git, to read.  Returns 0 or -errno.
 */
int reach_find_git(struct reach *reach, const char *dir, struct why *why);

/* reach_settle - find out where each leads; the project is at @root */
void reach_settle(struct reach *reach, const char *root);

/*
 * reach_find_tree - add the links in the tree @tree of git's, and settle
 *
 * Returns 0, -EBADMSG if it cannot be read, or another -errno.
 */
int reach_find_tree(struct reach *reach, const struct space *space,
		    const char *tree, struct why *why);

/*
 * reach_find_landed - the same of the tree that the change @lands leads to, of
 * the workspace's index, which is that of the commit that it begins at
 *
 * Returns as reach_find_tree(), or -ENOTSUP for an index that indexfile_open()
 * does not read.
 */
int reach_find_landed(struct reach *reach, const struct space *space,
		      const struct effect *lands, struct why *why);

/* reach_find_dir - add the links below the directory @dir_fd; 0 or -errno */
int reach_find_dir(struct reach *reach, int dir_fd);

/*
 * reach_any - whether @is says so of any name but its own that @path has
 *
 * Nothing leads to it where nothing is known (NULL).
 */
bool reach_any(const struct reach *reach, const char *path,
	       bool (*is)(void *context, const char *name), void *context);

/* reach_drop - release it; good as new afterwards */
void reach_drop(struct reach *reach);

#endif /* CHOCK_WORKSPACE_REACH_H */
