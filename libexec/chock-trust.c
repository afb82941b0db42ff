/* SPDX-License-Identifier: ISC */
/*
 * chock-trust - say that a project's own policy is yours
 *
 * A project's chock.policy may narrow, and no more, until a person has seen
 * it, with all that it includes, and said yes to just these bytes.
 * See chock-trust(1).
 */

#include "chock-trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/show.h"
#include "ask/terminal.h"
#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "log/stamp.h"
#include "policyfile/truststore.h"

#define LIST_COLUMNS 4096

_Static_assert(STAMP_LEN == TRUST_DATE_LEN, "a date is a stamp");

static const char *digest;
static bool want_show, want_diff, want_check, want_list, want_revoke;

static const struct opt_table options = {
	"chock-trust",
	"[--digest HEX] [DIR]\n"
	"--show | --diff | --check | --revoke [DIR]\n"
	"--list",
	"say that a project's own policy is yours",
	(const struct opt[]){
		{ 0, "digest", "HEX", "trust what has this digest, unasked",
		  .str = &digest },
		{ 0, "show", NULL, "show what there is to trust",
		  .flag = &want_show },
		{ 0, "diff", NULL, "show what changed since it was trusted",
		  .flag = &want_diff },
		{ 0, "check", NULL, "only say, by the status, if it is trusted",
		  .flag = &want_check },
		{ 0, "revoke", NULL, "trust it no longer",
		  .flag = &want_revoke },
		{ 0, "list", NULL, "list the projects that are trusted",
		  .flag = &want_list },
		{ .name = NULL },
	},
};

/* ---- which project ------------------------------------------------------ */

/* The directory that git calls the root of what @dir is in, or @dir. */
static char *root_of(const char *dir)
{
	autofree char *at = realpath(dir, NULL);
	struct stat st;
	size_t len;

	if (!at)
		die_errno(EXIT_MISUSE, "cannot find '%s'", dir);
	for (len = strlen(at); len; len--) {
		autofree char *git = alloc_text("%.*s/.git", (int)len, at);

		if (!lstat(git, &st))
			return alloc_copy(at, len);
		while (len > 1 && at[len - 1] != '/')
			len--;
	}
	return alloc_copy(at, strlen(at));
}

static char *named_project(const char *dir)
{
	char *real;

	if (!dir)
		return root_of(".");
	real = realpath(dir, NULL);
	/* What is gone can still be taken back, under the name that it had. */
	if (!real && errno == ENOENT && want_revoke && *dir == '/')
		return alloc_copy(dir, strlen(dir));
	if (!real)
		die_errno(EXIT_MISUSE, "cannot find '%s'", dir);
	return real;
}

/* ---- what there is to trust --------------------------------------------- */

/* Files of the project, and not the shipped ones that it includes. */
static void take_files(struct offer *offer)
{
	size_t len = strlen(offer->project) + strlen("/");
	size_t i;

	for (i = 0; i < offer->files.count; i++) {
		const struct policyfile *file = &offer->files.files[i];

		if (strchr(file->name, '/'))
			trust_add(&offer->is, file->name + len,
				  buf_span(&file->bytes));
	}
	offer->is.project = alloc_copy(offer->project, len - 1);
	truststore_hash(&offer->is, offer->digest);
}

/* The policies that hold with it, and while it is not trusted. */
static int read_others(struct offer *offer, struct why *why)
{
	autopolicyfiles struct policyfiles with = { 0 };
	autopolicyfiles struct policyfiles without = { 0 };
	autofree char *path = alloc_text("%s/" TRUST_POLICY, offer->project);
	int r = policyfiles_find(&with, &offer->then, why);

	if (!r)
		r = policyfiles_add_found(&with, &offer->then, NULL, why);
	if (!r)
		r = policyfiles_find(&without, &offer->now, why);
	if (!r)
		r = policyfiles_add_found(&without, &offer->now, NULL, why);
	if (!r)
		r = policyfiles_add(&without, &offer->now, path, POLICY_CEILING,
				    why);
	return r;
}

/* What was trusted, if anything; a damaged record is made anew. */
static int read_record(struct offer *offer, struct why *why)
{
	int r = trust_load(&offer->was, offer->project, why);

	if (r == -EBADMSG) {
		warn("%s", why->text);
		trust_drop(&offer->was);
		r = 0;
	}
	return r < 0 ? r : 0;
}

/* Where there is none, that is what is to be said, and not what failed. */
static void check_there(const char *project)
{
	autofree char *path = alloc_text("%s/" TRUST_POLICY, project);
	struct stat st;

	if (lstat(path, &st) < 0 && errno == ENOENT)
		die(EXIT_MISUSE,
		    "there is no " TRUST_POLICY " in '%s': nothing to trust",
		    project);
}

/* Returns 0 or -errno. */
static int offer_read(struct offer *offer, struct why *why)
{
	autoclose int fd =
		open(offer->project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;
	int r;

	if (fd < 0)
		return why_sys(why, errno, "cannot open '%s'", offer->project);
	r = policyfiles_add_beneath(&offer->files, &offer->then, offer->project,
				    fd, why);
	if (!r)
		r = read_record(offer, why);
	if (r < 0)
		return r;
	take_files(offer);
	offer->same = offer->is.count == offer->was.count;
	for (i = 0; i < offer->was.count && offer->same; i++)
		offer->same = !strcmp(offer->is.files[i].name,
				      offer->was.files[i].name) &&
			      span_equal(buf_span(&offer->is.files[i].bytes),
					 buf_span(&offer->was.files[i].bytes));
	return read_others(offer, why);
}

static void offer_drop(struct offer *offer)
{
	policyfiles_drop(&offer->files);
	policy_drop(&offer->then);
	policy_drop(&offer->now);
	trust_drop(&offer->is);
	trust_drop(&offer->was);
}

/* ---- the verbs ---------------------------------------------------------- */

static int save(struct offer *offer)
{
	struct why why = { 0 };

	stamp_put(offer->is.date, stamp_now());
	if (truststore_save(&offer->is, &why) < 0)
		die_why(&why);
	warn("%s/" TRUST_POLICY " is trusted from now on", offer->project);
	return EXIT_ALLOW;
}

/* Whoever names the digest has seen what it stands for. */
static int trust_named(struct offer *offer)
{
	if (strcasecmp(digest, offer->digest) != 0)
		die(EXIT_DENY,
		    "%s/" TRUST_POLICY " is not what was named: with what it "
		    "includes its digest is %s",
		    offer->project, offer->digest);
	return save(offer);
}

static int ask(struct offer *offer)
{
	autoterminal struct terminal terminal = TERMINAL_NONE;
	autobuf struct buf text = { 0 };
	bool there = !terminal_open(&terminal);
	bool whole = offer_show(&text, offer,
				there ? terminal.columns : TERMINAL_COLUMNS,
				offer->was.count > 0);

	if (!there) {
		print(&text);
		warn("nobody can be asked here: there is no terminal; "
		     "--digest %s would trust it",
		     offer->digest);
		return EXIT_ASK;
	}
	if (!whole || text.full)
		die(EXIT_MISUSE,
		    "cannot show a line of the policy whole, so it cannot be "
		    "trusted by asking: break it, or see --digest");
	buf_adds(&text, "\n  y              trust it as it is now\n"
			"  anything else  do not\n\n");
	if (terminal_ask(&terminal, buf_span(&text), span_of("Answer: "), 0) !=
		    REPLY_LINE ||
	    !terminal_said_yes(&terminal)) {
		warn("%s/" TRUST_POLICY " is not trusted", offer->project);
		return EXIT_DENY;
	}
	return save(offer);
}

static int show(const struct offer *offer)
{
	autobuf struct buf text = { 0 };

	(void)offer_show(&text, offer, TERMINAL_COLUMNS, want_diff);
	print(&text);
	return EXIT_ALLOW;
}

/* As the programs that judge do it: the policy need not even be readable. */
static int check(const char *project)
{
	autoclose int fd = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autotrust struct trust was = { 0 };
	autotrust struct trust is = { 0 };
	struct why why = { 0 };
	int r = trust_load(&was, project, &why);

	if (r < 0)
		die_why(&why);
	if (!r)
		return EXIT_DENY;
	return fd >= 0 && trust_compare(&is, &was, fd) ? EXIT_ALLOW
						       : EXIT_CHANGED;
}

static int already(const struct offer *offer)
{
	warn("%s/" TRUST_POLICY " is trusted since %.10s, and has not changed",
	     offer->project, offer->was.date);
	return EXIT_ALLOW;
}

static int judge(const char *project)
{
	struct offer offer = { .project = project };
	struct why why = { 0 };
	int status;
	int r;

	check_there(project);
	r = offer_read(&offer, &why);
	if (r == -ELOOP)
		die(EXIT_MISUSE, "%s: %s; a symbolic link is never trusted",
		    project, why.text);
	if (r < 0)
		die_why(&why);
	if (want_show || want_diff)
		status = show(&offer);
	else if (digest)
		status = trust_named(&offer);
	else
		status = offer.same ? already(&offer) : ask(&offer);
	offer_drop(&offer);
	return status;
}

static int take_back(const char *project)
{
	struct why why = { 0 };
	int r = truststore_remove(project, &why);

	if (r < 0)
		die_why(&why);
	if (!r)
		warn("%s is not trusted, and was not", project);
	return r ? EXIT_ALLOW : EXIT_DENY;
}

static void list_one(void *context, const struct trust *trust)
{
	const struct show how = { .columns = LIST_COLUMNS };
	autoclose int fd =
		open(trust->project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autotrust struct trust now = { 0 };
	autobuf struct buf name = { 0 };
	const char *word = "gone";

	if (!trust->count)
		word = "damaged";
	else if (fd >= 0)
		word = trust_compare(&now, trust, fd) ? "trusted" : "changed";
	buf_addf(&name, "%s %.10s", word, trust->date);
	show_field(context, buf_span(&name), span_of(trust->project), &how);
}

static int list(void)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (truststore_each(list_one, &text, &why) < 0)
		die_why(&why);
	print(&text);
	return EXIT_ALLOW;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);
	int ways = want_show + want_diff + want_check + want_list +
		   want_revoke + !!digest;
	autofree char *project = NULL;

	if (ways > 1 || argc - first > (want_list ? 0 : 1))
		opt_misuse(&options);
	if (fd_fill_standard() < 0)
		die_errno(EXIT_SYSTEM, "cannot open '/dev/null'");
	if (want_list)
		return list();
	project = named_project(first < argc ? argv[first] : NULL);
	if (want_revoke)
		return take_back(project);
	return want_check ? check(project) : judge(project);
}
