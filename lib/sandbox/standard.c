/* SPDX-License-Identifier: ISC */
#include "sandbox/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/why.h"
#include "sandbox/landlock.h"
#include "sandbox/outcome.h"
#include "sandbox/sandbox.h"

/*
 * A socket of the host's network, or a directory, would be a way out of any
 * namespace for who holds it.
 */
int standard_check(const struct sandbox *sandbox, struct outcome *outcome)
{
	static const char *const names[] = { "input", "output", "error" };
	struct why *why = &outcome->why;
	struct stat st;
	int domain, fd;
	socklen_t len;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		len = sizeof(domain);
		if (fstat(fd, &st) < 0)
			return why_sys(why, errno, "cannot use standard %s",
				       names[fd]);
		if (S_ISDIR(st.st_mode))
			return why_set(why, EINVAL,
				       "standard %s is a directory, and would "
				       "lead out of the sandbox",
				       names[fd]);
		if (!S_ISSOCK(st.st_mode) || sandbox->net == NET_HOST)
			continue;
		if (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) &&
		    domain == AF_UNIX)
			continue;
		(void)why_set(why, EINVAL,
			      "standard %s is a network socket of the host; "
			      "put a pipe in between, as in 'cat | chock-spawn "
			      "... | cat'",
			      names[fd]);
		return layer_failed(outcome->layers, LAYER_NETNS, why);
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
