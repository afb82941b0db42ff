/* SPDX-License-Identifier: ISC */
#include "sandbox/status.h"

#include <string.h>

struct span status_field(const char *status, const char *name)
{
	const char *found = strstr(status, name);

	if (!found)
		return (struct span){ "", 0 };
	found += strlen(name);
	return (struct span){ found, strcspn(found, "\n") };
}

bool status_signals(uint64_t *signals, const char *status, const char *name)
{
	static const char digits[] = "0123456789abcdef";
	struct span mask = status_field(status, name);
	const char *digit;
	size_t i;

	*signals = 0;
	for (i = 0; i < mask.len && (digit = strchr(digits, mask.data[i])); i++)
		*signals = *signals << 4 | (uint64_t)(digit - digits);
	return mask.len > 0;
}
