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
#include "base/why.h"
#include "record/record.h"
#include "workspace/create.h"

#define READ_ROOM ((size_t)64 << 10)
#define STATUS_ROOM ((size_t)64 << 10)

static int put(const struct sink *sink, struct span bytes)
{
	if (!sink->buf)
		return file_write(sink->fd, bytes);
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
			       "git in the copy took more than %llu seconds",
			       (unsigned long long)inside->seconds);
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

static void command(struct names *argv, const struct inside *inside,
		    const char *status_fd, const char *const *args)
{
	autofree char *seconds =
		alloc_text("%llu", (unsigned long long)inside->seconds);
	const char *const before[] = { "chock-spawn",
				       "--policy",
				       "base",
				       "--project",
				       buf_str(&inside->project->root),
				       "--copy",
				       inside->space->copy,
				       "--die-with-parent",
				       "--net",
				       "none",
				       "--timeout",
				       seconds,
				       "--status-fd",
				       status_fd,
				       NULL };
	/* Settings of a person's own making that would only get in the way;
	 * that they cannot do harm is the sandbox's business. */
	const char *const between[] = {
		"--",
		"git",
		"-C",
		inside->space->in_place ? inside->space->copy
					: buf_str(&inside->project->root),
		"--no-pager",
		"--no-replace-objects",
		"-c",
		"core.fsmonitor=false",
		"-c",
		"core.quotePath=true",
		NULL
	};
	const char *const in_place[] = { "--driver", "landlock", NULL };
	autonames struct names binds = { 0 };
	size_t i;

	names_words(argv, before);
	if (inside->space->in_place)
		names_words(argv, in_place);
	create_binds(&binds, inside->space, inside->project);
	for (i = 0; i < binds.count; i++) {
		names_add(argv, span_of("--bind"));
		names_add(argv, span_of(binds.items[i]));
	}
	names_words(argv, between);
	names_words(argv, args);
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

int inside_git(const struct inside *inside, const char *const *args,
	       struct span input, const struct sink *sink, struct why *why)
{
	autobuf struct buf spawn = { 0 };
	autonames struct names argv = { 0 };
	autofree char *number = NULL;
	autoclose int in_fd = -1;
	int status_fds[2];
	int r = check_copy(inside->space->copy, why);

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
	command(&argv, inside, number, args);
	r = run(inside,
		(struct child){ .program = buf_str(&spawn),
				.argv = names_argv(&argv),
				.in_fd = in_fd,
				.err_fd = -1,
				.extra_fd = &status_fds[1] },
		sink, status_fds, why);
	(void)close(status_fds[0]);
	return r;
}

int inside_tip(const struct inside *inside, struct buf *id, struct why *why)
{
	const char *branch = buf_str(&inside->space->branch);
	autofree char *name =
		alloc_text("%s^{commit}", *branch ? branch : "HEAD");
	const char *const args[] = { "rev-parse",        "-q", "--verify",
				     "--end-of-options", name, NULL };
	const struct sink sink = { .buf = id, .max = 256 };
	int r = inside_git(inside, args, (struct span){ 0 }, &sink, why);

	if (r < 0)
		return r;
	if (r > 0 && !id->len && !inside->space->head.len)
		return 0;
	if (!r && id->len && id->data[id->len - 1] == '\n')
		id->data[--id->len] = '\0';
	if (r > 0 || !git_is_id(buf_span(id)) ||
	    (id->len == 64) != inside->space->sha256)
		return why_set(why, EBADMSG, "the copy's '%s' is no commit",
			       *branch ? branch : "HEAD");
	return 0;
}

static int list(const struct inside *inside, const char *const *args,
		struct names *names, char separator, struct why *why)
{
	autobuf struct buf out = { 0 };
	const struct sink sink = { .buf = &out, .max = INSIDE_LIST_MAX };
	int r = inside_git(inside, args, (struct span){ 0 }, &sink, why);

	if (r > 0)
		return why_set(why, EBADMSG,
			       "git cannot read the copy's repository");
	if (!r)
		names_split(names, buf_span(&out), separator);
	return r;
}

int inside_uncommitted(const struct inside *inside, size_t *count,
		       struct why *why)
{
	static const char *const args[] = { "status",
					    "--porcelain=v1",
					    "-z",
					    "--no-renames",
					    "--ignore-submodules=dirty",
					    "--untracked-files=all",
					    NULL };
	autonames struct names lines = { 0 };
	int r = list(inside, args, &lines, '\0', why);

	*count = lines.count;
	return r;
}

static bool is_tip(const struct names *refs, const struct buf *id)
{
	size_t i;

	for (i = 0; i < refs->count; i++)
		if (!strncmp(refs->items[i], buf_str(id), id->len))
			return true;
	return false;
}

/* A commit to which nothing but a detached HEAD leads is work as well. */
static int add_head(const struct inside *inside, const struct names *was,
		    const struct names *is, struct names *others,
		    struct why *why)
{
	static const char *const args[] = { "rev-parse", "-q", "--verify",
					    "HEAD^{commit}", NULL };
	autobuf struct buf id = { 0 };
	const struct sink sink = { .buf = &id, .max = 256 };
	int r = inside_git(inside, args, (struct span){ 0 }, &sink, why);

	if (r < 0 || r > 0 || id.len < 2)
		return r < 0 ? r : 0;
	id.data[--id.len] = '\0';
	if (inside->space->branch.len && !is_tip(was, &id) && !is_tip(is, &id))
		names_add(others, span_of("HEAD"));
	return 0;
}

int inside_others(const struct inside *inside, struct names *others,
		  struct why *why)
{
	static const char *const args[] = { "for-each-ref",
					    "--format=%(objectname) %(refname)",
					    NULL };
	autofree char *path = alloc_text("%s/refs", inside->space->dir);
	autobuf struct buf before = { 0 };
	autonames struct names was = { 0 };
	autonames struct names is = { 0 };
	size_t i;
	int r = file_read_path(&before, AT_FDCWD, path, BUF_MAX, why);

	if (!r)
		r = list(inside, args, &is, '\n', why);
	names_split(&was, buf_span(&before), '\n');
	names_tidy(&was);
	for (i = 0; !r && i < is.count; i++) {
		const char *name = strchr(is.items[i], ' ');

		if (name && strcmp(name + 1, buf_str(&inside->space->branch)) &&
		    !names_has(&was, is.items[i]))
			names_add(others, span_of(name + 1));
	}
	return r < 0 ? r : add_head(inside, &was, &is, others, why);
}

int inside_pack(const struct inside *inside, struct span to, struct span from,
		uint64_t max, struct why *why)
{
	static const char *const args[] = { "pack-objects", "--revs",
					    "--stdout",     "-q",
					    "--no-thin",    NULL };
	autobuf struct buf revs = { 0 };
	struct sink sink = { .max = max };
	autoclose int pack_fd = -1;
	const char *path = inside->space->pack;
	int r;

	if (unlink(path) < 0 && errno != ENOENT)
		return why_sys(why, errno, "cannot remove '%s'", path);
	pack_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (pack_fd < 0)
		return why_sys(why, errno, "cannot make '%s'", path);
	buf_add(&revs, to);
	buf_addc(&revs, '\n');
	if (from.len) {
		buf_addc(&revs, '^');
		buf_add(&revs, from);
		buf_addc(&revs, '\n');
	}
	sink.fd = pack_fd;
	r = inside_git(inside, args, buf_span(&revs), &sink, why);
	if (r == -EFBIG)
		return why_set(why, EFBIG,
			       "the commits are more than %llu bytes "
			       "(--pack-max)",
			       (unsigned long long)max);
	if (r > 0)
		return why_set(why, EBADMSG,
			       "git cannot pack the copy's commits");
	return r;
}
