/* SPDX-License-Identifier: ISC */
#include "base/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"

int dir_open_own(const char *path, mode_t barred)
{
	autoclose int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || st.st_mode & barred)
		return -EPERM;
	return take_fd(&fd);
}

int dir_each(int fd, dir_name *each, void *context)
{
	autoclose int own_fd =
		openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own_fd < 0 ? NULL : fdopendir(own_fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	(void)take_fd(&own_fd);
	while (!r && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			r = each(context, entry);
	if (!r)
		r = -errno;
	(void)closedir(dir);
	return r;
}
