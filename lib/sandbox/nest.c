/* SPDX-License-Identifier: ISC */
#include "sandbox/nest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"

#define DEFAULT_ABOVE "/tmp"

/*
 * In a directory that belongs to somebody else that one could rename what we
 * make; in one that others can write, so could they, but for the sticky bit.
 */
static int check_above(int fd, const char *path, struct why *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	if ((st.st_uid != geteuid() && st.st_uid != 0) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX)))
		return why_set(why, EPERM,
			       "cannot put a home into '%s': others could "
			       "replace it; name another place by TMPDIR",
			       path);
	return 0;
}

static int make_in(int above_fd, struct nest *nest, struct why *why)
{
	const char *name = nest->path + strlen(nest->above) + 1;
	autoclose int fd = -1;
	struct stat st;

	if (mkdirat(above_fd, name, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", nest->path);
	fd = openat(above_fd, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* A mask of the caller's may have taken bits away. */
	if (fd < 0 || fchmod(fd, 0700) < 0 || fstat(fd, &st) < 0 ||
	    mkdirat(fd, NEST_HOME, 0700) < 0 || mkdirat(fd, NEST_TMP, 0700) < 0)
		return why_sys(why, errno, "cannot fill '%s'", nest->path);
	nest->dev = st.st_dev;
	nest->ino = st.st_ino;
	return 0;
}

int nest_make(struct nest *nest, struct why *why)
{
	const char *named = getenv("TMPDIR");
	autoclose int above_fd = -1;
	uint64_t random;
	int r;

	*nest = (struct nest){ 0 };
	if (!named || *named != '/')
		named = DEFAULT_ABOVE;
	/* Its name is for good, whatever becomes of links on the way. */
	nest->above = realpath(named, NULL);
	if (!nest->above)
		return why_sys(why, errno, "cannot use '%s'", named);
	above_fd = open(nest->above, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (above_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", nest->above);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return why_sys(why, errno, "cannot get random numbers");
	nest->path = alloc_text("%s/" NEST_PREFIX "%0*llx",
				nest->above[1] ? nest->above : "", NEST_RANDOM,
				(unsigned long long)random);
	if (!nest->above[1])
		*nest->above = '\0';
	r = check_above(above_fd, named, why);
	if (!r)
		r = make_in(above_fd, nest, why);
	if (r < 0) {
		(void)file_remove_tree(above_fd,
				       nest->path + strlen(nest->above) + 1,
				       &(struct why){ 0 });
		nest_drop(nest);
	}
	return r;
}

int nest_link(const struct nest *nest, const char *part, const char *path,
	      struct why *why)
{
	autofree char *link =
		alloc_text("%s/" NEST_HOME "/%s", nest->path, part);
	char *name = strrchr(link, '/');
	int r;

	*name = '\0';
	r = file_mkdirs(link, 0700, why);
	*name = '/';
	if (r < 0)
		return r;
	return symlink(path, link) < 0
		       ? why_sys(why, errno, "cannot link '%s'", part)
		       : 0;
}

int nest_remove(const struct nest *nest, struct why *why)
{
	autoclose int above_fd = -1;
	const char *name;
	struct stat st;

	if (!nest->path)
		return 0;
	name = nest->path + strlen(nest->above) + 1;
	above_fd = open(*nest->above ? nest->above : "/",
			O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (above_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", nest->above);
	if (fstatat(above_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT
			       ? 0
			       : why_sys(why, errno, "cannot look at '%s'",
					 nest->path);
	if (st.st_dev != nest->dev || st.st_ino != nest->ino)
		return why_set(why, EEXIST,
			       "'%s' is not the directory that it was; it is "
			       "left alone",
			       nest->path);
	return file_remove_tree(above_fd, name, why);
}

void nest_drop(struct nest *nest)
{
	free(nest->above);
	free(nest->path);
	*nest = (struct nest){ 0 };
}
