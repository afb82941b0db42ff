/* SPDX-License-Identifier: ISC */
#include "workspace/refs.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/child.h"
#include "base/fd.h"
#include "base/why.h"
#include "workspace/git.h"
#include "workspace/names.h"

#define ANSWER_ROOM 256

/* Makes @ref name @to where it names @old; git's word for "nothing" is "". */
static int park(struct git *git, const char *ref, const char *to,
		const char *old, struct why *why)
{
	const char *const update[] = { "update-ref", "--create-reflog",
				       "-m",         "chock: work of a session",
				       ref,          to,
				       old,          NULL };

	return git_run(git, update, why);
}

int refs_keep(const struct project *project, const char *ref, const char *to,
	      struct why *why)
{
	const char *const was[] = { "rev-parse", "-q", "--verify", ref, NULL };
	autobuf struct buf old = { 0 };
	struct git git = project_git(project);
	struct git look = project_git(project);
	int r;

	git.env = &project->reflog;
	r = park(&git, ref, to, "", why);
	if (r <= 0)
		return r;
	if (git_one(&look, was, &old, why) || !old.len)
		return git_settle(&git, r, "keep the work in the project", why);
	const char *const follows[] = { "merge-base", "--is-ancestor",
					buf_str(&old), to, NULL };

	r = git_run(&look, follows, why);
	if (r > 0)
		return why_set(why, EEXIST,
			       "cannot write '%s': it holds other work", ref);
	if (!r)
		r = park(&git, ref, to, buf_str(&old), why);
	return git_settle(&git, r, "keep the work in the project", why);
}

int refs_park(const struct project *project, const char *id, const char *to,
	      struct why *why)
{
	autofree char *ref = alloc_text(REFS_PARKED "%s", id);

	return refs_keep(project, ref, to, why);
}

int refs_remove(const struct project *project, const struct names *refs,
		struct why *why)
{
	static const char *const update[] = { "update-ref", "--no-deref", "-z",
					      "--stdin", NULL };
	struct git git = project_git(project);
	autobuf struct buf in = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;
	int r;

	for (i = 0; i < refs->count; i++) {
		buf_addf(&in, "delete %s", refs->items[i]);
		buf_add(&in, (struct span){ "\0\0", 2 });
	}
	r = git_filter(&git, update, buf_span(&in), &out, why);
	return git_settle(&git, r, "remove references of sessions", why);
}

static int tell(const struct refs_transaction *held, const char *line)
{
	ssize_t done = send(held->fd, line, strlen(line), MSG_NOSIGNAL);

	return done == (ssize_t)strlen(line) ? 0 : -EPIPE;
}

/* Reads until @last or until git ends; returns 0 or -EAGAIN. */
static int expect(const struct refs_transaction *held, const char *last)
{
	char answer[ANSWER_ROOM];
	size_t len = 0;
	ssize_t got;

	while (len < sizeof(answer) - 1) {
		got = read(held->fd, answer + len, sizeof(answer) - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EAGAIN;
		len += (size_t)got;
		answer[len] = '\0';
		if (strstr(answer, last))
			return 0;
	}
	return -EAGAIN;
}

void refs_abort(struct refs_transaction *held)
{
	struct why lost = { 0 };

	if (held->fd < 0)
		return;
	/* The end of its input is the end of the transaction. */
	fd_drop(&held->fd);
	(void)child_wait(held->pid, "git", &lost);
}

int refs_prepare(struct refs_transaction *held, const struct project *project,
		 const char *from, const char *to, struct why *why)
{
	static const char *const args[] = { "update-ref", "-m",
					    "chock: apply a session's work",
					    "--stdin", NULL };
	autofree char *lines =
		alloc_text("start\nupdate HEAD %s %s\nprepare\n", to, from);
	struct git git = project_git(project);
	int pair[2];
	int r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return why_sys(why, errno, "cannot make a socket");
	git.env = &project->reflog;
	git.in_fd = pair[1];
	git.out_fd = pair[1];
	r = git_start(&git, args, &held->pid, why);
	(void)close(pair[1]);
	if (r < 0) {
		(void)close(pair[0]);
		return r;
	}
	held->fd = pair[0];
	if (tell(held, lines) < 0 || expect(held, "prepare: ok\n") < 0) {
		refs_abort(held);
		return why_set(why, EAGAIN,
			       "the branch moved or is locked by another git");
	}
	return 0;
}

int refs_commit(struct refs_transaction *held, struct why *why)
{
	int r = tell(held, "commit\n");

	if (!r)
		r = expect(held, "commit: ok\n");
	fd_drop(&held->fd);
	if (child_wait(held->pid, "git", why) != 0 || r < 0)
		return why_set(why, EIO, "git cannot move the branch");
	return 0;
}
