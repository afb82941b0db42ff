/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_POLICYFILE_H
#define CHOCK_POLICYFILE_POLICYFILE_H

/*
 * policyfile - the files that a policy is made from: found, opened, read once
 *
 * A policy is named by a word, which is one that chock ships, or by a path
 * with a slash in it.  A file is read once; what was read is kept, so that
 * what is hashed for the log is what was judged.
 *
 * Invariants
 *   - An all-zero struct has read nothing.
 *   - files lists every file that was read, included ones too, in order.
 */

#include <stddef.h>

#include "base/buf.h"
#include "policy/policy.h"

struct why;

#define autopolicyfiles __attribute__((cleanup(policyfiles_drop)))

struct policyfile {
	char *name; /* owned; as messages call it */
	struct buf bytes;
	enum policy_layer layer;
};

struct policyfiles {
	struct policyfile *files; /* owned */
	size_t count;
};

/*
 * policyfiles_add - read the policy @name into @policy as part of @layer
 *
 * Returns 0, -ENOENT if there is none (with the nearest shipped name), or
 * -EINVAL with "FILE:LINE:COLUMN: ..." in @why.
 */
int policyfiles_add(struct policyfiles *files, struct policy *policy,
		    const char *name, enum policy_layer layer, struct why *why);

/*
 * policyfiles_add_rules - read @rules, those of a command line, as a file
 *
 * Each is one rule, and no other statement.  Messages call the file "--rule".
 * Returns 0 or -EINVAL.
 */
int policyfiles_add_rules(struct policy *policy, const char *const *rules,
			  size_t count, struct why *why);

/*
 * policyfiles_add_operator - read the operator's ~/.config/chock/policy
 *
 * Returns 1 if there is one, 0 if not, or -errno.
 */
int policyfiles_add_operator(struct policyfiles *files, struct policy *policy,
			     struct why *why);

/*
 * policyfiles_find - read what holds where no policy was named
 *
 * The operator's, or in its place base, if there is none.
 */
int policyfiles_find(struct policyfiles *files, struct policy *policy,
		     struct why *why);

/*
 * policyfiles_add_found - read what holds whatever was named
 *
 * The shipped defaults; /etc/chock/ceiling.policy and the person's own
 * ~/.config/chock/ceiling, as ceilings.  If @project is not NULL, its
 * chock.policy: as a ceiling only, for a stranger may have written it.
 * A file that is not there is fine, one that cannot be read is not.
 */
int policyfiles_add_found(struct policyfiles *files, struct policy *policy,
			  const char *project, struct why *why);

/* policyfiles_drop - release it; good as new afterwards */
void policyfiles_drop(struct policyfiles *files);

#endif /* CHOCK_POLICYFILE_POLICYFILE_H */
