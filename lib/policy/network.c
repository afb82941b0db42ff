/* SPDX-License-Identifier: ISC */
#include "policy/network.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/num.h"

#define IPV4_BITS 96 /* of ::ffff:0:0/96, in which IPv4 addresses are kept */

bool address_read(uint8_t address[ADDRESS_LEN], struct span text)
{
	char copy[INET6_ADDRSTRLEN + 1];
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!text.len || text.len >= sizeof(copy) ||
	    memchr(text.data, '\0', text.len))
		return false;
	memcpy(copy, text.data, text.len);
	copy[text.len] = '\0';
	if (inet_pton(AF_INET6, copy, address) == 1)
		return true;
	memcpy(address, mapped, sizeof(mapped));
	return inet_pton(AF_INET, copy, address + sizeof(mapped)) == 1;
}

static bool bit_set(const uint8_t address[ADDRESS_LEN], unsigned int bit)
{
	return address[bit / 8] >> (7 - bit % 8) & 1;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	unsigned int rest = bits % 8;

	return !memcmp(a, b, bits / 8) &&
	       (!rest || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0);
}

const char *network_read(struct network *network, struct span text)
{
	const char *slash = text.len ? memchr(text.data, '/', text.len) : NULL;
	size_t len = slash ? (size_t)(slash - text.data) : text.len;
	bool ipv6 = text.len && memchr(text.data, ':', len);
	uint64_t bits = ipv6 ? 128 : 32;
	unsigned int i;

	if (!address_read(network->address, (struct span){ text.data, len }))
		return "no address or CIDR prefix";
	if (ipv6 && same_bits(network->address,
			      (const uint8_t[12]){ [10] = 0xff, [11] = 0xff },
			      IPV4_BITS))
		return "an IPv4 address in IPv6 form; write the IPv4 address";
	if (slash && num_read(&bits, span_from(text, len + 1), bits) < 0)
		return "no CIDR prefix length";
	network->bits = (unsigned int)bits + (ipv6 ? 0 : IPV4_BITS);
	for (i = network->bits; i < ADDRESS_LEN * 8; i++)
		if (bit_set(network->address, i))
			return "a CIDR prefix with bits set behind its length";
	return NULL;
}

bool network_has(const struct network *network,
		 const uint8_t address[ADDRESS_LEN])
{
	return same_bits(address, network->address, network->bits);
}
