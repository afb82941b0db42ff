/* SPDX-License-Identifier: ISC */
#include "log/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "log/stamp.h"

#define DIGIT_BITS 5
#define TIME_BITS 48
#define TIME_BYTES (TIME_BITS / 8)
#define ID_BYTES 16
#define HASH_DIGITS 8

/* Crockford's: no I, L, O or U. */
static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/*
 * 130 bits are in 26 digits and 128 in the bytes: the first digit stands for
 * two bits that are 0 and the first three of the bytes.
 */
static unsigned int digit_at(const unsigned char *bytes, int index)
{
	unsigned int value = 0;
	int bit = index * DIGIT_BITS - 2;
	int i;

	for (i = bit; i < bit + DIGIT_BITS; i++)
		value = value << 1 |
			(i < 0 ? 0U
			       : (unsigned int)bytes[i / 8] >> (7 - i % 8) &
					 1U);
	return value;
}

int session_id_make(char id[SESSION_ID_LEN + 1], struct why *why)
{
	unsigned char bytes[ID_BYTES];
	uint64_t ms = stamp_now();
	int i;

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return why_sys(why, errno, "cannot get random bytes");
	for (i = 0; i < TIME_BYTES; i++)
		bytes[i] = (unsigned char)(ms >> (TIME_BITS - 8 - 8 * i));
	for (i = 0; i < SESSION_ID_LEN; i++)
		id[i] = digits[digit_at(bytes, i)];
	id[SESSION_ID_LEN] = '\0';
	return 0;
}

int session_id_started(uint64_t *ms, struct span id)
{
	uint64_t value = 0;
	const char *digit;
	size_t i;

	if (id.len != SESSION_ID_LEN)
		return -EINVAL;
	for (i = 0; i < id.len; i++) {
		digit = memchr(digits, id.data[i], sizeof(digits) - 1);
		if (!digit)
			return -EINVAL;
		/* The first ten digits are the milliseconds. */
		if (i < 10)
			value = value << DIGIT_BITS |
				(uint64_t)(digit - digits);
	}
	if (value > STAMP_MS_MAX)
		return -EINVAL;
	*ms = value;
	return 0;
}

bool session_id_fits(struct span id)
{
	return id.len && id.len <= SESSION_ID_MAX;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

void session_project(struct buf *name, struct span path)
{
	char hash[SHA256_HEX + 1];
	const char *slash = memrchr(path.data, '/', path.len);
	struct span base = path;
	size_t i;

	if (slash)
		base = span_from(path, (size_t)(slash - path.data) + 1);
	if (!base.len)
		base = span_of("root");
	for (i = 0; i < base.len && i < SESSION_NAME_MAX; i++) {
		char c = base.data[i];

		/* Neither hidden nor an option to who lists them. */
		if (!is_plain(c) || (!i && (c == '.' || c == '-')))
			c = '_';
		buf_addc(name, c);
	}
	sha256_hex(hash, path);
	buf_addc(name, '-');
	buf_add(name, (struct span){ hash, HASH_DIGITS });
}

static int check_level(int fd, const char *path, struct why *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	if (st.st_uid != geteuid())
		return why_set(why, EACCES,
			       "cannot keep sessions in '%s': it is somebody "
			       "else's",
			       path);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return why_set(why, EACCES,
			       "cannot keep sessions in '%s': others may write "
			       "to it",
			       path);
	return 0;
}

/* Goes from *@fd, which it closes, to @name in there; @path says where. */
static int go_down(int *fd, struct buf *path, const char *name, bool make,
		   struct why *why)
{
	autoclose int above_fd = take_fd(fd);

	buf_addc(path, '/');
	buf_adds(path, name);
	if (make && mkdirat(above_fd, name, 0700) < 0 && errno != EEXIST) {
		why_sys(why, errno, "cannot make directory '%s'",
			buf_str(path));
		return place_blame_state(why);
	}
	*fd = openat(above_fd, name,
		     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0) {
		why_sys(why, errno, "cannot open '%s'", buf_str(path));
		return place_blame_state(why);
	}
	return check_level(*fd, buf_str(path), why);
}

/* The directory that chock's own is in: whose it is, is not our business. */
static int open_base(struct buf *path, bool make, struct why *why)
{
	int r = place_state(path, why);
	int fd;

	if (r < 0)
		return r;
	path->len -= strlen("/chock");
	path->data[path->len] = '\0';
	if (make && file_mkdirs(buf_str(path), 0700, why) < 0)
		return place_blame_state(why);
	fd = open(path->len ? buf_str(path) : "/",
		  O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		why_sys(why, errno, "cannot open '%s'", buf_str(path));
		return place_blame_state(why);
	}
	return fd;
}

int session_open_place(struct buf *path, struct span project, bool make,
		       struct why *why)
{
	autobuf struct buf name = { 0 };
	autoclose int fd = open_base(path, make, why);
	const char *levels[] = { "chock", "sessions", NULL };
	size_t i;
	int r;

	if (fd < 0)
		return fd;
	session_project(&name, project);
	levels[2] = buf_str(&name);
	for (i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		r = go_down(&fd, path, levels[i], make, why);
		if (r < 0)
			return r;
	}
	return take_fd(&fd);
}
