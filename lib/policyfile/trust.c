/* SPDX-License-Identifier: ISC */
#include "policyfile/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "policy/policy.h"
#include "policyfile/guard.h"
#include "policyfile/parcel.h"

/* The records of 64 files have some bytes around those of the files. */
#define RECORD_MAX (TRUST_BYTES_MAX + ((size_t)1 << 20))

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

static void take_file(struct trust *trust, struct parcel *parcel)
{
	size_t name_len, len;
	struct span hex, bytes;
	char *name;

	parcel_word(parcel, "file ");
	name_len = parcel_size(parcel, ' ', PATH_MAX);
	len = parcel_size(parcel, ' ', POLICY_BYTES_MAX);
	hex = parcel_take(parcel, TRUST_HEX);
	parcel_word(parcel, "\n");
	name = parcel_text(parcel, name_len);
	bytes = parcel_take(parcel, len);
	parcel_word(parcel, "\n");
	if (!parcel->wrong) {
		trust_add(trust, name, bytes);
		memcpy(trust->files[trust->count - 1].sha256, hex.data,
		       TRUST_HEX);
	}
	free(name);
}

int trust_read(struct trust *trust, struct span bytes, const char *path,
	       struct why *why)
{
	struct parcel parcel = { .rest = bytes };
	struct span date;

	parcel_word(&parcel, TRUST_HEADER "date ");
	date = parcel_take(&parcel, TRUST_DATE_LEN);
	parcel_word(&parcel, "\nproject ");
	trust->project =
		parcel_text(&parcel, parcel_size(&parcel, '\n', PATH_MAX));
	while (!parcel.wrong && !span_starts(parcel.rest, "end\n"))
		take_file(trust, &parcel);
	parcel_word(&parcel, "end\n");
	if (parcel.wrong || parcel.rest.len || !trust->count ||
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
