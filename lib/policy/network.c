/* SPDX-License-Identifier: ISC */
#include "policy/network.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/buf.h"
#include "base/bug.h"
#include "base/num.h"

#define IPV4_BITS 96 /* of ::ffff:0:0/96, in which IPv4 addresses are kept */

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

bool address_read(uint8_t address[ADDRESS_LEN], struct span text)
{
	char copy[INET6_ADDRSTRLEN + 1];

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

static bool is_ipv4(const uint8_t address[ADDRESS_LEN])
{
	return !memcmp(address, mapped, sizeof(mapped));
}

void address_print(struct buf *text, const uint8_t address[ADDRESS_LEN])
{
	bool ipv4 = is_ipv4(address);
	char word[INET6_ADDRSTRLEN];

	bug_if(!inet_ntop(ipv4 ? AF_INET : AF_INET6,
			  address + (ipv4 ? sizeof(mapped) : 0), word,
			  sizeof(word)));
	buf_adds(text, word);
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
	if (ipv6 && is_ipv4(network->address))
		return "an IPv4 address in IPv6 form; write the IPv4 address";
	if (slash && num_read(&bits, span_from(text, len + 1), bits) < 0)
		return "no CIDR prefix length";
	network->bits = (unsigned int)bits + (ipv6 ? 0 : IPV4_BITS);
	for (i = network->bits; i < ADDRESS_LEN * 8; i++)
		if (bit_set(network->address, i))
			return "a CIDR prefix with bits set behind its length";
	return NULL;
}

/* network_read() takes no IPv4 address in IPv6 form, so this is no guess. */
void network_print(struct buf *text, const struct network *network)
{
	bool ipv4 = network->bits >= IPV4_BITS && is_ipv4(network->address);

	address_print(text, network->address);
	if (network->bits < ADDRESS_LEN * 8)
		buf_addf(text, "/%u", network->bits - (ipv4 ? IPV4_BITS : 0));
}

bool network_has(const struct network *network,
		 const uint8_t address[ADDRESS_LEN])
{
	return same_bits(address, network->address, network->bits);
}
