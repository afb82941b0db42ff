/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TRUST_H
#define CHOCK_TRUST_H

/*
 * chock-trust - what its parts share
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "policy/policy.h"
#include "policyfile/policyfile.h"
#include "policyfile/trust.h"

/* What a person is asked to trust. */
struct offer {
	const char *project;      /* its real path */
	struct policyfiles files; /* of then */
	struct policy then;       /* what would hold */
	struct policy now;        /* what holds while it is not trusted */
	struct trust is;          /* the files as they are */
	struct trust was;         /* and as they were trusted; or empty */
	char digest[TRUST_HEX + 1];
	bool same; /* it is trusted, and nothing changed */
};

/*
 * offer_show - put what trust would mean behind @text, then the files
 *
 * With @changes only what is new in those since they were trusted.  Returns
 * false if a line was too long to be shown whole.
 */
bool offer_show(struct buf *text, const struct offer *offer, size_t columns,
		bool changes);

#endif /* CHOCK_TRUST_H */
