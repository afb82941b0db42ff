/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_HOST_H
#define CHOCK_POLICY_HOST_H

/*
 * host - names of hosts as they stand in actions: reversed, label by label
 *
 * RFC 1123 labels in lower case, at most 63 bytes each and 253 in all; a name
 * in another script in its ASCII form.  What some resolver would read as an
 * address in an odd spelling (127.1, 2130706433, 0x7f000001) is no name.
 */

#include "base/span.h"

struct buf;
struct why;

/* host_fault - why @reversed is not the reversed name of a host, or NULL */
const char *host_fault(struct span reversed);

/*
 * host_add - @host, lower-cased and reversed, put behind @action
 *
 * A dot goes before each label; one dot at the end of @host is dropped.
 *
 * Returns 0, or -EINVAL for what is not the name of a host.
 */
int host_add(struct buf *action, struct span host, struct why *why);

#endif /* CHOCK_POLICY_HOST_H */
