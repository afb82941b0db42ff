/* SPDX-License-Identifier: ISC */
#include "policyfile/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/num.h"
#include "base/place.h"
#include "base/why.h"
#include "policy/policy.h"
#include "policyfile/guard.h"

/* The records of 64 files have some bytes around those of the files. */
#define RECORD_MAX (TRUST_BYTES_MAX + ((size_t)1 << 20))

/* A record that is being read. */
struct reading {
	struct span rest;
	bool wrong;
};

/* ---- where it is -------------------------------------------------------- */

int trust_store_path(struct buf *path, struct why *why)
{
	int r = place_data(path, why);

	if (!r)
		buf_adds(path, "/trust");
	return r;
}

/*
 * A path may be longer than a name can be, so it is cut into chunks, each but
 * the last a directory.  A chunk holds no "=", so that no directory can be
 * called what a record is.
 */
void trust_name(struct buf *name, const char *project)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-";
	size_t start = name->len;
	const char *p;

	for (p = project; *p; p++) {
		if (name->len - start > TRUST_CHUNK - strlen("%XX")) {
			buf_addc(name, '/');
			start = name->len;
		}
		if (strchr(plain, *p))
			buf_addc(name, *p);
		else
			buf_addf(name, "%%%02X", (unsigned char)*p);
	}
	buf_adds(name, TRUST_LEAF);
}

/* ---- what it says ------------------------------------------------------- */

static struct span take(struct reading *reading, size_t len)
{
	struct span taken = { reading->rest.data, len };

	if (reading->wrong || reading->rest.len < len) {
		reading->wrong = true;
		return (struct span){ NULL, 0 };
	}
	reading->rest = span_from(reading->rest, len);
	return taken;
}

static void take_word(struct reading *reading, const char *word)
{
	if (!span_is(take(reading, strlen(word)), word))
		reading->wrong = true;
}

/* The digits of a number, and the byte @end behind them. */
static size_t take_size(struct reading *reading, char end, size_t max)
{
	const char *stop = reading->rest.len ? memchr(reading->rest.data, end,
						      reading->rest.len)
					     : NULL;
	uint64_t size = 0;
	struct span digits;

	if (!stop) {
		reading->wrong = true;
		return 0;
	}
	digits = take(reading, (size_t)(stop - reading->rest.data));
	(void)take(reading, 1);
	if (num_read(&size, digits, max) < 0)
		reading->wrong = true;
	return reading->wrong ? 0 : (size_t)size;
}

/* A string of @len bytes and the newline behind it; NULL if there is a NUL. */
static char *take_text(struct reading *reading, size_t len)
{
	struct span text = take(reading, len);

	take_word(reading, "\n");
	if (reading->wrong || !len || memchr(text.data, '\0', len)) {
		reading->wrong = true;
		return NULL;
	}
	return alloc_copy(text.data, text.len);
}

static void take_file(struct trust *trust, struct reading *reading)
{
	size_t name_len, len;
	struct span hex, bytes;
	char *name;

	take_word(reading, "file ");
	name_len = take_size(reading, ' ', PATH_MAX);
	len = take_size(reading, ' ', POLICY_BYTES_MAX);
	hex = take(reading, TRUST_HEX);
	take_word(reading, "\n");
	name = take_text(reading, name_len);
	bytes = take(reading, len);
	take_word(reading, "\n");
	if (!reading->wrong) {
		trust_add(trust, name, bytes);
		memcpy(trust->files[trust->count - 1].sha256, hex.data,
		       TRUST_HEX);
	}
	free(name);
}

int trust_read(struct trust *trust, struct span bytes, const char *path,
	       struct why *why)
{
	struct reading reading = { .rest = bytes };
	struct span date;

	take_word(&reading, TRUST_HEADER "date ");
	date = take(&reading, TRUST_DATE_LEN);
	take_word(&reading, "\nproject ");
	trust->project =
		take_text(&reading, take_size(&reading, '\n', PATH_MAX));
	while (!reading.wrong && !span_starts(reading.rest, "end\n"))
		take_file(trust, &reading);
	take_word(&reading, "end\n");
	if (reading.wrong || reading.rest.len || !trust->count ||
	    trust->count > POLICY_FILES_MAX ||
	    strcmp(trust->files[0].name, TRUST_POLICY) != 0)
		return why_set(why, EBADMSG,
			       "'%s' is damaged; 'chock trust' makes it anew",
			       path);
	memcpy(trust->date, date.data, TRUST_DATE_LEN);
	return 0;
}

int trust_load(struct trust *trust, const char *project, struct why *why)
{
	autobuf struct buf path = { 0 };
	autobuf struct buf bytes = { 0 };
	struct why ignored = { 0 };
	autoclose int store_fd = -1;
	size_t store_len;
	int r;

	if (trust_store_path(&path, &ignored) < 0)
		return 0;
	store_fd = open(buf_str(&path), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (store_fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (store_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", buf_str(&path));
	r = guard_check(store_fd, buf_str(&path), why);
	if (r < 0)
		return r;
	store_len = path.len;
	buf_addc(&path, '/');
	trust_name(&path, project);
	r = guard_read(&bytes, buf_str(&path), RECORD_MAX, why);
	if (r == -ENOENT || r == -ENAMETOOLONG)
		return 0;
	if (!r)
		r = trust_read(trust, buf_span(&bytes), buf_str(&path), why);
	if (!r && strcmp(trust->project, project) != 0)
		r = why_set(why, EBADMSG, "'%s' is of another project",
			    buf_str(&path) + store_len);
	return r < 0 ? r : 1;
}

/* ---- what there is ------------------------------------------------------ */

int trust_fetch(struct buf *bytes, int project_fd, const char *name,
		struct why *why)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	autoclose int fd =
		(int)syscall(SYS_openat2, project_fd, name, &how, sizeof(how));
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot open '%s'", name);
	if (!S_ISREG(st.st_mode))
		return why_set(why, EINVAL, "'%s' is not a regular file", name);
	if (file_read(bytes, fd, POLICY_BYTES_MAX, why) < 0)
		return why_within(why, "'%s'", name);
	return 0;
}

int trust_compare(struct trust *now, const struct trust *trust, int project_fd)
{
	struct why ignored = { 0 };
	size_t i;

	for (i = 0; i < trust->count; i++) {
		const struct trusted_file *file = &trust->files[i];
		autobuf struct buf bytes = { 0 };

		if (trust_fetch(&bytes, project_fd, file->name, &ignored) < 0 ||
		    !span_equal(buf_span(&bytes), buf_span(&file->bytes)))
			return 0;
		trust_add(now, file->name, buf_span(&bytes));
	}
	return 1;
}

void trust_add(struct trust *trust, const char *name, struct span bytes)
{
	struct trusted_file file = { .name = alloc_copy(name, strlen(name)) };

	buf_add(&file.bytes, bytes);
	trust->files =
		alloc_array(trust->files, trust->count, sizeof(*trust->files));
	trust->files[trust->count++] = file;
}

void trust_drop(struct trust *trust)
{
	size_t i;

	for (i = 0; i < trust->count; i++) {
		free(trust->files[i].name);
		buf_drop(&trust->files[i].bytes);
	}
	free(trust->files);
	free(trust->project);
	*trust = (struct trust){ 0 };
}
