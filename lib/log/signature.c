/* SPDX-License-Identifier: ISC */
#include "log/signature.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/place.h"
#include "base/why.h"

#define KEYGEN "ssh-keygen"
#define GOOD "Good \"" SIGNATURE_NAMESPACE "\" signature "

/* A principal and a fingerprint are well below this; in bytes. */
#define OUTPUT_MAX ((size_t)4096)

/* What reads what a stranger may have written gets nothing of ours. */
static const char *const no_env[] = { "LC_ALL=C", NULL };

/* Returns what ssh-keygen leaves with, or -errno; it prints to @out. */
static int keygen(struct child *child, struct span in, struct buf *out,
		  struct why *why)
{
	autobuf struct buf program = { 0 };
	int r = place_host(&program, KEYGEN, why);

	if (r < 0)
		return r;
	child->program = buf_str(&program);
	return child_run_filter(child, in, out, SIGNATURE_MAX, why);
}

int signature_make(struct buf *bytes, struct span text, const char *key,
		   struct why *why)
{
	const char *const argv[] = { KEYGEN, "-q", "-Y",
				     "sign", "-n", SIGNATURE_NAMESPACE,
				     "-f",   key,  NULL };
	struct child child = { .argv = argv, .err_fd = STDERR_FILENO };
	int r = keygen(&child, text, bytes, why);

	if (r > 0 || (!r && !bytes->len))
		return why_set(why, EACCES, "cannot sign with the key '%s'",
			       key);
	return r;
}

int signature_make_key(const char *path, struct why *why)
{
	const char *const argv[] = { KEYGEN, "-q", "-t", "ed25519",
				     "-N",   "",   "-C", SIGNATURE_NAMESPACE,
				     "-f",   path, NULL };
	struct child child = { .argv = argv, .err_fd = STDERR_FILENO };
	autobuf struct buf out = { 0 };
	int r = keygen(&child, (struct span){ 0 }, &out, why);

	return r > 0 ? why_set(why, EACCES, "cannot make the key '%s'", path)
		     : r;
}

/* Takes the bytes of *@from up to @end, and that too; an empty span if none. */
static struct span take_to(struct span *from, const char *end)
{
	const char *at =
		from->len ? memmem(from->data, from->len, end, strlen(end))
			  : NULL;
	struct span taken = { 0 };

	if (!at)
		return taken;
	taken = (struct span){ from->data, (size_t)(at - from->data) };
	*from = span_from(*from, taken.len + strlen(end));
	return taken;
}

/* "Good "NAMESPACE" signature [for SIGNER ]with TYPE key FINGERPRINT" */
static bool take_good(struct signature *signature, struct span line)
{
	struct span signer = { 0 };
	struct span type;
	struct span print;

	if (!span_starts(line, GOOD))
		return false;
	line = span_from(line, strlen(GOOD));
	if (span_starts(line, "for ")) {
		line = span_from(line, strlen("for "));
		signer = take_to(&line, " with ");
	} else {
		(void)take_to(&line, "with ");
	}
	type = take_to(&line, " key ");
	print = take_to(&line, "\n");
	if (!type.len || !print.len)
		return false;
	buf_add(&signature->signer, signer);
	buf_add(&signature->key, type);
	buf_addc(&signature->key, ' ');
	buf_add(&signature->key, print);
	signature->token =
		type.len > strlen("-SK") &&
		span_is(span_from(type, type.len - strlen("-SK")), "-SK");
	return true;
}

/* Who of @signers the key in @fd is, by the first name that is listed. */
static int find_signer(struct buf *signer, int fd, const char *signers,
		       struct why *why)
{
	const char *const argv[] = {
		KEYGEN,      "-Y", "find-principals", "-s",
		"/dev/fd/3", "-f", signers,           NULL
	};
	struct child child = {
		.argv = argv, .env = no_env, .err_fd = -1, .extra_fd = &fd
	};
	autobuf struct buf out = { 0 };
	struct span names;
	int r = keygen(&child, (struct span){ 0 }, &out, why);

	if (r < 0)
		return r;
	names = buf_span(&out);
	buf_add(signer, take_to(&names, "\n"));
	if (!r && signer->len)
		return 0;
	return why_set(why, EBADMSG, "its seal is by nobody whom '%s' lists",
		       signers);
}

int signature_check(struct signature *signature, int fd, struct span text,
		    const char *signers, struct why *why)
{
	autobuf struct buf signer = { 0 };
	autobuf struct buf out = { 0 };
	const char *argv[] = { KEYGEN,
			       "-Y",
			       "check-novalidate",
			       "-n",
			       SIGNATURE_NAMESPACE,
			       "-s",
			       "/dev/fd/3",
			       NULL,
			       NULL,
			       NULL,
			       NULL,
			       NULL };
	struct child child = {
		.argv = argv, .env = no_env, .err_fd = -1, .extra_fd = &fd
	};
	int r = signers ? find_signer(&signer, fd, signers, why) : 0;

	if (r < 0)
		return r;
	if (signers) {
		argv[2] = "verify";
		argv[7] = "-f";
		argv[8] = signers;
		argv[9] = "-I";
		argv[10] = buf_str(&signer);
	}
	r = keygen(&child, text, &out, why);
	if (r < 0)
		return r;
	if (r || !take_good(signature, buf_span(&out)))
		return why_set(why, EBADMSG,
			       signers ? "its seal is not signed, or not by "
					 "whom '%s' lists for it"
				       : "its seal is not signed",
			       signers ? signers : "");
	return 0;
}

void signature_drop(struct signature *signature)
{
	buf_drop(&signature->key);
	buf_drop(&signature->signer);
	*signature = (struct signature){ 0 };
}
