/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_ASKED_H
#define CHOCK_POLICY_ASKED_H

/*
 * asked - questions as people write them: ACTION [FIELD=VALUE]...
 */

#include <stddef.h>

#include "policy/decide.h"

struct why;

/*
 * asked_read - make @question, and who asks it, of @count words
 *
 * The words and @asker are borrowed for as long as the question lives.  Agents
 * are the chain, root first; without one it is what everything starts with.
 * decide_release() releases what this took, also after a failure.
 *
 * Returns 0 or -EINVAL.
 */
int asked_read(struct question *question, struct asker *asker,
	       const char *const *words, size_t count, struct why *why);

#endif /* CHOCK_POLICY_ASKED_H */
