/* SPDX-License-Identifier: ISC */
#include "policy/pool.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/alloc.h"

#define PIECE_ROOM ((size_t)16 << 10) /* bytes */

struct piece {
	struct piece *older; /* owned */
	size_t used;
	size_t room;
	alignas(max_align_t) char data[];
};

void *pool_zero(void **memory, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct piece *piece = *memory;
	void *found;

	size = (size + align - 1) / align * align;
	if (!piece || piece->room - piece->used < size) {
		size_t room = size > PIECE_ROOM ? size : PIECE_ROOM;

		piece = alloc_zero(1, sizeof(*piece) + room);
		piece->older = *memory;
		piece->room = room;
		*memory = piece;
	}
	found = piece->data + piece->used;
	piece->used += size;
	return found;
}

const char *pool_keep(void **memory, struct span text)
{
	char *copy = pool_zero(memory, text.len + 1);

	if (text.len)
		memcpy(copy, text.data, text.len);
	return copy;
}

void pool_drop(void **memory)
{
	struct piece *piece = *memory;

	while (piece) {
		struct piece *older = piece->older;

		free(piece);
		piece = older;
	}
	*memory = NULL;
}
