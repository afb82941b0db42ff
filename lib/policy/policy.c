/* SPDX-License-Identifier: ISC */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/why.h"
#include "policy/agent.h"
#include "policy/held.h"
#include "policy/lookup.h"
#include "policy/pool.h"
#include "policy/rule.h"
#include "policy/ruleline.h"
#include "policy/shape.h"
#include "policy/twice.h"
#include "policy/words.h"

/* A file that was read, into which tier, and whether it is being read now. */
struct policy_file {
	const char *name;
	unsigned int tier;
	bool open;
};

/* What stays the same through a file and all that it includes. */
struct reading {
	struct policy *policy;
	const struct policy_includer *includer;
	enum policy_layer layer;
	unsigned int tier;
	unsigned int depth;
	size_t first; /* statement; those before it are of other files */
};

static int unknown_keyword(const struct words *words, struct why *why)
{
	const char *known[DECISIONS + POLICY_KEYWORDS + 2];
	size_t count = 0;
	unsigned int i;

	for (i = 0; i < DECISIONS; i++)
		known[count++] = decision_words[i];
	for (i = 0; i < POLICY_KEYWORDS; i++)
		known[count++] = policy_keyword_word((enum policy_keyword)i);
	known[count++] = "agent";
	known[count++] = "include";
	return words_unknown(
		words, 0, &(struct choice){ "statement", known, count }, why);
}

/* A statement that one file can say once: was it said before? */
static int check_single(const struct reading *reading,
			const struct policy_statement *new,
			const struct words *words, struct why *why)
{
	size_t i;

	for (i = reading->first; i < reading->policy->statement_count; i++) {
		const struct policy_statement *old =
			&reading->policy->statements[i];

		if (old->keyword == new->keyword &&
		    !strcmp(old->origin.file, new->origin.file))
			return words_wrong(words, 0, why,
					   "'%s' a second time, after line %u",
					   words->word[0], old->origin.line);
	}
	return 0;
}

/* Notes what nobody holds of @statement, which is in @words. */
static void note_unheld(struct policy *policy,
			const struct policy_statement *statement,
			const struct words *words)
{
	autobuf struct buf what = { 0 };
	struct why why = { 0 };

	if (!held_check(statement->keyword, words, &what, &why))
		return;
	policy->unheld = alloc_array(policy->unheld, policy->unheld_count,
				     sizeof(*policy->unheld));
	policy->unheld[policy->unheld_count++] = (struct policy_unheld){
		statement->origin,
		pool_keep(&policy->memory, buf_span(&what)),
		pool_keep(&policy->memory, span_of(why.text)),
	};
}

static int take_statement(struct reading *reading, enum policy_keyword keyword,
			  const struct words *words, struct why *why)
{
	struct policy *policy = reading->policy;
	struct policy_statement statement = {
		.keyword = keyword,
		.count = words->count - 1,
		.origin = words_origin(words, 0),
		.layer = reading->layer,
	};
	const char **copy;
	int r;

	r = shape_check(keyword, words, why);
	if (!r && shape_is_single(keyword))
		r = check_single(reading, &statement, words, why);
	if (r < 0)
		return r;
	/* words->word ends with a NULL, which is copied too. */
	copy = pool_zero(&policy->memory, words->count * sizeof(*copy));
	memcpy(copy, words->word + 1, words->count * sizeof(*copy));
	statement.words = copy;
	policy->statements = alloc_array(policy->statements,
					 policy->statement_count,
					 sizeof(*policy->statements));
	policy->statements[policy->statement_count++] = statement;
	note_unheld(policy, &statement, words);
	return 0;
}

static int read_file(struct reading *reading, const char *name,
		     struct span bytes, struct why *why);

/* The file @name of the tier, if it was read or is being read. */
static const struct policy_file *find_file(const struct reading *reading,
					   const char *name)
{
	size_t i;

	for (i = 0; i < reading->policy->file_count; i++) {
		const struct policy_file *file = &reading->policy->files[i];

		if (file->tier == reading->tier && !strcmp(file->name, name))
			return file;
	}
	return NULL;
}

static int include_file(struct reading *reading, const struct words *words,
			struct why *why)
{
	autobuf struct buf name = { 0 };
	autobuf struct buf bytes = { 0 };
	const struct policy_file *file;
	struct why reason = { 0 };
	int r;

	if (words->count != 2)
		return words_wrong(words, words->count > 2 ? 2 : 1, why,
				   "it is written: include NAME, or include "
				   "./FILE");
	if (!reading->includer)
		return words_wrong(words, 0, why,
				   "nothing can be included "
				   "here");
	if (reading->depth == POLICY_INCLUDE_MAX)
		return words_wrong(words, 0, why,
				   "more than %d includes within each other",
				   POLICY_INCLUDE_MAX);
	r = reading->includer->fetch(reading->includer->context, words->word[1],
				     words->file, &name, &bytes, &reason);
	if (r < 0)
		return words_wrong(words, 1, why, "%s", reason.text);
	file = find_file(reading, buf_str(&name));
	if (file && file->open)
		return words_wrong(words, 1, why, "'%s' includes itself",
				   words->word[1]);
	if (file)
		return 0;
	return read_file(reading, buf_str(&name), buf_span(&bytes), why);
}

static int take_line(struct reading *reading, const struct words *words,
		     struct why *why)
{
	enum policy_keyword keyword;

	if (decision_read(span_of(words->word[0])) != DECISIONS)
		return ruleline_take(reading->policy, words, reading->layer,
				     reading->tier, why);
	if (!strcmp(words->word[0], "agent"))
		return agent_take(reading->policy, words, reading->tier, why);
	if (!strcmp(words->word[0], "include"))
		return include_file(reading, words, why);
	keyword = shape_keyword(words->word[0]);
	if (keyword == POLICY_KEYWORDS)
		return unknown_keyword(words, why);
	return take_statement(reading, keyword, words, why);
}

static int take_lines(struct reading *reading, struct words *words,
		      struct why *why)
{
	size_t count = 0;
	int r;

	while ((r = words_next(words, why)) > 0) {
		if (count++ == POLICY_STATEMENTS_MAX)
			return words_wrong(words, 0, why,
					   "more than %d statements",
					   POLICY_STATEMENTS_MAX);
		r = take_line(reading, words, why);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_file(struct reading *reading, const char *name,
		     struct span bytes, struct why *why)
{
	struct policy *policy = reading->policy;
	size_t number = policy->file_count;
	size_t first_rule = policy->rule_count;
	struct words words;
	int r;

	name = pool_keep(&policy->memory, span_of(name));
	if (number == POLICY_FILES_MAX)
		return why_set(why, EINVAL, "%s: more than %d policy files",
			       name, POLICY_FILES_MAX);
	policy->files =
		alloc_array(policy->files, number, sizeof(*policy->files));
	policy->files[policy->file_count++] =
		(struct policy_file){ name, reading->tier, true };
	r = words_open(&words, name, bytes, &policy->memory, why);
	if (r < 0)
		return r;
	words.home = policy->home;
	words.project = policy->project;
	reading->depth++;
	r = take_lines(reading, &words, why);
	reading->depth--;
	policy->files[number].open = false;
	return r < 0 ? r : twice_check(policy, first_rule, name, why);
}

int policy_add(struct policy *policy, const char *file, struct span bytes,
	       enum policy_layer layer, const struct policy_includer *includer,
	       struct why *why)
{
	struct reading reading = { .policy = policy,
				   .includer = includer,
				   .layer = layer,
				   .tier = layer,
				   .first = policy->statement_count };
	size_t first_agent = policy->agent_count;
	size_t first_rule = policy->rule_count;
	int r;

	if (layer == POLICY_CEILING)
		reading.tier += policy->ceiling_count++;
	/* Another file of the layer may have included this one. */
	if (find_file(&reading, file))
		return 0;
	r = read_file(&reading, file, bytes, why);
	return r < 0 ? r : agent_check(policy, first_agent, first_rule, why);
}

void policy_warn(struct policy *policy, struct policy_origin origin,
		 const char *text)
{
	policy->warnings = alloc_array(policy->warnings, policy->warning_count,
				       sizeof(*policy->warnings));
	policy->warnings[policy->warning_count++] = (struct policy_warning){
		origin, pool_keep(&policy->memory, span_of(text))
	};
}

bool policy_answers(const struct policy *policy, struct span action)
{
	const char *const *only = policy->only;
	struct span segment = span_cut(&action, '.');

	for (; only && *only; only++)
		if (span_is(segment, *only))
			return true;
	return !only;
}

bool policy_is_shipped(const struct policy_origin *origin)
{
	/* Anybody's own file is named by a path, and has a slash. */
	return !strchr(origin->file, '/') && *origin->file != '-';
}

void policy_drop(struct policy *policy)
{
	free(policy->statements);
	free(policy->rules);
	lookup_drop(policy);
	free(policy->agents);
	free(policy->warnings);
	free(policy->unheld);
	free(policy->files);
	pool_drop(&policy->memory);
	*policy = (struct policy){ 0 };
}
