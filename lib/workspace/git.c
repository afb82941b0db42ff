/* SPDX-License-Identifier: ISC */
#include "workspace/git.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/bug.h"
#include "base/child.h"
#include "base/num.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/why.h"

#define SHA1_HEX 40
#define SHA256_HEX 64

/* Of what git complains, no more than this is looked at; with a count it is
 * another line for each hundredth, and each second. */
#define COMPLAINT_ROOM ((size_t)64 << 10)

/* "Updating files:  12% (12345/100000)", and more of them behind it. */
#define COUNT_MARK "Updating files: "
#define COUNT_ROOM 256

static const char *const always[] = {
	"git", "--no-pager",
	"-c",  "core.hooksPath=/dev/null",
	"-c",  "core.fsmonitor=false",
	"-c",  "core.alternateRefsCommand=",
	"-c",  "gc.auto=0",
	"-c",  "maintenance.auto=false",
	"-c",  "submodule.recurse=false",
	"-c",  "protocol.allow=never",
};

static const char *const neutral[] = {
	"LC_ALL=C",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_SYSTEM=/dev/null",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ALLOW_PROTOCOL=none",
	"GIT_EDITOR=:",
	"GIT_PAGER=cat",
};

static void set(struct names *env, const char *name, const char *value)
{
	autofree char *pair = NULL;

	if (!value)
		return;
	pair = alloc_text("%s=%s", name, value);
	names_add(env, span_of(pair));
}

/* The environment of a call; a NULL ends it. */
static const char *const *environment(const struct git *git, struct names *env)
{
	size_t i;

	for (i = 0; i < sizeof(neutral) / sizeof(*neutral); i++)
		names_add(env, span_of(neutral[i]));
	set(env, "GIT_OPTIONAL_LOCKS", git->refreshes ? "1" : "0");
	set(env, "PATH", PLACE_HOST_PATH);
	if (git->counts)
		set(env, "GIT_PROGRESS_DELAY", "0");
	set(env, "TMPDIR", getenv("TMPDIR"));
	/* Whose repositories root trusts is told by this one. */
	set(env, "SUDO_UID", getenv("SUDO_UID"));
	set(env, "GIT_DIR", git->git_dir);
	set(env, "GIT_WORK_TREE", git->work_tree);
	set(env, "GIT_INDEX_FILE", git->index);
	set(env, "GIT_OBJECT_DIRECTORY", git->objects);
	set(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES", git->borrowed);
	for (i = 0; git->env && i < git->env->count; i++)
		names_add(env, span_of(git->env->items[i]));
	return names_argv(env);
}

static const char **arguments(const struct git *git, const char *const *args)
{
	const size_t first = sizeof(always) / sizeof(*always);
	const char **argv;
	size_t count = 0;

	while (args[count])
		count++;
	argv = alloc_zero(first + 2 + count + 1, sizeof(*argv));
	memcpy(argv, always, sizeof(always));
	argv[first] = "-C";
	argv[first + 1] = git->dir ? git->dir : ".";
	memcpy(argv + first + 2, args, count * sizeof(*args));
	return argv;
}

/*
 * Keeps the first line that git marks as the reason, else the last one; the
 * lines between are hints for who typed the command.
 */
static void hear(struct git *git, int err_fd)
{
	char text[COMPLAINT_ROOM + 1];
	ssize_t got = pread(err_fd, text, COMPLAINT_ROOM, 0);
	const char *kept = "";
	char *line;
	char *next;

	text[got > 0 ? got : 0] = '\0';
	for (line = text; line && *line; line = next) {
		next = strpbrk(line, "\r\n");
		if (next)
			*next++ = '\0';
		if (!strncmp(line, COUNT_MARK, strlen(COUNT_MARK)))
			continue;
		kept = line;
		if (!strncmp(line, "fatal: ", 7) ||
		    !strncmp(line, "error: ", 7)) {
			kept = line + 7;
			break;
		}
	}
	(void)snprintf(git->said, sizeof(git->said), "%.*s",
		       (int)sizeof(git->said) - 1, kept);
}

/* What it counted last, of what it says as it goes on. */
static void read_count(struct progress *progress, int err_fd)
{
	char text[COUNT_ROOM + 1];
	struct stat st;
	off_t from;
	ssize_t got;
	uint64_t done, all;

	if (fstat(err_fd, &st) < 0)
		return;
	from = st.st_size > COUNT_ROOM ? st.st_size - COUNT_ROOM : 0;
	got = pread(err_fd, text, COUNT_ROOM, from);
	text[got > 0 ? got : 0] = '\0';
	const char *open = strrchr(text, '(');

	if (!open || !strchr(open, ')'))
		return;
	struct span counts = span_of(open + 1);
	struct span first = span_cut(&counts, '/');
	struct span second = span_cut(&counts, ')');

	if (!num_read(&done, first, UINT32_MAX) &&
	    !num_read(&all, second, UINT32_MAX)) {
		progress->done = done;
		progress->all = all;
	}
}

enum way { WAY_RUN, WAY_READ, WAY_FILTER, WAY_START };

struct io {
	enum way way;
	struct span in;
	struct buf *out;
	pid_t *pid;
};

static int start_and_wait(const struct child *child, const struct io *io,
			  struct why *why)
{
	switch (io->way) {
	case WAY_READ:
		return child_run_read(child, io->out, BUF_MAX, why);
	case WAY_FILTER:
		return child_run_filter(child, io->in, io->out, BUF_MAX, why);
	case WAY_START:
		return child_start(child, io->pid, why);
	case WAY_RUN:
	default:
		return child_run(child, why);
	}
}

/* A sanitizer, which is in us and not in git, reserves terabytes. */
static rlim_t memory_max(void)
{
#ifdef CHOCK_SANITIZED
	return RLIM_INFINITY;
#else
	return GIT_MEMORY_MAX;
#endif
}

/* The child has our limits: they are its own for as long as it takes. */
static int carry_out(const struct child *child, const struct io *io,
		     struct why *why)
{
	struct rlimit before;
	struct rlimit limit;
	int r;

	if (getrlimit(RLIMIT_DATA, &before) < 0)
		return why_sys(why, errno, "cannot read a limit");
	limit = before;
	if (limit.rlim_cur > memory_max())
		limit.rlim_cur = memory_max();
	if (setrlimit(RLIMIT_DATA, &limit) < 0)
		return why_sys(why, errno, "cannot limit the memory of git");
	r = start_and_wait(child, io, why);
	(void)setrlimit(RLIMIT_DATA, &before);
	return r;
}

static int call(struct git *git, const char *const *args, const struct io *io,
		struct why *why)
{
	autoclose int err_fd = memfd_create("git", MFD_CLOEXEC);
	autobuf struct buf program = { 0 };
	autofree const char **argv = arguments(git, args);
	autonames struct names env = { 0 };
	struct child child = {
		.argv = argv,
		.env = environment(git, &env),
		.in_fd = git->in_fd,
		.out_fd = git->out_fd,
		.err_fd = err_fd,
		.extra_fd = git->keep_fd,
	};
	int r = place_host(&program, "git", why);

	if (r < 0)
		return r;
	if (err_fd < 0)
		return why_sys(why, errno, "cannot make a file in memory");
	child.program = buf_str(&program);
	if (git->counts)
		progress_ask(read_count, err_fd);
	r = carry_out(&child, io, why);
	progress_ask(NULL, -1);
	hear(git, err_fd);
	return r;
}

int git_run(struct git *git, const char *const *args, struct why *why)
{
	return call(git, args, &(struct io){ .way = WAY_RUN }, why);
}

int git_read(struct git *git, const char *const *args, struct buf *out,
	     struct why *why)
{
	return call(git, args, &(struct io){ .way = WAY_READ, .out = out },
		    why);
}

int git_filter(struct git *git, const char *const *args, struct span in,
	       struct buf *out, struct why *why)
{
	return call(git, args,
		    &(struct io){ .way = WAY_FILTER, .in = in, .out = out },
		    why);
}

int git_start(struct git *git, const char *const *args, pid_t *pid,
	      struct why *why)
{
	return call(git, args, &(struct io){ .way = WAY_START, .pid = pid },
		    why);
}

int git_settle(const struct git *git, int r, const char *what, struct why *why)
{
	if (r <= 0)
		return r < 0 ? why_within(why, "cannot %s", what) : 0;
	return why_set(why, EINVAL, "cannot %s: git: %s", what,
		       git->said[0] ? git->said : "failed without a reason");
}

int git_one(struct git *git, const char *const *args, struct buf *out,
	    struct why *why)
{
	int r = git_read(git, args, out, why);

	if (!r && out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return r;
}

const char *git_strict(bool partial)
{
	return partial ? "--fsck-objects" : "--strict";
}

const char *git_counting(void)
{
	return progress_is_open() ? "--verbose" : "--no-verbose";
}

const char *git_empty_tree(bool sha256)
{
	return sha256 ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd"
			"74decc5321"
		      : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

int git_next_object(struct git_object *object, struct span *out)
{
	struct span head = span_cut(out, '\n');
	uint64_t size;

	object->id = span_cut(&head, ' ');
	object->type = span_cut(&head, ' ');
	if (num_read(&size, head, out->len) < 0 || size >= out->len)
		return -EBADMSG;
	object->content = (struct span){ out->data, (size_t)size };
	*out = span_from(*out, (size_t)size + 1);
	return 0;
}

bool git_is_id(struct span id)
{
	size_t i;

	if (id.len != SHA1_HEX && id.len != SHA256_HEX)
		return false;
	for (i = 0; i < id.len; i++)
		if (!id.data[i] || !strchr("0123456789abcdef", id.data[i]))
			return false;
	return true;
}
