/* SPDX-License-Identifier: ISC */
#include "ask/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

bool memory_has(const struct memory *memory, const char *key)
{
	size_t i;

	for (i = 0; i < memory->count; i++)
		if (!strcmp(memory->keys[i], key))
			return true;
	return false;
}

int memory_add(struct memory *memory, const char *key)
{
	if (memory->count == MEMORY_MAX)
		return -ENOSPC;
	memory->keys =
		alloc_array(memory->keys, memory->count, sizeof(*memory->keys));
	memcpy(memory->keys[memory->count++], key, sizeof(*memory->keys));
	return 0;
}

void memory_drop(struct memory *memory)
{
	free(memory->keys);
	*memory = (struct memory){ 0 };
}
