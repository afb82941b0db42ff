/* SPDX-License-Identifier: ISC */
#include "spec/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

#define NOEXEC_SEAL 8U /* MFD_NOEXEC_SEAL, Linux 6.3 */

static int option(int fd, int name)
{
	socklen_t len = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) < 0 ? -1 : value;
}

/* For good: such a socket cannot be connected once more, unix(7). */
static bool has_its_peer(int fd)
{
	struct sockaddr_un peer;
	socklen_t len = sizeof(peer);

	return option(fd, SO_TYPE) != SOCK_DGRAM &&
	       (option(fd, SO_ACCEPTCONN) == 1 ||
		!getpeername(fd, (struct sockaddr *)&peer, &len));
}

/*
 * It was made in the host's network namespace, and that is where the names are
 * to which it can send or be connected.  Landlock's scope holds those without
 * a path, and those with one are where the sandbox's own sockets find them, if
 * it may have any.
 */
static int check_unix(int fd, const char *name, const struct sandbox *sandbox,
		      struct outcome *outcome)
{
	const struct landlock_part *scope = landlock_part(LAYER_LANDLOCK_SCOPE);
	bool own = !(sandbox->filters & SECCOMP_BIT(SECCOMP_NO_UNIX));

	if (has_its_peer(fd))
		return 0;
	if (own && (sandbox->net == NET_HOST || landlock_abi() >= scope->abi))
		return 0;
	(void)why_set(&outcome->why, EINVAL,
		      "standard %s is a unix socket that can send to others of "
		      "the host; put a pipe in between, as in 'cat | "
		      "chock-spawn ... | cat'",
		      name);
	return layer_failed(outcome->layers,
			    own ? LAYER_LANDLOCK_SCOPE : LAYER_SOCKETS,
			    &outcome->why);
}

static int check_socket(int fd, const char *name, const struct sandbox *sandbox,
			struct outcome *outcome)
{
	if (option(fd, SO_DOMAIN) == AF_UNIX)
		return check_unix(fd, name, sandbox, outcome);
	if (sandbox->net == NET_HOST)
		return 0;
	(void)why_set(&outcome->why, EINVAL,
		      "standard %s is a network socket of the host; put a pipe "
		      "in between, as in 'cat | chock-spawn ... | cat'",
		      name);
	return layer_failed(outcome->layers, LAYER_NETNS, &outcome->why);
}

/*
 * All memfds are on one file system that nobody mounts, but for those of huge
 * pages.  A deleted file of a tmpfs, such as the text of a here-document, is
 * not, and Landlock holds it.  What cannot be told is taken for one.
 */
static bool is_memfd(int fd, const struct stat *st)
{
	autoclose int memfd = -1;
	struct statfs system;
	struct stat other;

	if (!S_ISREG(st->st_mode) || st->st_nlink || fstatfs(fd, &system) < 0)
		return false;
	if (system.f_type == HUGETLBFS_MAGIC)
		return true;
	if (system.f_type != TMPFS_MAGIC)
		return false;
	/* Where vm.memfd_noexec is 2 it has to be asked for. */
	memfd = memfd_create("chock", MFD_CLOEXEC | NOEXEC_SEAL);
	if (memfd < 0)
		memfd = memfd_create("chock", MFD_CLOEXEC);
	return memfd < 0 || fstat(memfd, &other) < 0 ||
	       other.st_dev == st->st_dev;
}

/* For good: no seal can be taken off. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	int size = F_SEAL_SHRINK | F_SEAL_GROW;

	return seals >= 0 && (seals & size) == size &&
	       seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE);
}

/*
 * Landlock can have no rule of it, and so it can be opened again for what the
 * descriptor does not do.
 */
static int check_memfd(int fd, const char *name, struct why *why)
{
	int mode = fcntl(fd, F_GETFL);

	if (mode < 0)
		return why_sys(why, errno, "cannot use standard %s", name);
	mode &= O_PATH | O_ACCMODE;
	if (mode == O_RDWR || (mode == O_RDONLY && is_sealed(fd)))
		return 0;
	return why_set(why, EINVAL,
		       "standard %s is a file in memory (a memfd) that is open "
		       "for one way and could be opened for the other; put a "
		       "pipe in between, as in 'cat | chock-spawn ... | cat'",
		       name);
}

const char *standard_name(int fd)
{
	static const char *const names[] = { "input", "output", "error" };

	return names[fd];
}

/*
 * A socket of the host, or a directory, would be a way out of any namespace for
 * who holds it.
 */
int standard_check(const struct sandbox *sandbox, struct outcome *outcome)
{
	struct why *why = &outcome->why;
	struct stat st;
	int fd, r;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fstat(fd, &st) < 0)
			return why_sys(why, errno, "cannot use standard %s",
				       standard_name(fd));
		if (S_ISDIR(st.st_mode))
			return why_set(why, EINVAL,
				       "standard %s is a directory, and would "
				       "lead out of the sandbox",
				       standard_name(fd));
		r = 0;
		if (S_ISSOCK(st.st_mode))
			r = check_socket(fd, standard_name(fd), sandbox,
					 outcome);
		else if (is_memfd(fd, &st))
			r = check_memfd(fd, standard_name(fd), why);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * What standard input, output and error stand for may be opened again, as
 * /dev/stdin and the like, just as far as the descriptor itself allows.
 * What lies on a file system that nobody mounts can have no rule (EBADFD):
 * pipes are the sandbox's own by then (sandbox/pipes.h), a socket cannot be
 * opened, and of memfds standard_check() lets through those that have nothing
 * to be held.
 */
int standard_allow(struct landlock *landlock, struct why *why)
{
	struct why lost = { 0 };
	unsigned int access;
	int fd, mode, r;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		mode = fcntl(fd, F_GETFL);
		if (mode < 0 || mode & O_PATH)
			continue;
		mode &= O_ACCMODE;
		access = LANDLOCK_DEVICE;
		if (mode != O_WRONLY)
			access |= LANDLOCK_READ;
		if (mode != O_RDONLY)
			access |= LANDLOCK_WRITE;
		r = landlock_allow(landlock, fd, access, &lost);
		if (r < 0 && r != -EBADFD) {
			*why = lost;
			return r;
		}
	}
	return 0;
}
