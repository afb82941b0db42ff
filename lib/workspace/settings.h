/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_SETTINGS_H
#define CHOCK_WORKSPACE_SETTINGS_H

/*
 * settings - what of a person's git configuration is carried, as values
 *
 * All files that git would read for the project are read, by `git config`
 * alone, which runs nothing.  Out of it come values from a list of our own:
 * names, line ends, modes.  Nothing that names a program, a file to include
 * or a place is ever on that list.  The files of patterns are those that the
 * person or the system names: one that the project names could be any.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "workspace/names.h"

struct why;

#define autosettings __attribute__((cleanup(settings_drop)))

struct settings {
	struct buf config;     /* sections of a configuration file */
	struct buf excludes;   /* path of the person's own ignore file */
	struct buf attributes; /* path of the person's own attributes file */
	struct buf name;       /* user.name; empty: none */
	struct buf email;      /* user.email; empty: none */
	struct names commands; /* what git runs, as it is configured */
	struct names places;   /* files and directories that it reads */
	struct names values;   /* others with a slash, which may hold a path */
	struct names trust;    /* environment: whose repositories are trusted */
	bool worktree;         /* it names its working tree */
	bool partial;          /* some objects are not there */
	bool sparse;           /* some files are not there */
	bool cone;             /* of a sparse one: by whole directories */
};

/*
 * settings_read - the settings that hold in @dir
 *
 * Returns 0 or -errno.
 */
int settings_read(struct settings *settings, const char *dir, struct why *why);

/*
 * settings_is_true - what git takes @value for where it wants a truth
 *
 * NULL is a key without a value, which is true; an empty value is false.  What
 * git refuses counts as false.
 */
bool settings_is_true(const char *value);

/* settings_drop - release all of it; good as new afterwards */
void settings_drop(struct settings *settings);

#endif /* CHOCK_WORKSPACE_SETTINGS_H */
