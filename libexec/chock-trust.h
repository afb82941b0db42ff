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

/*
 * widens_by_rule - whether @rule, once trusted, may permit more than now
 *
 * A rule is told unless it says for every question no more than the policies
 * do without it: who asks, by which tool and with which attributes counts.
 * What holds now is put behind @more, if it can be said in a word.
 */
bool widens_by_rule(struct buf *more, const struct offer *offer,
		    const struct policy_rule *rule);

/* widens_by_agent - whether @agent, once trusted, is a kind that is new */
bool widens_by_agent(const struct offer *offer,
		     const struct policy_agent *agent);

#endif /* CHOCK_TRUST_H */
