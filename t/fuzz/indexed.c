/* SPDX-License-Identifier: ISC */
/*
 * The reader of an index of git, of which a power failure may leave anything.
 *
 * The first byte says which digest and whether the checksum is put behind the
 * rest of the input, which is the index.  The directory that it is held against
 * has "d/e", as a submodule would have it, and nothing else.
 */

#include "workspace/indexed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/why.h"
#include "digest/sha1.h"
#include "digest/sha256.h"
#include "fuzz.h"

#define IS_SHA256 1
#define AS_IT_IS 2
#define COUNT_AT 8 /* how many entries it has, four bytes */

static char *files;

static void leave(void)
{
	struct why why = { 0 };

	(void)file_remove_tree(AT_FDCWD, files, &why);
	free(files);
}

static void make_files(void)
{
	const char *tmp = getenv("TMPDIR");
	autobuf struct buf path = { 0 };

	files = alloc_text("%s/chock-fuzz.XXXXXX", tmp ? tmp : "/tmp");
	bug_if(!mkdtemp(files));
	bug_if(atexit(leave));
	buf_addf(&path, "%s/d", files);
	bug_if(mkdir(buf_str(&path), 0700) < 0);
	buf_adds(&path, "/e");
	bug_if(mkdir(buf_str(&path), 0700) < 0);
}

static unsigned int digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void add_checksum(struct buf *index, bool sha256)
{
	char hex[SHA256_HEX + 1];
	size_t i;

	if (sha256)
		sha256_hex(hex, buf_span(index));
	else
		sha1_hex(hex, buf_span(index));
	for (i = 0; hex[i]; i += 2)
		buf_addc(index, (char)(digit(hex[i]) << 4 | digit(hex[i + 1])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char one[] = { 0, 0, 0, 1 };
	const uint8_t flags = size ? data[0] : 0;
	autobuf struct buf index = { 0 };
	static bool made;
	int r;

	if (!made)
		make_files();
	made = true;
	buf_add(&index,
		(struct span){ (const char *)data + !!size, size - !!size });
	if (!(flags & AS_IT_IS))
		add_checksum(&index, flags & IS_SHA256);
	r = indexed_bytes(files, buf_span(&index), flags & IS_SHA256);
	bug_if(r != 1 && r != 0 && r != -ENOTSUP);
	if (r != 1)
		return 0;
	bug_if(memcmp(index.data + COUNT_AT, one, sizeof(one)) != 0);
	index.len--;
	bug_if(indexed_bytes(files, buf_span(&index), flags & IS_SHA256) == 1);
	return 0;
}
