/* SPDX-License-Identifier: ISC */
/*
 * Which kernel has what, from the kernel's Documentation/userspace-api/
 * landlock.rst and include/uapi/linux/landlock.h:
 *
 *	ABI  1  5.13  files and directories
 *	ABI  2  5.19  refer: link and rename between directories; before that
 *	              they are refused whatever is granted
 *	ABI  3  6.2   truncate
 *	ABI  4  6.7   TCP bind and connect
 *	ABI  5  6.10  ioctl on devices
 *	ABI  6  6.12  scopes: abstract unix sockets and signals
 *	ABI  7  6.15  flags of landlock_restrict_self(2) for the audit log
 *	ABI  8  7.0   the same for all threads of a process
 *	ABI  9  7.1   connecting to a unix socket that has a path
 *	ABI 10  7.2   UDP bind, connect and send; rules without audit
 *	ABI 11  7.3   a flag that sets no_new_privs
 */
#include "confine/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"

#define CREATE_VERSION 1U
#define RULE_PATH_BENEATH 1

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
	FS_RESOLVE_UNIX = 1 << 16,

	NET_BIND_TCP = 1 << 0,
	NET_CONNECT_TCP = 1 << 1,
	NET_BIND_UDP = 1 << 2,
	NET_CONNECT_SEND_UDP = 1 << 3,

	SCOPE_ABSTRACT_UNIX = 1 << 0,
	SCOPE_SIGNAL = 1 << 1
};

/* The rights that the kernel takes in a rule on something but a directory. */
#define FS_OF_FILES                                                \
	(FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | \
	 FS_IOCTL_DEV | FS_RESOLVE_UNIX)

/*
 * Making devices is in no grant: the sandbox has no capability for it, and
 * nothing that it writes may become one.
 */
#define FS_WRITES                                                             \
	(FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR |       \
	 FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER | \
	 FS_TRUNCATE)

#define MOUNTNS LAYER_BIT(LAYER_MOUNTNS)
#define NETNS LAYER_BIT(LAYER_NETNS)
#define PIDNS LAYER_BIT(LAYER_PIDNS)

/* What each ABI added; a row holds from its ABI on. */
static const struct abi {
	uint64_t fs, net, scoped;
	struct landlock_part part;
} abis[] = {
	{ FS_MAKE_SYM * 2 - 1, 0, 0, { 1, "5.13", LAYER_LANDLOCK, 0, NULL } },
	{ FS_REFER,
	  0,
	  0,
	  { 2, "5.19", LAYER_LANDLOCK_REFER, MOUNTNS,
	    "nothing can be moved from one directory to another" } },
	{ FS_TRUNCATE,
	  0,
	  0,
	  { 3, "6.2", LAYER_LANDLOCK_TRUNCATE, MOUNTNS,
	    "the mount tree holds it" } },
	{ 0,
	  NET_BIND_TCP | NET_CONNECT_TCP,
	  0,
	  { 4, "6.7", LAYER_LANDLOCK_TCP, NETNS,
	    "the network namespace holds it" } },
	{ FS_IOCTL_DEV,
	  0,
	  0,
	  { 5, "6.10", LAYER_LANDLOCK_IOCTL, MOUNTNS,
	    "the mount tree holds it" } },
	{ 0,
	  0,
	  SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL,
	  { 6, "6.12", LAYER_LANDLOCK_SCOPE, NETNS | PIDNS,
	    "the network and pid namespaces hold it" } },
	{ FS_RESOLVE_UNIX, 0, 0, { 9, "7.1", LAYER_COUNT, 0, NULL } },
	{ 0,
	  NET_BIND_UDP | NET_CONNECT_SEND_UDP,
	  0,
	  { 10, "7.2", LAYER_COUNT, 0, NULL } },
};

#define ABI_ROWS (sizeof(abis) / sizeof(*abis))

/* As landlock_create_ruleset(2) reads it; an older kernel knows the first
 * field, or the first two, and takes zeros in the others. */
struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

int landlock_abi(void)
{
	long abi =
		syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

const struct landlock_part *landlock_part(enum layer layer)
{
	size_t i;

	for (i = 0; i < ABI_ROWS; i++)
		if (abis[i].part.layer == layer)
			return &abis[i].part;
	return NULL;
}

int landlock_open(struct landlock *l, bool hold_net, struct why *why)
{
	struct landlock made = LANDLOCK_CLOSED;
	struct ruleset_attr attr;
	long fd;
	size_t i;

	/* Again, for its errno: landlock_abi() hides what the cause is. */
	fd = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
	if (fd < 0)
		return why_sys(why, errno, "cannot use Landlock");
	made.abi = (int)fd;
	for (i = 0; i < ABI_ROWS && abis[i].part.abi <= made.abi; i++) {
		made.handled_fs |= abis[i].fs;
		made.handled_net |= hold_net ? abis[i].net : 0;
		made.scoped |= abis[i].scoped;
	}
	attr = (struct ruleset_attr){ made.handled_fs, made.handled_net,
				      made.scoped };
	fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (fd < 0)
		return why_sys(why, errno, "cannot make a Landlock ruleset");
	made.fd = (int)fd;
	*l = made;
	return 0;
}

/*
 * Every ruleset refuses links and renames between directories that no rule of
 * its own grants, also one that does not handle files (Documentation/
 * userspace-api/landlock.rst, LANDLOCK_ACCESS_FS_REFER).
 */
int landlock_scope_signals(struct why *why)
{
	const struct ruleset_attr attr = { .handled_access_fs = FS_REFER,
					   .scoped = SCOPE_SIGNAL };
	autoclose int root_fd = open("/", O_PATH | O_CLOEXEC);
	const struct path_beneath_attr rule = { .allowed_access = FS_REFER,
						.parent_fd = root_fd };
	autoclose int fd = (int)syscall(SYS_landlock_create_ruleset, &attr,
					sizeof(attr), 0);

	if (fd < 0 || root_fd < 0 ||
	    syscall(SYS_landlock_add_rule, fd, RULE_PATH_BENEATH, &rule, 0) < 0)
		return why_sys(why, errno, "cannot make a Landlock ruleset");
	if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		return why_sys(why, errno, "cannot enforce Landlock");
	return 0;
}

static uint64_t rights(unsigned int access, mode_t mode)
{
	uint64_t fs = 0;

	if (access & LANDLOCK_READ)
		fs |= FS_READ_FILE | FS_READ_DIR;
	if (access & LANDLOCK_LIST)
		fs |= FS_READ_DIR;
	if (access & LANDLOCK_EXEC)
		fs |= FS_EXECUTE;
	if (access & LANDLOCK_WRITE)
		fs |= FS_WRITES;
	if (access & LANDLOCK_DEVICE)
		fs |= FS_IOCTL_DEV;
	/*
	 * A directory never opens the sockets in it: only one that is granted
	 * by its own path can be connected to.  Those that a sandbox makes
	 * itself need no rule.
	 */
	if (S_ISSOCK(mode) && (access & LANDLOCK_WRITE))
		fs |= FS_RESOLVE_UNIX;
	return S_ISDIR(mode) ? fs : fs & FS_OF_FILES;
}

static int add_rule(const struct landlock *l, int path_fd, unsigned int access,
		    mode_t mode)
{
	struct path_beneath_attr rule = {
		.allowed_access = rights(access, mode) & l->handled_fs,
		.parent_fd = path_fd,
	};

	if (!rule.allowed_access) /* the kernel calls such a rule ENOMSG */
		return 0;
	return syscall(SYS_landlock_add_rule, l->fd, RULE_PATH_BENEATH, &rule,
		       0) < 0
		       ? -errno
		       : 0;
}

/*
 * It is a directory most often; of anything else the kernel refuses what only
 * a directory can have (EINVAL), and what is left grants nothing more there.
 */
int landlock_allow(struct landlock *l, int path_fd, unsigned int access,
		   struct why *why)
{
	int r = add_rule(l, path_fd, access, S_IFDIR);
	struct stat st;

	if (r == -EINVAL)
		r = fstat(path_fd, &st) < 0
			    ? -errno
			    : add_rule(l, path_fd, access, st.st_mode);
	return r < 0 ? why_sys(why, -r, "cannot grant by Landlock") : 0;
}

int landlock_allow_path(struct landlock *l, const char *path,
			unsigned int access, struct why *why)
{
	autoclose int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT
			       ? 0
			       : why_sys(why, errno, "cannot open '%s'", path);
	return landlock_allow(l, fd, access, why);
}

int landlock_enforce(const struct landlock *l, struct why *why)
{
	if (syscall(SYS_landlock_restrict_self, l->fd, 0) < 0)
		return why_sys(why, errno, "cannot enforce Landlock");
	return 0;
}

void landlock_close(struct landlock *l)
{
	int fd = take_fd(&l->fd);

	auto_close(&fd);
}
