/* SPDX-License-Identifier: ISC */
#include "spec/notice.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "spec/denial.h"
#include "spec/sandbox.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char no_tracing[] =
	"debuggers and tracers, such as gdb and strace, work by it and cannot "
	"run in a sandbox";
static const char no_nesting[] =
	"it makes namespaces, and a sandbox or a container cannot be made "
	"inside of this one";
static const char no_mounts[] = "nothing can be mounted in a sandbox";
static const char no_keys[] = "the kernel's keyrings are not in a sandbox";
static const char no_memory_programs[] =
	"a program that is no file cannot be executed in a sandbox";

static const struct {
	const char *call;
	const char *words;
} hints[] = {
	{ "ptrace", no_tracing },
	{ "process_vm_readv", no_tracing },
	{ "process_vm_writev", no_tracing },
	{ "unshare", no_nesting },
	{ "setns", no_nesting },
	{ "clone", no_nesting },
	{ "mount", no_mounts },
	{ "umount2", no_mounts },
	{ "open_tree", no_mounts },
	{ "move_mount", no_mounts },
	{ "fsopen", no_mounts },
	{ "chroot", no_mounts },
	{ "pivot_root", no_mounts },
	{ "add_key", no_keys },
	{ "keyctl", no_keys },
	{ "request_key", no_keys },
	{ "execveat", no_memory_programs },
};

/* What a sandbox does not have, and whose programs cannot work without. */
enum want { WANT_PRIVILEGE, WANT_OWNERS, WANT_NETWORK, WANT_JIT };

#define GIT_FATAL 128 /* git(1) dies; of a search without a match it is 1 */

static const struct {
	const char *program;
	enum want want;
	const char *first; /* argument, or NULL for whatever it is */
} wanting[] = {
	{ "sudo", WANT_PRIVILEGE, NULL },
	{ "su", WANT_PRIVILEGE, NULL },
	{ "doas", WANT_PRIVILEGE, NULL },
	{ "pkexec", WANT_PRIVILEGE, NULL },
	{ "passwd", WANT_PRIVILEGE, NULL },
	{ "newgrp", WANT_PRIVILEGE, NULL },
	{ "mount", WANT_PRIVILEGE, NULL },
	{ "umount", WANT_PRIVILEGE, NULL },
	{ "fusermount", WANT_PRIVILEGE, NULL },
	{ "fusermount3", WANT_PRIVILEGE, NULL },
	{ "ping", WANT_PRIVILEGE, NULL },
	{ "chown", WANT_OWNERS, NULL },
	{ "chgrp", WANT_OWNERS, NULL },
	{ "tar", WANT_OWNERS, NULL },
	{ "dpkg", WANT_OWNERS, NULL },
	{ "apt", WANT_OWNERS, NULL },
	{ "apt-get", WANT_OWNERS, NULL },
	{ "apt", WANT_NETWORK, NULL },
	{ "apt-get", WANT_NETWORK, NULL },
	{ "curl", WANT_NETWORK, NULL },
	{ "wget", WANT_NETWORK, NULL },
	{ "ssh", WANT_NETWORK, NULL },
	{ "scp", WANT_NETWORK, NULL },
	{ "dig", WANT_NETWORK, NULL },
	{ "nslookup", WANT_NETWORK, NULL },
	{ "git", WANT_NETWORK, "clone" },
	{ "git", WANT_NETWORK, "fetch" },
	{ "git", WANT_NETWORK, "pull" },
	{ "git", WANT_NETWORK, "push" },
	{ "git", WANT_NETWORK, "ls-remote" },
	{ "pip", WANT_NETWORK, "install" },
	{ "pip3", WANT_NETWORK, "install" },
	{ "npm", WANT_NETWORK, "install" },
	{ "npm", WANT_NETWORK, "ci" },
	{ "cargo", WANT_NETWORK, "fetch" },
	{ "java", WANT_JIT, NULL },
	{ "javac", WANT_JIT, NULL },
	{ "jar", WANT_JIT, NULL },
	{ "mvn", WANT_JIT, NULL },
	{ "gradle", WANT_JIT, NULL },
	{ "git", WANT_JIT, "grep" },
};

static const char *const wants[] = {
	[WANT_PRIVILEGE] =
		"may want what a set-uid file or a file's capabilities would "
		"give it, and in a sandbox they give nothing",
	[WANT_OWNERS] =
		"may want to give files or itself to another user or group, "
		"and a sandbox has one of each",
	[WANT_NETWORK] =
		"may want a network, and there is no route out of this sandbox "
		"and no name but localhost: 'net host' in a policy, or --net "
		"host of chock-spawn, gives it the host's own",
	[WANT_JIT] = "may want to make machine code while it runs, and this "
		     "sandbox does not have the pages for it: --policy jit or "
		     "--rule 'allow sandbox.jit' allows them",
};

void notice_add(struct buf *notice, const char *sentence)
{
	if (notice->len)
		buf_addc(notice, NOTICE_BETWEEN);
	buf_adds(notice, sentence);
}

void notice_join(struct buf *line, const struct buf *notice)
{
	size_t i;

	for (i = 0; i < notice->len; i++)
		if (notice->data[i] == NOTICE_BETWEEN)
			buf_adds(line, ". ");
		else
			buf_addc(line, notice->data[i]);
}

static const char *hint_of(const char *call)
{
	size_t i;

	for (i = 0; i < COUNT(hints); i++)
		if (!strcmp(hints[i].call, call))
			return hints[i].words;
	return NULL;
}

/* What a hint says of one program it says of all that made the call. */
static void add_denial(struct buf *notice, const struct denial *denial,
		       const char **said)
{
	autobuf struct buf sentence = { 0 };
	const char *call = denial_call(denial);
	const char *hint = hint_of(call);

	buf_addf(&sentence, "'%s' was killed for the system call '%s'",
		 denial_program(denial), call);
	if (hint && hint != *said)
		buf_addf(&sentence, ": %s", hint);
	*said = hint;
	notice_add(notice, buf_str(&sentence));
}

void notice_denials(struct buf *notice, const struct denials *denials)
{
	autobuf struct buf rest = { 0 };
	const char *said = NULL;
	uint32_t i;

	for (i = 0; i < denials->count && i < NOTICE_DENIALS_MAX; i++)
		add_denial(notice, &denials->rows[i], &said);
	if (i == denials->count)
		return;
	buf_addf(&rest, "and so were others, of which the report has %u",
		 denials->count - i);
	notice_add(notice, buf_str(&rest));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_want(const struct sandbox *sandbox, int status, size_t i)
{
	const char *first = sandbox->argv[1];

	if (strcmp(wanting[i].program, base_name(sandbox->argv[0])) != 0 ||
	    (wanting[i].first &&
	     (!first || strcmp(wanting[i].first, first) != 0)))
		return false;
	if (wanting[i].want == WANT_NETWORK)
		return sandbox->net == NET_NONE;
	if (wanting[i].want == WANT_JIT)
		return !sandbox->jit &&
		       (!wanting[i].first || status == GIT_FATAL);
	/* Who is not root in a sandbox does not keep owners by itself. */
	return strcmp(wanting[i].program, "tar") != 0 || geteuid() == 0;
}

void notice_failure(struct buf *notice, const struct sandbox *sandbox,
		    int status)
{
	size_t i;

	for (i = 0; sandbox->argv && i < COUNT(wanting); i++) {
		autobuf struct buf sentence = { 0 };

		if (!has_want(sandbox, status, i))
			continue;
		buf_addf(&sentence, "'%s' %s", wanting[i].program,
			 wants[wanting[i].want]);
		notice_add(notice, buf_str(&sentence));
	}
}
