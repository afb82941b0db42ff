/* SPDX-License-Identifier: ISC */
#include "ask/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

bool kept_has(const struct kept *kept, const char *key)
{
	size_t i;

	for (i = 0; i < kept->count; i++)
		if (!strcmp(kept->keys[i], key))
			return true;
	return false;
}

int kept_add(struct kept *kept, const char *key)
{
	if (kept->count == KEPT_MAX)
		return -ENOSPC;
	kept->keys = alloc_array(kept->keys, kept->count, sizeof(*kept->keys));
	memcpy(kept->keys[kept->count++], key, sizeof(*kept->keys));
	return 0;
}

void kept_drop(struct kept *kept)
{
	free(kept->keys);
	*kept = (struct kept){ 0 };
}
