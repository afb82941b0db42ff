/* SPDX-License-Identifier: ISC */
#include "archive/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"

#define CHUNK ((size_t)1 << 16)
#define MODE 0777U

static int fail(const struct tar *tar, const char *what, struct why *why)
{
	int errnum = archive_errno(tar->archive);
	const char *said = archive_error_string(tar->archive);

	return why_set(why, errnum > 0 ? errnum : EIO, "cannot write %s: %s",
		       what, said ? said : "no reason was given");
}

int tar_open(struct tar *tar, int fd, struct why *why)
{
	tar->archive = archive_write_new();
	if (!tar->archive)
		return why_sys(why, ENOMEM, "cannot make an archive");
	if (archive_write_set_format_pax(tar->archive) != ARCHIVE_OK ||
	    archive_write_open_fd(tar->archive, fd) != ARCHIVE_OK)
		return fail(tar, "an archive", why);
	return 0;
}

static int put_head(struct tar *tar, const char *path, const struct stat *st,
		    const char *link, struct why *why)
{
	struct archive_entry *entry = archive_entry_new();
	int r;

	if (!entry)
		return why_sys(why, ENOMEM, "cannot make an archive");
	archive_entry_set_pathname(entry, path);
	archive_entry_set_filetype(entry, st->st_mode & S_IFMT);
	archive_entry_set_perm(entry, st->st_mode & MODE);
	archive_entry_set_mtime(entry, st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	archive_entry_set_size(entry, S_ISREG(st->st_mode) ? st->st_size : 0);
	if (link)
		archive_entry_set_symlink(entry, link);
	r = archive_write_header(tar->archive, entry);
	archive_entry_free(entry);
	/* A warning is of a name that is no UTF-8, and is written as it is. */
	return r == ARCHIVE_OK || r == ARCHIVE_WARN ? 0 : fail(tar, path, why);
}

/* What the head said is what there is room for, whatever the file has now. */
int tar_file(struct tar *tar, const char *path, const struct stat *st, int fd,
	     struct why *why)
{
	autofree char *chunk = alloc_zero(CHUNK, 1);
	ssize_t got;
	int r = put_head(tar, path, st, NULL, why);

	while (!r && (got = read(fd, chunk, CHUNK)) != 0) {
		if (got < 0)
			return why_sys(why, errno, "cannot read '%s'", path);
		if (archive_write_data(tar->archive, chunk, (size_t)got) < 0)
			return fail(tar, path, why);
	}
	return r;
}

int tar_bytes(struct tar *tar, const char *path, struct span bytes,
	      struct why *why)
{
	struct stat st = { .st_mode = S_IFREG | 0644 };
	int r;

	st.st_size = (off_t)bytes.len;
	(void)clock_gettime(CLOCK_REALTIME, &st.st_mtim);
	r = put_head(tar, path, &st, NULL, why);
	if (!r && bytes.len &&
	    archive_write_data(tar->archive, bytes.data, bytes.len) < 0)
		return fail(tar, path, why);
	return r;
}

int tar_link(struct tar *tar, const char *path, const struct stat *st,
	     const char *text, struct why *why)
{
	return put_head(tar, path, st, text, why);
}

int tar_directory(struct tar *tar, const char *path, const struct stat *st,
		  struct why *why)
{
	return put_head(tar, path, st, NULL, why);
}

int tar_close(struct tar *tar, struct why *why)
{
	if (archive_write_close(tar->archive) != ARCHIVE_OK)
		return fail(tar, "the end of the archive", why);
	return 0;
}

void tar_drop(struct tar *tar)
{
	if (tar->archive)
		(void)archive_write_free(tar->archive);
	tar->archive = NULL;
}
