/* SPDX-License-Identifier: ISC */
#include "policy/pool.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Bytes of the first piece, which is all that a record needs; each further one
 * has twice as many, up to what suits a policy. */
#define PIECE_ROOM_MIN ((size_t)1 << 10)
#define PIECE_ROOM_MAX ((size_t)16 << 10)

struct piece {
	struct piece *older; /* owned */
	size_t used;
	size_t room;
	alignas(max_align_t) char data[];
};

static size_t next_room(const struct piece *piece)
{
	if (!piece)
		return PIECE_ROOM_MIN;
	return piece->room < PIECE_ROOM_MAX / 2 ? piece->room * 2
						: PIECE_ROOM_MAX;
}

void *pool_zero(void **memory, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct piece *piece = *memory;
	void *found;

	size = (size + align - 1) / align * align;
	if (!piece || piece->room - piece->used < size) {
		size_t room = next_room(piece);

		if (room < size)
			room = size;
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
