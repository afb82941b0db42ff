/* SPDX-License-Identifier: ISC */
/* chock-policy-eval --check: what policies can hardly mean. */
#include <errno.h>
#include <fcntl.h>

#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-policy-eval.h"
#include "lint/lint.h"
#include "lint/suffix.h"

/* Where Debian, Fedora and others have the list. */
#define SUFFIXES "/usr/share/publicsuffix/public_suffix_list.dat"

void check_open(struct judge *judge)
{
	const char *named = judge->options->suffixes;
	struct why why = { 0 };
	int r = file_read_path(&judge->beside, AT_FDCWD,
			       named ? named : SUFFIXES, SUFFIX_BYTES_MAX,
			       &why);

	if (r < 0 && (r != -ENOENT || named))
		die_why(&why);
}

int print_findings(struct judge *judge)
{
	struct suffixes suffixes = { .count = 0 };
	struct lint found = { .count = 0 };
	autobuf struct buf lines = { 0 };
	bool clean;

	suffix_open(&suffixes, buf_span(&judge->beside));
	if (!suffixes.count)
		warn("no list of public suffixes is at '%s': of them only "
		     "top-level domains are known",
		     judge->options->suffixes ? judge->options->suffixes
					      : SUFFIXES);
	lint(&found, &judge->policy, &suffixes);
	lint_lines(&lines, &found);
	print(&lines);
	clean = !found.warnings;
	lint_drop(&found);
	suffix_drop(&suffixes);
	return clean ? EXIT_ALLOW : EXIT_DENY;
}
