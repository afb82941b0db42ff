/* SPDX-License-Identifier: ISC */
/* chock-policy-eval --files, --list and --freeze: the policies themselves. */
#include <string.h>

#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "chock-policy-eval.h"
#include "digest/sha256.h"
#include "policy/list.h"
#include "policyfile/trust.h"
#include "record/json.h"

/* Whether @file is the project's own policy. */
static bool is_projects(const struct judge *judge,
			const struct policyfile *file)
{
	size_t len = judge->real_project ? strlen(judge->real_project) : 0;

	return len && !strncmp(file->name, judge->real_project, len) &&
	       !strcmp(file->name + len, "/" TRUST_POLICY);
}

static void add_file(struct buf *text, const struct judge *judge,
		     const struct policyfile *file)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(hex, buf_span(&file->bytes));
	json_open(text);
	json_str(text, "file", span_of(file->name));
	json_str(text, "layer", span_of(rule_layer_word(file->layer)));
	json_str(text, "sha256", span_of(hex));
	if (is_projects(judge, file))
		json_str(text, "trust",
			 span_of(policyfiles_trust_word(&judge->files)));
	json_close_line(text);
}

int print_files(struct judge *judge)
{
	autobuf struct buf text = { 0 };
	size_t i;

	for (i = 0; i < judge->files.count; i++)
		add_file(&text, judge, &judge->files.files[i]);
	print(&text);
	return EXIT_ALLOW;
}

int print_list(struct judge *judge)
{
	autobuf struct buf text = { 0 };

	list_policy(&text, &judge->policy);
	print(&text);
	return EXIT_ALLOW;
}

int print_frozen(struct judge *judge)
{
	autobuf struct buf text = { 0 };

	policyfiles_freeze(&text, &judge->files);
	if (text.len > POLICYFILES_FROZEN_MAX)
		die(EXIT_MISUSE, "the policies have more than %zu bytes",
		    POLICYFILES_FROZEN_MAX);
	print(&text);
	return EXIT_ALLOW;
}
