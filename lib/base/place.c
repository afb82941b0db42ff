/* SPDX-License-Identifier: ISC */
#include "base/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/span.h"
#include "base/why.h"

/* A longer path than this is not where anybody installs programs. */
#define EXE_ROOM 4096

enum place {
	PLACE_BIN,
	PLACE_LIBEXEC,
	PLACE_POLICIES,
};

static const char *const installed[] = {
	[PLACE_BIN] = BINDIR,
	[PLACE_LIBEXEC] = PKGLIBEXECDIR,
	[PLACE_POLICIES] = PKGDATADIR "/policies",
};

static const char *const beside[] = {
	[PLACE_BIN] = "/bin",
	[PLACE_LIBEXEC] = "/libexec/chock",
	[PLACE_POLICIES] = "/share/chock/policies",
};

/* The directory of our own executable, without a slash at its end. */
static int own_dir(char *dir, size_t room, struct why *why)
{
	ssize_t len = readlink("/proc/self/exe", dir, room - 1);

	if (len < 0)
		return why_sys(why, errno, "cannot read '/proc/self/exe'");
	dir[len] = '\0';
	if (dir[0] != '/' || (size_t)len == room - 1)
		return why_set(why, ENOENT, "cannot tell where chock is");
	*strrchr(dir, '/') = '\0';
	return 0;
}

static bool cut_end(char *dir, const char *end)
{
	size_t len = strlen(dir);
	size_t end_len = strlen(end);

	if (len < end_len || strcmp(dir + len - end_len, end) != 0)
		return false;
	dir[len - end_len] = '\0';
	return true;
}

static int find(struct buf *path, enum place place, struct why *why)
{
	char dir[EXE_ROOM];
	int r = own_dir(dir, sizeof(dir), why);

	if (r < 0)
		return r;
	if (!strcmp(dir, installed[PLACE_BIN]) ||
	    !strcmp(dir, installed[PLACE_LIBEXEC])) {
		buf_adds(path, installed[place]);
		return 0;
	}
	if (!cut_end(dir, beside[PLACE_LIBEXEC]) &&
	    !cut_end(dir, beside[PLACE_BIN]))
		return why_set(why, ENOENT,
			       "cannot tell where chock is: '%s' is neither "
			       "bin nor libexec/chock",
			       dir);
	buf_adds(path, dir);
	buf_adds(path, beside[place]);
	return 0;
}

int place_program(struct buf *path, const char *name, struct why *why)
{
	static const enum place places[] = { PLACE_LIBEXEC, PLACE_BIN };
	size_t start = path->len;
	size_t i;
	int r;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		buf_cut(path, start);
		r = find(path, places[i], why);
		if (r < 0)
			return r;
		buf_addc(path, '/');
		buf_adds(path, name);
		if (!access(buf_str(path) + start, X_OK))
			return 0;
	}
	return why_set(why, ENOENT, "cannot find '%s' of this chock", name);
}

int place_host(struct buf *path, const char *name, struct why *why)
{
	const char *dir = PLACE_HOST_PATH;
	size_t start = path->len;
	size_t len;

	for (;; dir += len + 1) {
		len = strcspn(dir, ":");
		buf_cut(path, start);
		buf_addf(path, "%.*s/%s", (int)len, dir, name);
		if (!access(buf_str(path) + start, X_OK))
			return 0;
		if (!dir[len])
			break;
	}
	return why_set(why, ENOENT, "cannot find %s: it is not in %s", name,
		       PLACE_HOST_PATH);
}

int place_policies(struct buf *path, struct why *why)
{
	return find(path, PLACE_POLICIES, why);
}

static const char *absolute(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value == '/' ? value : NULL;
}

static int user_dir(struct buf *path, const char *variable, const char *rest,
		    struct why *why)
{
	const char *value = absolute(variable);

	if (value) {
		buf_adds(path, value);
		buf_adds(path, "/chock");
		return 0;
	}
	value = absolute("HOME");
	if (!value)
		return why_set(why, ENOENT,
			       "no home directory: neither HOME nor %s is an "
			       "absolute path",
			       variable);
	buf_adds(path, value);
	buf_adds(path, rest);
	return 0;
}

int place_config(struct buf *path, struct why *why)
{
	return user_dir(path, "XDG_CONFIG_HOME", "/.config/chock", why);
}

int place_state(struct buf *path, struct why *why)
{
	return user_dir(path, "XDG_STATE_HOME", "/.local/state/chock", why);
}

int place_data(struct buf *path, struct why *why)
{
	return user_dir(path, "XDG_DATA_HOME", "/.local/share/chock", why);
}

static int blame(const char *what, const char *variable, struct why *why)
{
	if (absolute(variable))
		return why_within(why,
				  "cannot use the %s directory that %s "
				  "names",
				  what, variable);
	return why_within(why,
			  "cannot use the %s directory, which is below "
			  "HOME unless %s names another",
			  what, variable);
}

int place_blame_state(struct why *why)
{
	return blame("state", "XDG_STATE_HOME", why);
}

int place_blame_data(struct why *why)
{
	return blame("data", "XDG_DATA_HOME", why);
}

int place_runtime(struct buf *path, struct why *why)
{
	const char *value = getenv("XDG_RUNTIME_DIR");

	(void)why;
	if (value && *value == '/') {
		buf_adds(path, value);
		buf_adds(path, "/chock");
	} else {
		buf_addf(path, "/tmp/chock-%u", (unsigned int)getuid());
	}
	return 0;
}
