/* SPDX-License-Identifier: ISC */
#include "sandbox/driver.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "base/why.h"
#include "spec/sandbox.h"
#include "tree/spot.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct driver *const drivers[] = { &driver_namespaces,
						&driver_landlock };

const struct driver *driver_at(unsigned int index)
{
	return index < COUNT(drivers) ? drivers[index] : NULL;
}

static const struct driver *find_working(struct why *passed)
{
	struct why why = { 0 };
	size_t i;

	for (i = 0; i < COUNT(drivers); i++) {
		if (!drivers[i]->works(&why))
			return drivers[i];
		if (!i)
			*passed = why;
	}
	*passed = (struct why){ 0 };
	return drivers[0];
}

const struct driver *driver_find(const char *name, struct why *passed,
				 struct why *why)
{
	const char *names[COUNT(drivers) + 1] = { "auto" };
	char near[NEAREST_ROOM];
	size_t i;

	if (!strcmp(name, "auto"))
		return find_working(passed);
	for (i = 0; i < COUNT(drivers); i++) {
		if (!strcmp(name, drivers[i]->name))
			return drivers[i];
		names[i + 1] = drivers[i]->name;
	}
	(void)why_set(why, EINVAL, "no driver '%s'%s", name,
		      nearest_clause(near, span_of(name), names, i + 1));
	return NULL;
}

static bool leads_up(const char *path)
{
	const char *at = path;

	while ((at = strstr(at, ".."))) {
		if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
		at += 2;
	}
	return false;
}

const char *driver_home_part(const struct grant *grant)
{
	const char *part =
		grant->target ? path_below(grant->target, SANDBOX_HOME) : NULL;

	if (!part || !*part || leads_up(part) ||
	    (grant->kind != GRANT_READ && grant->kind != GRANT_WRITE))
		return NULL;
	return part;
}

static int check_grant(const struct driver *driver, const struct grant *grant,
		       struct why *why)
{
	bool moved = grant->target && grant->source &&
		     strcmp(grant->source, grant->target) != 0;

	if (grant->kind == GRANT_TMPFS && !grant->optional &&
	    !(driver->can & DRIVER_TMPFS))
		return why_set(why, EOPNOTSUPP,
			       "%s: cannot make a tmpfs at '%s': the driver "
			       "'%s' has none",
			       grant->by, grant->target, driver->name);
	if (grant->kind == GRANT_COW && !(driver->can & DRIVER_COW))
		return why_set(why, EOPNOTSUPP,
			       "%s: cannot keep apart what is written to "
			       "'%s': the driver '%s' has no overlay",
			       grant->by, grant->source, driver->name);
	if (moved && !(driver->can & DRIVER_MOVE) &&
	    !(driver->can & DRIVER_LINK && driver_home_part(grant)))
		return why_set(why, EOPNOTSUPP,
			       "%s: cannot show '%s' at '%s': the driver '%s' "
			       "leaves everything at its own path",
			       grant->by, grant->source, grant->target,
			       driver->name);
	return 0;
}

int driver_can_else(int r, struct why *why)
{
	return why_set(why, -r, "%s; '--driver namespaces' can", why->text);
}

int driver_check(const struct driver *driver, const struct sandbox *sandbox,
		 struct why *why)
{
	const struct grant *grant = sandbox->grants;
	const struct grant *end = grant + sandbox->grant_count;
	int r = 0;

	for (; grant < end && !r; grant++)
		r = check_grant(driver, grant, why);
	if (!r && sandbox->scratch_by && !(driver->can & DRIVER_SCRATCH))
		r = why_set(why, EOPNOTSUPP,
			    "%s: cannot hold 'limit scratch': the driver '%s' "
			    "has no scratch space with a cap",
			    sandbox->scratch_by, driver->name);
	return r < 0 ? driver_can_else(r, why) : 0;
}
