/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_NETWORK_H
#define CHOCK_POLICY_NETWORK_H

/*
 * network - addresses, and the prefixes that they are in
 *
 * Both families are kept in one form, an IPv4 address as ::ffff:a.b.c.d, so
 * that the two spellings of one address get one answer.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define ADDRESS_LEN 16 /* bytes */

struct buf;

struct network {
	uint8_t address[ADDRESS_LEN];
	unsigned int bits;
};

/* address_read - whether @text is an address; if so, it is in @address */
bool address_read(uint8_t address[ADDRESS_LEN], struct span text);

/* address_print - put @address behind @text, in its shortest form */
void address_print(struct buf *text, const uint8_t address[ADDRESS_LEN]);

/*
 * network_read - the address or CIDR prefix that @text is
 *
 * Returns NULL, or what @text is instead.
 */
const char *network_read(struct network *network, struct span text);

/* network_print - put behind @text what network_read() reads as @network */
void network_print(struct buf *text, const struct network *network);

/* network_has - whether @address is in @network */
bool network_has(const struct network *network,
		 const uint8_t address[ADDRESS_LEN]);

#endif /* CHOCK_POLICY_NETWORK_H */
