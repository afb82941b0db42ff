/* SPDX-License-Identifier: ISC */
#include "workspace/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/child.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/place.h"
#include "base/progress.h"
#include "base/rough.h"
#include "base/why.h"
#include "record/record.h"
#include "workspace/create.h"
#include "workspace/fifos.h"

#define READ_ROOM ((size_t)64 << 10)
#define STATUS_ROOM ((size_t)64 << 10)

static int put(const struct sink *sink, struct span bytes)
{
	if (sink->put)
		return sink->put(sink->context, bytes);
	buf_add(sink->buf, bytes);
	return sink->buf->full ? -EFBIG : 0;
}

/* Takes all that comes out of @from_fd, within size; chock-spawn holds time. */
static int drain(int from_fd, const struct sink *sink)
{
	char some[READ_ROOM];
	uint64_t taken = 0;
	ssize_t got;
	int r = 0;

	while (!r) {
		progress_wait_fd(from_fd);
		got = read(from_fd, some, sizeof(some));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		if ((uint64_t)got > sink->max - taken)
			return -EFBIG;
		taken += (uint64_t)got;
		r = put(sink, (struct span){ some, (size_t)got });
	}
	return r;
}

/*
 * A sandbox that could not be made ends with a status that git could have
 * ended with as well; the line on the status descriptor, which only
 * chock-spawn holds, tells them apart.
 */
static int check_ran(int status_fd, int r, const struct inside *inside,
		     struct why *why)
{
	autorecord struct record record = { 0 };
	autobuf struct buf line = { 0 };
	autobuf struct buf error = { 0 };
	struct why unread = { 0 };

	if (file_read(&line, status_fd, STATUS_ROOM, why) < 0)
		return why_within(why, "cannot run the sandbox");
	if (record_read(&record, buf_span(&line), &unread) < 0)
		record_drop(&record);
	if (value_is(record_get(&record, "killed"), "time"))
		return why_set(why, ETIMEDOUT,
			       "git in the copy took more than %llu second%s",
			       (unsigned long long)inside->seconds,
			       rough_plural(inside->seconds));
	if (value_is(record_get(&record, "chock"), "ran"))
		return r;
	if (value_bytes(&error, record_get(&record, "error")) < 0)
		buf_addf(&error, "chock-spawn ended with status %d", r);
	return why_set(why, EIO, "cannot make a sandbox for git: %s",
		       buf_str(&error));
}

static int settle(int drained, int ended, int status_fd,
		  const struct inside *inside, struct why *why)
{
	if (drained == -EFBIG)
		return why_set(why, EFBIG,
			       "git in the copy printed more than is taken");
	if (drained < 0)
		return why_sys(why, -drained, "cannot take what git printed");
	return ended < 0 ? ended : check_ran(status_fd, ended, inside, why);
}

/* Starts @argv, takes its output, and sees it end. */
static int run(const struct inside *inside, struct child child,
	       const struct sink *sink, int status_fds[2], struct why *why)
{
	autoclose int from_fd = -1;
	autoclose int out_fd = -1;
	int pair[2];
	pid_t pid;
	int r, ended;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return why_sys(why, errno, "cannot make a pipe");
	from_fd = pair[0];
	out_fd = pair[1];
	child.out_fd = out_fd;
	r = child_start(&child, &pid, why);
	fd_drop(&status_fds[1]);
	fd_drop(&out_fd);
	if (r < 0)
		return r;
	r = drain(from_fd, sink);
	/* The end of chock-spawn is the end of all that it started. */
	if (r < 0)
		(void)kill(pid, SIGKILL);
	ended = child_wait(pid, child.program, why);
	return settle(r, ended, status_fds[0], inside, why);
}

static int input_file(struct span input, struct why *why)
{
	autoclose int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || file_write(fd, input) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return why_sys(why, errno, "cannot make a file in memory");
	return take_fd(&fd);
}

/*
 * What of the copy's settings would run a program while git only looks: with
 * the rights of the base policy, and not with those that the session had.  No
 * setting turns a filter off, but one for each that there is does.  Nothing of
 * the session runs any more that could add one meanwhile.
 */
static const char harmless[] =
	"export GIT_CONFIG_COUNT=0 GIT_OPTIONAL_LOCKS=0 GIT_ALLOW_PROTOCOL=none\n"
	"set_to() {\n"
	"export \"GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=$1\""
	" \"GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=$2\"\n"
	"GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))\n"
	"}\n"
	"keys=$(git -C \"$1\" config --name-only --get-regexp '^filter\\.') ||"
	" [ $? -eq 1 ] || exit 128\n"
	"while IFS= read -r key; do\n"
	"case $key in\n"
	"filter.*.required) set_to \"$key\" false ;;\n"
	"filter.*) set_to \"$key\" '' ;;\n"
	"esac\n"
	"done <<END\n"
	"$keys\n"
	"END\n"
	"set_to core.hooksPath /dev/null\n"
	"set_to core.fsmonitor false\n"
	"shift\n"
	"exec \"$@\"\n";

static const char *copy_inside(const struct inside *inside)
{
	return inside->space->in_place ? inside->space->copy
				       : buf_str(&inside->project->root);
}

void inside_git_words(struct names *words, const struct inside *inside)
{
	/* Settings of a person's own making that would only get in the way;
	 * that they cannot do harm is the sandbox's business. */
	const char *const git[] = { "git",
				    "-C",
				    copy_inside(inside),
				    "--no-pager",
				    "--no-replace-objects",
				    "-c",
				    "core.quotePath=true",
				    NULL };

	names_words(words, git);
}

static void command(struct names *argv, const struct inside *inside,
		    const char *status_fd, struct names *words)
{
	autofree char *seconds =
		alloc_text("%llu", (unsigned long long)inside->seconds);
	const bool laid = inside->space->below.len > 0;
	const char *const before[] = { "chock-spawn",
				       "--policy",
				       "base",
				       "--project",
				       buf_str(&inside->project->root),
				       "--copy",
				       laid ? buf_str(&inside->space->below)
					    : inside->space->copy,
				       "--die-with-parent",
				       "--net",
				       "none",
				       "--timeout",
				       seconds,
				       "--status-fd",
				       status_fd,
				       NULL };
	const char *const in_place[] = { "--driver", "landlock", NULL };
	const char *const over[] = { "--layers", inside->space->layers, NULL };
	const char *const shell[] = {
		"sh", "-c", harmless, "harmless", copy_inside(inside), NULL
	};
	autonames struct names binds = { 0 };
	size_t i;

	names_words(argv, before);
	if (inside->space->in_place)
		names_words(argv, in_place);
	if (laid)
		names_words(argv, over);
	create_binds(&binds, inside->space, inside->project);
	for (i = 0; i < binds.count; i++) {
		names_add(argv, span_of("--bind"));
		names_add(argv, span_of(binds.items[i]));
	}
	names_add(argv, span_of("--"));
	names_words(argv, shell);
	names_words(argv, names_argv(words));
}

/*
 * The sandbox gets what is at this path, writable.  Nothing inside can put
 * another thing there, but whoever moves workspaces about can.
 */
static int check_copy(const char *copy, struct why *why)
{
	struct stat st;

	if (lstat(copy, &st) < 0)
		return why_sys(why, errno, "cannot open '%s'", copy);
	if (!S_ISDIR(st.st_mode))
		return why_set(why, EINVAL,
			       "'%s' is not the directory that was made", copy);
	return 0;
}

int inside_run(const struct inside *inside, struct names *words,
	       struct span input, const struct sink *sink, struct why *why)
{
	autobuf struct buf spawn = { 0 };
	autonames struct names argv = { 0 };
	autofree char *number = NULL;
	autoclose int in_fd = -1;
	int status_fds[2];
	int r = check_copy(inside->space->copy, why);

	if (!r)
		r = fifos_refuse(inside->space->copy, why);
	if (!r)
		r = place_program(&spawn, "chock-spawn", why);
	if (r < 0)
		return r;
	in_fd = input_file(input, why);
	if (in_fd < 0)
		return in_fd;
	if (pipe2(status_fds, O_CLOEXEC) < 0)
		return why_sys(why, errno, "cannot make a pipe");
	number = alloc_text("%d", CHILD_EXTRA_FD);
	command(&argv, inside, number, words);
	r = run(inside,
		(struct child){ .program = buf_str(&spawn),
				.argv = names_argv(&argv),
				.in_fd = in_fd,
				.err_fd = -1,
				.extra_fd = &status_fds[1] },
		sink, status_fds, why);
	fd_drop(&status_fds[0]);
	fd_drop(&status_fds[1]);
	return r;
}

int inside_git(const struct inside *inside, const char *const *args,
	       struct span input, const struct sink *sink, struct why *why)
{
	autonames struct names words = { 0 };

	inside_git_words(&words, inside);
	names_words(&words, args);
	return inside_run(inside, &words, input, sink, why);
}
