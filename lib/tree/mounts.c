/* SPDX-License-Identifier: ISC */
#include "tree/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/span.h"
#include "base/why.h"
#include "tree/mount.h"
#include "tree/spot.h"

#define MOUNTINFO_MAX ((size_t)16 << 20) /* bytes */

static bool is_kernel(const char *type, size_t len)
{
	static const char *const types[] = {
		"binfmt_misc", "bpf",     "cgroup",     "cgroup2",
		"configfs",    "debugfs", "devpts",     "devtmpfs",
		"efivarfs",    "fusectl", "mqueue",     "nsfs",
		"proc",        "pstore",  "rpc_pipefs", "securityfs",
		"selinuxfs",   "smackfs", "sysfs",      "tracefs",
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i]) == len && !memcmp(types[i], type, len))
			return true;
	return false;
}

/* All of FUSE is called by its first word: fuse.sshfs, fuseblk. */
static const char *remote_name(const char *type, size_t len)
{
	static const char *const types[] = {
		"9p",   "afs",    "autofs", "beegfs",   "ceph", "cifs",
		"coda", "gpfs",   "lustre", "nfs",      "nfs4", "orangefs",
		"smb3", "vboxsf", "vmhgfs", "virtiofs",
	};
	size_t i;

	if (len >= 4 && !memcmp(type, "fuse", 4))
		return "fuse";
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i]) == len && !memcmp(types[i], type, len))
			return types[i];
	return NULL;
}

static int octal(const char *digits)
{
	int value = 0;
	int i;

	for (i = 0; i < 3; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			return -1;
		value = value * 8 + (digits[i] - '0');
	}
	return value;
}

/* A blank, tab, newline or backslash in a path is written \ooo there. */
static char *unescape(const char *text, size_t len)
{
	char *plain = alloc_copy(text, len);
	size_t from, to;
	int value;

	for (from = to = 0; from < len; to++) {
		value = text[from] == '\\' && len - from > 3
				? octal(text + from + 1)
				: -1;
		plain[to] = value < 0 ? text[from] : (char)value;
		from += value < 0 ? 1 : 4;
	}
	plain[to] = '\0';
	return plain;
}

static uint64_t number(const char *text, size_t len)
{
	uint64_t value;

	return num_read(&value, (struct span){ text, len }, UINT64_MAX) < 0
		       ? 0
		       : value;
}

/* "ro,nosuid,relatime" */
static uint64_t attributes(const char *text, size_t len)
{
	static const struct {
		const char *word;
		uint64_t attr;
	} words[] = {
		{ "ro", MOUNT_ATTR_RDONLY },
		{ "nosuid", MOUNT_ATTR_NOSUID },
		{ "nodev", MOUNT_ATTR_NODEV },
		{ "noexec", MOUNT_ATTR_NOEXEC },
	};
	const char *end = text + len;
	uint64_t attr = 0;
	size_t i;

	for (; text < end; text += len + 1) {
		len = strcspn(text, ", ");
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (span_is((struct span){ text, len }, words[i].word))
				attr |= words[i].attr;
	}
	return attr;
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw" */
static void add_row(struct mounts *mounts, const char *line)
{
	const char *words[6];
	size_t lens[6];
	const char *type = strstr(line, " - ");
	struct mount *row;
	int i;

	for (i = 0; i < 6; i++) {
		words[i] = line;
		lens[i] = strcspn(line, " ");
		line += lens[i] + (line[lens[i]] == ' ');
	}
	if (!type || !lens[5])
		return;
	type += strlen(" - ");
	mounts->rows = alloc_array(mounts->rows, mounts->count, sizeof(*row));
	row = &mounts->rows[mounts->count++];
	row->id = number(words[0], lens[0]);
	row->parent = number(words[1], lens[1]);
	row->attr = attributes(words[5], lens[5]);
	row->device = alloc_copy(words[2], lens[2]);
	row->root = unescape(words[3], lens[3]);
	row->point = unescape(words[4], lens[4]);
	row->kernel = is_kernel(type, strcspn(type, " "));
	row->remote = row->kernel ? NULL
				  : remote_name(type, strcspn(type, " "));
}

static void add_rows(struct mounts *mounts, const struct buf *text)
{
	char *line, *next;

	for (line = text->data; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_row(mounts, line);
	}
}

int mounts_read(struct mounts *mounts, struct why *why)
{
	autobuf struct buf text = { 0 };
	int r = file_read_path(&text, AT_FDCWD, "/proc/self/mountinfo",
			       MOUNTINFO_MAX, why);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	add_rows(mounts, &text);
	return 0;
}

int mounts_read_again(struct mounts *mounts, int fd, struct why *why)
{
	autobuf struct buf text = { 0 };

	if (lseek(fd, 0, SEEK_SET) < 0)
		return why_sys(why, errno, "cannot read the mounts");
	if (file_read(&text, fd, MOUNTINFO_MAX, why) < 0)
		return -why->errnum;
	add_rows(mounts, &text);
	return 0;
}

/* The mount that @path is in: of those above it the deepest, and the last. */
static const struct mount *mount_of(const struct mounts *mounts,
				    const char *path)
{
	const struct mount *found = NULL;
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (path_below(path, mounts->rows[i].point) &&
		    (!found ||
		     strlen(mounts->rows[i].point) >= strlen(found->point)))
			found = &mounts->rows[i];
	return found;
}

static char *join(const char *dir, const char *rest)
{
	bool root = !strcmp(dir, "/");

	return alloc_text("%s%s%s", root ? "" : dir, *rest || root ? "/" : "",
			  rest);
}

/* What @place of a file system is called by @row, if it shows any of it. */
static char *name_by(const struct mount *row, const char *place)
{
	const char *rest = path_below(place, row->root);

	if (rest)
		return join(row->point, rest);
	return path_below(row->root, place) ? join(row->point, "") : NULL;
}

char *mounts_alias(const struct mounts *mounts, const char *path, size_t index)
{
	const struct mount *in = mount_of(mounts, path);
	char *place, *name;
	size_t i;

	if (!in)
		return NULL;
	place = join(in->root, path_below(path, in->point));
	for (i = 0; i < mounts->count; i++) {
		if (&mounts->rows[i] == in ||
		    strcmp(mounts->rows[i].device, in->device) != 0)
			continue;
		name = name_by(&mounts->rows[i], place);
		if (name && strcmp(name, path) != 0 && !index--) {
			free(place);
			return name;
		}
		free(name);
	}
	free(place);
	return NULL;
}

void mounts_drop(struct mounts *mounts)
{
	size_t i;

	for (i = 0; i < mounts->count; i++) {
		free(mounts->rows[i].device);
		free(mounts->rows[i].root);
		free(mounts->rows[i].point);
	}
	free(mounts->rows);
	*mounts = (struct mounts){ 0 };
}
