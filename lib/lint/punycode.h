/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_PUNYCODE_H
#define CHOCK_LINT_PUNYCODE_H

/*
 * punycode - labels of other scripts in the ASCII form that names are kept in
 *
 * RFC 3492, and nothing of what IDNA does before it: a label must be as it is
 * registered, in lower case and composed.
 */

#include "base/span.h"

struct buf;

#define PUNYCODE_LABEL_MAX 63 /* characters */

/*
 * punycode_add - the ASCII form of @label, which is UTF-8, put behind @ascii
 *
 * A label of ASCII alone is its own.  Returns 0, or -EINVAL for what is not
 * UTF-8 or has more than PUNYCODE_LABEL_MAX characters.
 */
int punycode_add(struct buf *ascii, struct span label);

#endif /* CHOCK_LINT_PUNYCODE_H */
