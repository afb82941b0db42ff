/* SPDX-License-Identifier: ISC */
#include "workspace/indexfile.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/num.h"
#include "digest/sha1.h"
#include "digest/sha256.h"

/* gitformat-index(5); all numbers have their highest byte first. */
#define HEAD_LEN 12
#define ID_SHA1 20
#define ID_SHA256 32
#define STAGE_MASK 0x3000U
#define EXTENDED 0x4000U
#define ASSUMED 0x8000U
#define SKIP_WORKTREE 0x4000U /* of the flags that an extended one has more */
#define ALIGN 8
#define TYPE_MASK 0170000U
#define TYPE_LINK 0120000U
#define EXTENSION_LEN 8 /* its four letters, and how long it is */

static uint16_t number16(const char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static uint32_t number32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

bool indexfile_is_link(const struct indexfile_entry *entry)
{
	return (entry->data.mode & TYPE_MASK) == TYPE_LINK;
}

void indexfile_digits(struct buf *digits, struct span id)
{
	size_t i;

	for (i = 0; i < id.len; i++)
		buf_addf(digits, "%02x", (unsigned char)id.data[i]);
}

bool indexfile_is_id(struct span id, const char *digits)
{
	autobuf struct buf hex = { 0 };

	indexfile_digits(&hex, id);
	return !strcmp(buf_str(&hex), digits);
}

/* A git with index.skipHash (git-config(1)) writes zeros in its place. */
static bool has_checksum(struct span bytes, size_t id_len)
{
	const struct span before = { bytes.data, bytes.len - id_len };
	const struct span id = span_from(bytes, before.len);
	char digits[SHA256_HEX + 1];
	size_t i = 0;

	while (i < id.len && !id.data[i])
		i++;
	if (i == id.len)
		return true;
	if (id_len == ID_SHA1)
		sha1_hex(digits, before);
	else
		sha256_hex(digits, before);
	return indexfile_is_id(id, digits);
}

/* ---- extensions --------------------------------------------------------- */

/*
 * "TREE" begins with the root: a NUL for its name, how many entries it has, a
 * blank, how many trees, a newline, the id.  Whoever changes an entry makes -1
 * of the first number, up to the root, and then there is no id.
 */
static void take_tree(struct indexfile *file, struct span tree)
{
	uint64_t entries;

	if (span_cut(&tree, '\0').len ||
	    num_read(&entries, span_cut(&tree, ' '), UINT32_MAX) < 0 ||
	    entries != file->count)
		return;
	(void)span_cut(&tree, '\n');
	if (tree.len >= file->id_len)
		file->tree = (struct span){ tree.data, file->id_len };
}

/*
 * What is behind the entries, @rest, without the checksum: what begins with an
 * upper-case letter may be passed over, and nothing else may, such as the
 * "link" of an index of which a part is in another file.
 */
static int take_extensions(struct indexfile *file, struct span rest)
{
	while (rest.len >= EXTENSION_LEN) {
		const uint32_t len = number32(rest.data + EXTENSION_LEN / 2);
		const bool tree = span_starts(rest, "TREE");

		if (rest.data[0] < 'A' || rest.data[0] > 'Z')
			return -ENOTSUP;
		rest = span_from(rest, EXTENSION_LEN);
		if (len > rest.len)
			return 0;
		if (tree)
			take_tree(file, (struct span){ rest.data, len });
		rest = span_from(rest, len);
	}
	return !rest.len;
}

/* ---- entries ------------------------------------------------------------ */

static void read_data(struct indexfile_stat *data, const char *at)
{
	uint32_t fields[sizeof(*data) / sizeof(uint32_t)];
	size_t i;

	memcpy(fields, at, sizeof(fields));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		fields[i] = be32toh(fields[i]);
	memcpy(data, fields, sizeof(fields));
}

/*
 * Takes one entry off @rest; 1, 0 if it is none, or -ENOTSUP.  Of what is left
 * out of a sparse checkout not even the directories need be there.
 */
static int take_entry(struct indexfile_entry *entry, struct span *rest,
		      size_t id_len)
{
	const size_t id_at = sizeof(entry->data);
	const size_t fixed = id_at + id_len + sizeof(uint16_t);
	const char *end;
	size_t head = fixed;
	uint16_t flags;

	if (rest->len < fixed + sizeof(uint16_t))
		return 0;
	read_data(&entry->data, rest->data);
	entry->id = (struct span){ rest->data + id_at, id_len };
	flags = number16(rest->data + fixed - sizeof(flags));
	entry->marked = flags & (EXTENDED | ASSUMED);
	if (flags & EXTENDED) {
		if (number16(rest->data + fixed) & SKIP_WORKTREE)
			return -ENOTSUP;
		head += sizeof(flags);
	}
	entry->path = rest->data + head;
	end = memchr(entry->path, '\0', rest->len - head);
	if (!end || (flags & STAGE_MASK) || end - entry->path >= PATH_MAX)
		return 0;
	/* A split one leaves out the path where the other file has it. */
	if (end == entry->path)
		return -ENOTSUP;
	/* One to eight NULs, so that the next one is aligned. */
	head += (size_t)(end - entry->path);
	head = (head + ALIGN) / ALIGN * ALIGN;
	if (head > rest->len)
		return 0;
	*rest = span_from(*rest, head);
	return 1;
}

bool indexfile_next(struct indexfile *file, struct indexfile_entry *entry)
{
	if (!file->count)
		return false;
	file->count--;
	return take_entry(entry, &file->rest, file->id_len) > 0;
}

/* All of it comes first, as nothing could be told by some of the entries. */
int indexfile_open(struct indexfile *file, struct span bytes, bool sha256)
{
	const size_t id_len = sha256 ? ID_SHA256 : ID_SHA1;
	struct indexfile_entry entry;
	struct span rest;
	uint32_t version, i;
	int r = 1;

	if (bytes.len < HEAD_LEN + id_len || memcmp(bytes.data, "DIRC", 4) != 0)
		return 0;
	version = number32(bytes.data + 4);
	if (version != 2 && version != 3)
		return -ENOTSUP;
	if (!has_checksum(bytes, id_len))
		return 0;
	bytes.len -= id_len;
	rest = span_from(bytes, HEAD_LEN);
	*file = (struct indexfile){ .rest = rest,
				    .count = number32(bytes.data + 8),
				    .id_len = id_len };
	for (i = 0; r > 0 && i < file->count; i++)
		r = take_entry(&entry, &rest, id_len);
	return r > 0 ? take_extensions(file, rest) : r;
}
