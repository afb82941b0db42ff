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

#include <stdbool.h>
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

/* What a person said about the project's own policy; see policyfile/trust.h */
enum project_trust {
	PROJECT_UNSEEN,  /* no project was looked at, or it has no policy */
	PROJECT_FOREIGN, /* nobody said that it can be trusted */
	PROJECT_CHANGED, /* somebody did, and it is not what they saw */
	PROJECT_TRUSTED,
};

#define POLICYFILES_DATE_LEN 24
#define POLICYFILES_FROZEN_MAX ((size_t)32 << 20) /* bytes */

struct policyfiles {
	struct policyfile *files; /* owned */
	size_t count;
	size_t *roots; /* owned; which of them none of the others included */
	size_t root_count;
	enum project_trust trust;
	char trusted_on[POLICYFILES_DATE_LEN + 1]; /* or empty */
};

/*
 * policyfiles_add - read the policy @name into @policy as part of @layer
 *
 * Returns 0, -ENOENT if there is none (with the nearest shipped name), or
 * -EINVAL with "FILE:LINE:COLUMN: ..." in @why.
 */
int policyfiles_add(struct policyfiles *files, struct policy *policy,
		    const char *name, enum policy_layer layer, struct why *why);

/* policyfiles_is_ceiling - whether @name is a shipped one that only narrows */
bool policyfiles_is_ceiling(const char *name);

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
 * Returns 1 if there is one, 0 if not, -EACCES if others could have written
 * it, or another -errno.
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
 * chock.policy: if a person trusts it as it is, as the project's layer,
 * unless policies that were added by name stand in for that; else as a
 * ceiling only, for a stranger may have written it.  What is the case is put
 * into files->trust.
 *
 * A file that is not there is fine, one that cannot be read is not, and of
 * all but the project's neither is one that others can write.
 */
int policyfiles_add_found(struct policyfiles *files, struct policy *policy,
			  const char *project, struct why *why);

/*
 * policyfiles_freeze - put all that was read behind @text
 *
 * For policyfiles_thaw(), here or in another program of this chock.
 */
void policyfiles_freeze(struct buf *text, const struct policyfiles *files);

/*
 * policyfiles_thaw - read into @policy all that was frozen, and nothing else
 *
 * From @fd, which is borrowed.  Nothing is opened, so that the answers are
 * those of the moment at which it was frozen.  Rules of the command line are
 * not in it.
 *
 * Returns 0, -EBADMSG if @fd does not have it whole, -EFBIG for more than
 * POLICYFILES_FROZEN_MAX bytes, or another -errno.
 */
int policyfiles_thaw(struct policyfiles *files, struct policy *policy, int fd,
		     struct why *why);

/*
 * policyfiles_add_beneath - read @project's own policy as one to be trusted
 *
 * As part of the project's layer, whoever wrote it; through @project_fd,
 * which is @project opened, and following no symbolic link.  For showing
 * what trust would mean, and never for judging by it.
 *
 * Returns 0, -ENOENT if there is none, -EINVAL, or another -errno.
 */
int policyfiles_add_beneath(struct policyfiles *files, struct policy *policy,
			    const char *project, int project_fd,
			    struct why *why);

/*
 * policyfiles_trust_word - how files->trust is called in records
 *
 * "none" without a policy, else "foreign", "changed" or "trusted".
 */
const char *policyfiles_trust_word(const struct policyfiles *files);

/*
 * policyfiles_trust_line - what a person has to know of @project's policy
 *
 * Put behind @line, without a newline: nothing if it is trusted, or if there
 * is none.
 */
void policyfiles_trust_line(struct buf *line, const struct policyfiles *files,
			    const char *project);

/* policyfiles_drop - release it; good as new afterwards */
void policyfiles_drop(struct policyfiles *files);

#endif /* CHOCK_POLICYFILE_POLICYFILE_H */
