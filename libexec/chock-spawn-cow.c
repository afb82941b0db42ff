/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that commits a copy on write, or does not
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/pass.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"
#include "cow/cow.h"
#include "cow/journal.h"
#include "cow/list.h"
#include "cow/node.h"
#include "cow/waits.h"
#include "limit/full.h"
#include "spec/outcome.h"

#define NAMED_MAX 400 /* bytes of a path in a line */

static struct cow cow = { .dir_fd = -1 };
static struct sandbox_cow inside = { .layer_fd = -1 };
static int layer_socket = -1;

static void check_options(const struct spawn_options *given)
{
	int hows = given->commit + given->discard + given->dry_run;

	if (hows && !given->cow && !given->recover)
		die(EXIT_MISUSE, "--commit, --discard and --dry-run want a "
				 "directory: --cow or --recover");
	if (hows > 1)
		die(EXIT_MISUSE, "of --commit, --discard and --dry-run only "
				 "one can be done");
	if (given->cow && given->recover)
		die(EXIT_MISUSE, "--recover runs nothing: no --cow goes with "
				 "it");
	if (given->recover && given->dry_run)
		die(EXIT_MISUSE, "--recover has no --dry-run");
	if (given->layers && !given->cow && !given->copy)
		die(EXIT_MISUSE, "--layers goes with --cow or --copy only");
	if (given->layers && given->cow && given->copy)
		die(EXIT_MISUSE, "--layers keeps what is written to --cow or "
				 "to --copy, not to both");
	if (given->layers && hows)
		die(EXIT_MISUSE, "--layers keeps what is written: no --commit, "
				 "--discard or --dry-run goes with it");
	if (given->null && !given->dry_run)
		die(EXIT_MISUSE, "-z goes with --dry-run only");
	if (given->list_fd >= 0 && !given->dry_run)
		die(EXIT_MISUSE, "--list-fd goes with --dry-run only");
}

void spawn_cow_options(const struct spawn *spawn)
{
	check_options(&spawn->options);
}

static const char *find_layers(const struct spawn *spawn)
{
	const char *path = spawn_absolute(spawn, spawn->options.layers);
	autoclose int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		die_errno(EXIT_SETUP, "--layers: cannot open '%s'", path);
	return path;
}

static void open_socket(struct spawn *spawn)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		die_errno(EXIT_SETUP, "cannot make a socket");
	layer_socket = sockets[0];
	inside.layer_fd = sockets[1];
	spawn->sandbox.cow = &inside;
}

/* Before anything else can happen to the directory. */
void spawn_cow_open(struct spawn *spawn, const char *path)
{
	const struct spawn_options *given = &spawn->options;
	struct why why = { 0 };
	int r = cow_open(&cow, path,
			 !given->discard && !given->dry_run && !given->layers,
			 &why);

	spawn->busy = r == -EAGAIN;
	if (r < 0)
		die(EXIT_SETUP, "--cow: %s", why.text);
	open_socket(spawn);
	inside.dev = cow.st.st_dev;
	inside.ino = cow.st.st_ino;
	inside.since = cow.real;
	if (given->layers)
		inside.layers = find_layers(spawn);
}

/*
 * Many copies may have the directory below them, so it is not locked, and each
 * has layers of its own, which are: the kernel takes them for two overlays at
 * once, and says that it does not know what they show then.
 */
static void lock_layers(const char *path)
{
	static int locked_fd = -1;

	locked_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (locked_fd < 0)
		die_errno(EXIT_SETUP, "--layers: cannot open '%s'", path);
	if (!flock(locked_fd, LOCK_EX | LOCK_NB))
		return;
	if (errno == EWOULDBLOCK)
		die(EXIT_SETUP, "--layers: '%s' is in use: one run at a time",
		    path);
	die_errno(EXIT_SETUP, "--layers: cannot lock '%s'", path);
}

/* What process 1 sent when the overlay was there; -1: it never was. */
static int receive_layer(void)
{
	unsigned char byte;
	int fd = -1;

	return pass_receive(layer_socket, &byte, &fd) == 1 ? fd : -1;
}

static void warn_left_out(void *context, const char *path, const char *what)
{
	bool whole = strlen(path) <= NAMED_MAX;

	(void)context;
	warn("'%.*s%s' is a %s, and is not committed", NAMED_MAX, path,
	     whole ? "" : "...", what);
}

static const struct cow_tell tell = { .left_out = warn_left_out };

static int list(const struct spawn_options *given, int upper_fd)
{
	autolist struct list lines = { .fd = given->list_fd < 0
						     ? STDOUT_FILENO
						     : given->list_fd,
				       .plain = given->null };
	struct why why = { 0 };

	if (!cow_list(&cow, upper_fd, &tell, &lines, &why))
		return EXIT_ALLOW;
	warn("cannot list what '%s' would become: %s", given->cow, why.text);
	return EXIT_SYSTEM;
}

/* A commit that is cut off can be gone on with, but need not be cut off. */
static int commit(struct outcome *outcome, int upper_fd)
{
	struct why why = { 0 };
	enum cow_state state;
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	state = cow_commit(&cow, upper_fd, &tell, &why);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	outcome->cow = state == COW_DONE   ? OUTCOME_COW_COMMITTED
		       : state == COW_KEPT ? OUTCOME_COW_KEPT
		       : state == COW_HALF ? OUTCOME_COW_HALF
					   : OUTCOME_COW_LOST;
	if (state != COW_DONE) {
		warn("%s", why.text);
		return EXIT_SYSTEM;
	}
	waits_remove(&cow.shelf);
	return EXIT_ALLOW;
}

static void add_waiting(void *context, const char *dir)
{
	struct sandbox *sandbox = context;
	size_t *count = &sandbox->waiting_count;
	const char **all = alloc_array(sandbox->waiting, *count, sizeof(*all));

	all[(*count)++] = alloc_text("%s/" COW_DIR, dir);
	sandbox->waiting = all;
}

void spawn_cow_waiting(struct spawn *spawn)
{
	struct why why = { 0 };

	if (waits_each(add_waiting, &spawn->sandbox, &why) < 0)
		die(EXIT_SETUP, "%s", why.text);
}

/*
 * The kernel's own part of the layers is for an overlay that is mounted, and
 * leaves a directory that only root, or who changes its mode, can remove.
 */
static void remove_work(void)
{
	autofree char *work = alloc_text("%s/work", inside.layers);
	struct why ignored = { 0 };

	(void)file_remove_tree(AT_FDCWD, work, &ignored);
}

/* What a run that was killed left of the kernel's own part goes first. */
void spawn_copy_open(struct spawn *spawn, const char *path)
{
	struct stat st;

	inside.layers = find_layers(spawn);
	inside.again = true;
	lock_layers(inside.layers);
	remove_work();
	if (stat(path, &st) < 0)
		die_errno(EXIT_SETUP, "--copy: cannot open '%s'", path);
	inside.dev = st.st_dev;
	inside.ino = st.st_ino;
	open_socket(spawn);
}

int spawn_cow_finish(const struct spawn *spawn, struct outcome *outcome)
{
	const struct spawn_options *given = &spawn->options;
	autoclose int upper_fd = -1;
	bool fine = outcome->ended && !outcome->timed_out &&
		    outcome->wait_status == 0;

	if (!spawn->sandbox.cow)
		return EXIT_ALLOW;
	if (!given->cow) {
		remove_work();
		return EXIT_ALLOW;
	}
	outcome->cow = OUTCOME_COW_DISCARDED;
	if (outcome->stage != OUTCOME_STARTED ||
	    (!outcome->ended && !given->commit && !given->layers))
		return EXIT_ALLOW;
	if (given->layers) {
		remove_work();
		outcome->cow = OUTCOME_COW_KEPT;
		return EXIT_ALLOW;
	}
	upper_fd = receive_layer();
	if (upper_fd < 0) {
		warn("cannot find what was written to '%s': the sandbox ended "
		     "without handing it on, and it is lost",
		     given->cow);
		outcome->cow = OUTCOME_COW_LOST;
		return EXIT_SYSTEM;
	}
	if (full_failed(outcome) && full_is(upper_fd))
		outcome->exceeded.full |= LIMIT_BIT(LIMIT_COW);
	node_make_room();
	if (given->dry_run && !fine)
		warn("the command did not end with 0, so that none of what "
		     "would change would be put in place without --commit");
	if (given->dry_run)
		return list(given, upper_fd);
	if (given->commit || (fine && !given->discard))
		return commit(outcome, upper_fd);
	return EXIT_ALLOW;
}

int spawn_recover(const struct spawn *spawn)
{
	const struct spawn_options *given = &spawn->options;
	enum cow_recovery how = given->discard  ? COW_DROP
				: given->commit ? COW_FORCE
						: COW_FINISH;
	struct why why = { 0 };
	sigset_t all, before;
	enum cow_state state;

	node_make_room();
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	state = cow_recover(given->recover, how, &why);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (state == COW_DONE)
		return EXIT_ALLOW;
	warn("%s", why.text);
	return report_status(&why);
}
