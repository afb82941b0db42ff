/* SPDX-License-Identifier: ISC */
/* attributes - which of them are written the same */
#include <string.h>

#include "policy/attributes.h"
#include "policy/network.h"

static bool same_array(const void *a, size_t a_len, const void *b, size_t b_len)
{
	return a_len == b_len && (!a_len || !memcmp(a, b, a_len));
}

static bool same_list(const struct span *a, size_t a_count,
		      const struct span *b, size_t b_count)
{
	size_t i;

	for (i = 0; i < a_count && i < b_count; i++)
		if (!span_equal(a[i], b[i]))
			return false;
	return a_count == b_count;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;
	size_t i;

	/* FNV-1a; the length keeps two lists from being one. */
	hash = (hash ^ len) * UINT64_C(0x100000001b3);
	for (i = 0; i < len; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_list(uint64_t hash, const struct span *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		hash = hash_bytes(hash, list[i].data, list[i].len);
	return hash_bytes(hash, "", 0);
}

uint64_t attributes_hash(const struct attributes *a)
{
	uint64_t hash =
		a->count + (a->websocket ? 8 : 0) + (a->cleartext ? 16 : 0);

	hash = hash_bytes(hash, a->ports, a->port_count * sizeof(*a->ports));
	hash = hash_bytes(hash, a->networks,
			  a->network_count * sizeof(*a->networks));
	hash = hash_list(hash, a->protos, a->proto_count);
	hash = hash_list(hash, a->methods, a->method_count);
	return hash_bytes(hash, a->path.data, a->path.len);
}

bool attributes_equal(const struct attributes *a, const struct attributes *b)
{
	return same_array(a->ports, a->port_count * sizeof(*a->ports), b->ports,
			  b->port_count * sizeof(*b->ports)) &&
	       same_array(a->networks, a->network_count * sizeof(*a->networks),
			  b->networks,
			  b->network_count * sizeof(*b->networks)) &&
	       same_list(a->protos, a->proto_count, b->protos,
			 b->proto_count) &&
	       same_list(a->methods, a->method_count, b->methods,
			 b->method_count) &&
	       span_equal(a->path, b->path) && a->websocket == b->websocket &&
	       a->cleartext == b->cleartext;
}
