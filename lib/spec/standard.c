/* SPDX-License-Identifier: ISC */
#include "spec/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

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
		if (!S_ISSOCK(st.st_mode))
			continue;
		r = check_socket(fd, standard_name(fd), sandbox, outcome);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * What standard input, output and error stand for may be opened again, as
 * /dev/stdin and the like, just as far as the descriptor itself allows.
 * Pipes and sockets need no rule, and can have none (EBADFD).
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
