/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_ACCOUNT_H
#define CHOCK_TREE_ACCOUNT_H

/*
 * account - files of accounts in which the user has a row
 *
 * Who runs with an id that no passwd(5) names, as in a container or where
 * accounts come from a directory service that a sandbox cannot ask, has no
 * name and no home, and programs such as git, ssh and initdb give up.  What
 * such a user is to see is the host's file with one row more.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

#define ACCOUNT_BYTES_MAX ((size_t)1 << 20) /* of a file that gets a row */
#define ACCOUNT_NAME_MAX 32                 /* as useradd(8) has it */

struct account {
	uid_t uid;
	gid_t gid;
	const char *name; /* borrowed; what the user is called, or NULL */
	const char *home; /* borrowed */
};

/*
 * account_passwd - the file @path, passwd(5), with a row for @account
 *
 * The row has the user's own name where that is one and is not taken, else
 * "uid" and the number.  Put behind @bytes.
 *
 * Returns whether there is one to be added: not where @path has a row of the
 * id, cannot be read, or has more than ACCOUNT_BYTES_MAX.
 */
bool account_passwd(struct buf *bytes, const char *path,
		    const struct account *account);

/* account_group - likewise for group(5), with "gid" and the number */
bool account_group(struct buf *bytes, const char *path,
		   const struct account *account);

#endif /* CHOCK_TREE_ACCOUNT_H */
