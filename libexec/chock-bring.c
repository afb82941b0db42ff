/* SPDX-License-Identifier: ISC */
#include "chock-bring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/span.h"
#include "base/why.h"
#include "cow/node.h"
#include "record/json.h"
#include "workspace/own.h"
#include "workspace/quote.h"

/* The directory @name, made if it is not there; its descriptor or -errno. */
static int step_into(int dir_fd, const char *name, mode_t mode)
{
	int fd;

	if (mkdirat(dir_fd, name, mode) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(dir_fd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* What it is called until all is there; what a killed adoption left goes. */
static char *part_of(const char *id)
{
	return alloc_text("%s" BRING_PART, id);
}

static int make_place(int in_fd, const char *id, struct why *why)
{
	autofree char *part = part_of(id);
	struct stat st;
	int r = fstatat(in_fd, id, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno
								 : -EEXIST;

	if (r == -EEXIST)
		return why_set(why, EINVAL,
			       "'%s/%s' is there already; once it is moved or "
			       "removed it can be adopted again",
			       OWN_ADOPTED, id);
	if (r != -ENOENT)
		return why_sys(why, -r, "cannot make '%s/%s'", OWN_ADOPTED, id);
	r = file_remove_tree(in_fd, part, why);
	if (r < 0)
		return r;
	r = step_into(in_fd, part, 0777);
	return r < 0 ? why_sys(why, -r, "cannot make '%s/%s'", OWN_ADOPTED,
			       part)
		     : r;
}

int bring_begin(struct bring *bring, int project_fd, const char *id,
		struct why *why)
{
	bring->project_fd = project_fd;
	bring->id = id;
	bring->in_fd = step_into(project_fd, OWN_ADOPTED, 0777);
	if (bring->in_fd < 0)
		return why_sys(why, -bring->in_fd, "cannot use '%s'",
			       OWN_ADOPTED);
	bring->to_fd = make_place(bring->in_fd, id, why);
	if (bring->to_fd < 0) {
		/* Only if it is ours alone, for then nothing is in it. */
		(void)unlinkat(project_fd, OWN_ADOPTED, AT_REMOVEDIR);
		return bring->to_fd;
	}
	bring->files_fd = step_into(bring->to_fd, BRING_FILES, 0777);
	if (bring->files_fd >= 0)
		return 0;
	(void)why_sys(why, -bring->files_fd, "cannot make '%s'", BRING_FILES);
	bring_end(bring, NULL, why);
	return -why->errnum;
}

int bring_above(const struct bring *bring, const char *path, bool whole)
{
	autofree char *parts = alloc_copy(path, strlen(path));
	autoclose int fd = openat(bring->files_fd, ".", O_RDONLY | O_CLOEXEC);
	char *part = parts;
	char *slash;
	int next;

	if (fd < 0)
		return -errno;
	while (fd >= 0 && ((slash = strchr(part, '/')) || (whole && *part))) {
		if (slash)
			*slash = '\0';
		next = step_into(fd, part, 0777);
		auto_close(&fd);
		fd = next;
		part = slash ? slash + 1 : part + strlen(part);
	}
	return fd < 0 ? fd : take_fd(&fd);
}

static int write_deleted(int to_fd, const struct buf *lines, struct why *why)
{
	autoclose int fd = openat(
		to_fd, BRING_DELETED,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int r = fd < 0 ? -errno : file_write(fd, buf_span(lines));

	return r < 0 ? why_sys(why, -r, "cannot write '%s'", BRING_DELETED) : 0;
}

void bring_end(struct bring *bring, const struct buf *deleted, struct why *why)
{
	autofree char *part = part_of(bring->id);
	struct why lost = { 0 };

	if (!why->errnum)
		(void)write_deleted(bring->to_fd, deleted, why);
	/* Onto what is there by now it goes only if nothing is in that. */
	if (!why->errnum &&
	    renameat(bring->in_fd, part, bring->in_fd, bring->id) < 0)
		(void)why_sys(why, errno, "cannot make '%s/%s'", OWN_ADOPTED,
			      bring->id);
	if (!why->errnum)
		return;
	(void)file_remove_tree(bring->in_fd, part, &lost);
	(void)unlinkat(bring->project_fd, OWN_ADOPTED, AT_REMOVEDIR);
}

void bring_told(const char *id, const char *project, size_t count)
{
	autobuf struct buf record = { 0 };
	autobuf struct buf where = { 0 };

	buf_addf(&where, "%s/%s/%s", project, OWN_ADOPTED, id);
	if (isatty(STDOUT_FILENO)) {
		buf_addf(&record, "adopted %zu file%s into ", count,
			 rough_plural(count));
		quote_line(&record, buf_span(&where));
		buf_addc(&record, '\n');
		print(&record);
		return;
	}
	json_open(&record);
	json_str(&record, "session", span_of(id));
	json_str(&record, "adopted", buf_span(&where));
	json_num(&record, "file_count", (int64_t)count);
	json_close_line(&record);
	print(&record);
}

void bring_left_out(void *context, const char *path, const char *what)
{
	(void)context;
	warn("'%.*s' is a %s, and is left out", REPORT_NAME_MAX, path, what);
}

void bring_archive(struct tar *tar)
{
	struct why why = { 0 };

	if (isatty(STDOUT_FILENO))
		die(EXIT_MISUSE, "an archive is not for a terminal: send it to "
				 "a file");
	if (tar_open(tar, STDOUT_FILENO, &why) < 0)
		die_why(&why);
}

int bring_add(struct tar *tar, const char *path, int fd, const char *name,
	      struct why *why)
{
	autofree char *place = alloc_text("%s/%s", BRING_FILES, path);
	autonode struct node node = NODE_CLOSED;
	char text[PATH_MAX];
	struct stat st;
	ssize_t len;
	int r = node_stat(fd, name, &st);

	if (r <= 0)
		return why_sys(why, r ? -r : ENOENT, "cannot look at '%s'",
			       path);
	if (S_ISDIR(st.st_mode))
		return tar_directory(tar, place, &st, why);
	if (S_ISREG(st.st_mode)) {
		r = node_open(&node, fd, name, true);
		return r < 0 ? why_sys(why, -r, "cannot open '%s'", path)
			     : tar_file(tar, place, &st, node.fd, why);
	}
	len = readlinkat(fd, name, text, sizeof(text) - 1);
	if (len < 0)
		return why_sys(why, errno, "cannot read '%s'", path);
	text[len] = '\0';
	return tar_link(tar, place, &st, text, why);
}

void bring_drop(struct bring *bring)
{
	fd_drop(&bring->in_fd);
	fd_drop(&bring->to_fd);
	fd_drop(&bring->files_fd);
}
