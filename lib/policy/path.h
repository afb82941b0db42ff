/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_PATH_H
#define CHOCK_POLICY_PATH_H

/*
 * path - paths as policies and questions name them
 *
 * A path with "." or ".." in it says something else to whoever follows links
 * than to whoever reads it, so there is none in a policy or a question.
 * policy_path() in policy/policy.h says what the others stand for.
 */

#include "base/span.h"

#define PATH_PROJECT "@project@"
#define PATH_LEN_MAX ((size_t)4096) /* bytes; the kernel takes less */

/*
 * path_hidden_len - how many bytes of a hide's pattern say what is hidden
 *
 * All of a directory, by two stars behind it, is the directory, and a slash at
 * the end of a name says no more than the name.
 */
size_t path_hidden_len(const char *pattern);

/* path_fault - why @path can be none in a policy, or NULL */
const char *path_fault(struct span path);

#endif /* CHOCK_POLICY_PATH_H */
