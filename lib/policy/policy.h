/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_POLICY_H
#define CHOCK_POLICY_POLICY_H

/*
 * policy - the statements of policy files, checked and ready to be asked
 *
 * The language is chock-policy(5).  A policy is made from bytes: this part
 * opens no file, starts no process and reads no clock, so that its answer is
 * a function of what it was given.  policyfile finds and opens the files.
 *
 * Invariants
 *   - An all-zero struct is an empty policy: nothing is granted, nothing
 *     named.
 *   - Every statement says where it was written.
 *   - After a failed policy_add() the policy must be dropped: half a file is
 *     no policy.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct buf;
struct why;

#define POLICY_BYTES_MAX ((size_t)1 << 20) /* of one file */
#define POLICY_STATEMENTS_MAX 4096         /* of one file */
#define POLICY_LABEL_MAX 128               /* bytes of a label */
#define POLICY_INCLUDE_MAX 16              /* includes within includes */
#define POLICY_FILES_MAX 64                /* of one policy, included ones */

#define autopolicy __attribute__((cleanup(policy_drop)))

/* Where a file stands; the first layer with a matching rule answers. */
enum policy_layer {
	POLICY_COMMAND, /* --rule */
	POLICY_PROJECT, /* or --policy, which stands in for this and the next */
	POLICY_OPERATOR, /* ~/.config/chock/policy */
	POLICY_DEFAULTS, /* policies/defaults.policy */
	POLICY_CEILING,  /* narrows and never widens; each asked apart */
	POLICY_LAYERS
};

struct policy_origin {
	const char *file; /* as it was named */
	unsigned int line;
	unsigned int column;
};

/* What is not a rule, an agent or an include: "What the sandbox holds". */
enum policy_keyword {
	POLICY_READ,
	POLICY_WRITE,
	POLICY_HIDE,
	POLICY_TMPFS,
	POLICY_BIND,
	POLICY_DEVICE,
	POLICY_ENV,
	POLICY_NET,
	POLICY_PUBLISH,
	POLICY_NAT64,
	POLICY_SECRET,
	POLICY_CREDENTIAL,
	POLICY_AUTH,
	POLICY_LIMIT,
	POLICY_SYSCALLS,
	POLICY_SUBAGENTS,
	POLICY_BUDGET,
	POLICY_APPLY,
	POLICY_REVIEWER,
	POLICY_SINK,
	POLICY_EXPIRES,
	POLICY_DRIVER,
	POLICY_CA_BUNDLE,
	POLICY_MCP,
	POLICY_KEYWORDS
};

struct policy_statement {
	enum policy_keyword keyword;
	const char *const *words; /* behind the keyword; NULL at the end */
	size_t count;
	struct policy_origin origin;
	enum policy_layer layer;
};

/* What is written, and nothing in this version holds; see policy/held.h. */
struct policy_unheld {
	struct policy_origin origin;
	const char *what;    /* as it is written, in short */
	const char *refusal; /* the words of who will not go on with it */
};

/* What is no mistake, but is to be said. */
struct policy_warning {
	struct policy_origin origin;
	const char *text;
};

struct policy_rule;  /* policy/rule.h */
struct policy_agent; /* policy/agent.h */
struct lookup;       /* policy/lookup.h */
struct restrictions; /* policy/restriction.h */
struct policy_file;  /* policy/policy.c */

struct policy {
	/* What "~" and "@project@" are in the path of a rule: borrowed,
	 * absolute, set before anything is added.  NULL: a rule that needs
	 * it is an error. */
	const char *home;
	const char *project;
	/* First segments of all actions that will be asked about, and NULL:
	 * borrowed, set likewise.  The defaults' rules for others are passed
	 * over unread.  NULL: it may be any. */
	const char *const *only;
	struct policy_statement *statements; /* owned */
	size_t statement_count;
	struct policy_rule *rules; /* owned */
	size_t rule_count;
	struct policy_agent *agents; /* owned */
	size_t agent_count;
	struct lookup *lookup; /* owned; how rules and agents are found */
	struct policy_warning *warnings; /* owned */
	size_t warning_count;
	struct policy_unheld *unheld; /* owned */
	size_t unheld_count;
	struct policy_file *files; /* owned; those that were read */
	size_t file_count;
	unsigned int ceiling_count;
	const struct restrictions *restrictions; /* borrowed; NULL: none */
	void *memory; /* owned; the words that all of it points into */
};

/*
 * policy_includer - fetch the bytes of a file that an `include` names
 *
 * @name is as it was written, @from the file that includes it.  Puts the
 * bytes into @bytes and the name for messages into @file.
 */
struct policy_includer {
	int (*fetch)(void *context, const char *name, const char *from,
		     struct buf *file, struct buf *bytes, struct why *why);
	void *context; /* borrowed */
};

/*
 * policy_add - read the statements of one file, and of what it includes
 *
 * @file is what messages call it.  @includer may be NULL; then an `include`
 * is refused.  With POLICY_CEILING each call makes a ceiling of its own.  A
 * file that is added to a layer again, or that several others of it include,
 * counts once.
 *
 * Returns 0, or -EINVAL with "FILE:LINE:COLUMN: what is wrong" in @why.  A
 * statement that nobody holds in this version is not wrong, but noted in
 * unheld; see policy/held.h.
 */
int policy_add(struct policy *policy, const char *file, struct span bytes,
	       enum policy_layer layer, const struct policy_includer *includer,
	       struct why *why);

/* policy_answers - whether @action is among those of policy->only */
bool policy_answers(const struct policy *policy, struct span action);

/* policy_keyword_word - how @keyword is written */
const char *policy_keyword_word(enum policy_keyword keyword);

/* policy_is_shipped - whether what stands at @origin came with chock */
bool policy_is_shipped(const struct policy_origin *origin);

/* policy_warn - note @text, which is kept, about what stands at @origin */
void policy_warn(struct policy *policy, struct policy_origin origin,
		 const char *text);

/* policy_drop - release it; good as new afterwards */
void policy_drop(struct policy *policy);

/*
 * policy_path - what a path in a statement means
 *
 * A leading "~" is @home, a leading "@project@" is @project; either may be
 * NULL, and then a path that needs it is refused.  Put behind @path.
 *
 * Returns 0, -EINVAL for a path that is neither absolute nor one of the two.
 */
int policy_path(struct buf *path, const char *word, const char *home,
		const char *project, struct why *why);

#endif /* CHOCK_POLICY_POLICY_H */
