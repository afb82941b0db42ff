/* SPDX-License-Identifier: ISC */
#include "tree/account.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/span.h"
#include "base/why.h"

/* Whether @rows has a row of @id; NAME:PASSWORD:ID:... in both files. */
static bool has_id(struct span rows, uint32_t id)
{
	uint64_t number;

	while (rows.len) {
		struct span row = span_cut(&rows, '\n');

		(void)span_cut(&row, ':');
		(void)span_cut(&row, ':');
		if (!num_read(&number, span_cut(&row, ':'), UINT32_MAX) &&
		    number == id)
			return true;
	}
	return false;
}

static bool has_name(struct span rows, const char *name)
{
	while (rows.len) {
		struct span row = span_cut(&rows, '\n');

		if (span_is(span_cut(&row, ':'), name))
			return true;
	}
	return false;
}

/* The names that useradd(8) makes, and no others: what may stand in a row. */
static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	static const char more[] = "abcdefghijklmnopqrstuvwxyz_0123456789-";
	size_t len = name ? strlen(name) : 0;

	return len && len <= ACCOUNT_NAME_MAX && strchr(letters, *name) &&
	       strspn(name, more) == len;
}

/* Whether a row of @id is to be put behind those of @path, now in @bytes. */
static bool wants_row(struct buf *bytes, const char *path, uint32_t id)
{
	struct why why = { 0 };

	if (file_read_path(bytes, AT_FDCWD, path, ACCOUNT_BYTES_MAX, &why) < 0)
		return false;
	if (bytes->len && bytes->data[bytes->len - 1] != '\n')
		buf_addc(bytes, '\n');
	return !has_id(buf_span(bytes), id);
}

/* The user's own name, or @kind with the number, and all that follows. */
static void add_name(struct buf *bytes, const char *name, const char *kind,
		     uint32_t id)
{
	if (is_name(name) && !has_name(buf_span(bytes), name))
		buf_addf(bytes, "%s:x:%u:", name, id);
	else
		buf_addf(bytes, "%s%u:x:%u:", kind, id, id);
}

bool account_passwd(struct buf *bytes, const char *path,
		    const struct account *account)
{
	if (!wants_row(bytes, path, account->uid))
		return false;
	add_name(bytes, account->name, "uid", account->uid);
	buf_addf(bytes, "%u::%s:/bin/sh\n", account->gid, account->home);
	return true;
}

bool account_group(struct buf *bytes, const char *path,
		   const struct account *account)
{
	if (!wants_row(bytes, path, account->gid))
		return false;
	add_name(bytes, account->name, "gid", account->gid);
	buf_addc(bytes, '\n');
	return true;
}
