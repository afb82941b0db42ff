/* SPDX-License-Identifier: ISC */
#include "sandbox/driver.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/why.h"

static const struct driver *const drivers[] = { &driver_namespaces };

const struct driver *driver_find(const char *name, struct why *why)
{
	size_t i;

	if (!strcmp(name, "auto"))
		return drivers[0];
	for (i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(name, drivers[i]->name))
			return drivers[i];
	(void)why_set(why, EINVAL,
		      "no driver '%s': this build has namespaces, and auto, "
		      "which takes it",
		      name);
	return NULL;
}
