/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_URL_H
#define CHOCK_POLICY_URL_H

/*
 * url - where an http or https URL leads
 *
 * Not a parser of all URLs: one that two readers could take to lead to two
 * hosts is refused.
 */

#include <stdint.h>

#include "base/span.h"

struct why;

struct url {
	struct span host; /* of an IPv6 address without the brackets */
	uint16_t port;
};

/* url_read - read @text, which is borrowed; 0 or -EINVAL */
int url_read(struct url *url, struct span text, struct why *why);

#endif /* CHOCK_POLICY_URL_H */
