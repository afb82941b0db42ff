/* SPDX-License-Identifier: ISC */
#include "confine/layer.h"

#include <errno.h>
#include <stdio.h>

#include "base/nearest.h"
#include "base/why.h"

static const char *const names[LAYER_COUNT] = {
	[LAYER_USERNS] = "userns",
	[LAYER_PIDNS] = "pidns",
	[LAYER_IPCNS] = "ipcns",
	[LAYER_MOUNTNS] = "mountns",
	[LAYER_NETNS] = "netns",
	[LAYER_PROC] = "proc",
	[LAYER_LANDLOCK] = "landlock",
	[LAYER_LANDLOCK_REFER] = "landlock.refer",
	[LAYER_LANDLOCK_TRUNCATE] = "landlock.truncate",
	[LAYER_LANDLOCK_TCP] = "landlock.tcp",
	[LAYER_LANDLOCK_IOCTL] = "landlock.ioctl",
	[LAYER_LANDLOCK_SCOPE] = "landlock.scope",
	[LAYER_SECCOMP] = "seccomp",
	[LAYER_SOCKETS] = "sockets",
	[LAYER_RLIMITS] = "rlimits",
	[LAYER_CGROUP] = "cgroup",
	[LAYER_KEYRING] = "keyring",
	[LAYER_MEMFD] = "memfd",
};

static const char *const state_names[] = {
	[LAYER_OFF] = "off",
	[LAYER_ON] = "on",
	[LAYER_WAIVED] = "waived",
	[LAYER_ABSENT] = "absent",
};

const char *layer_name(enum layer layer)
{
	return names[layer];
}

const char *layer_state_name(enum layer_state state)
{
	return state_names[state];
}

int layer_read(enum layer *layer, struct span name, struct why *why)
{
	char near[NEAREST_ROOM];
	unsigned int i;

	for (i = 0; i < LAYER_COUNT; i++) {
		if (!span_is(name, names[i]))
			continue;
		*layer = (enum layer)i;
		return 0;
	}
	return why_set(why, ENOENT, "no layer '%.*s'%s", (int)name.len,
		       name.data,
		       nearest_clause(near, name, names, LAYER_COUNT));
}

void layer_set(struct layer_row *rows, enum layer layer, enum layer_state state,
	       const char *reason)
{
	(void)snprintf(rows[layer].reason, sizeof(rows[layer].reason), "%.*s",
		       LAYER_REASON_MAX - 1, reason);
	rows[layer].state = state;
}

bool layer_all_on(const struct layer_row *rows, uint32_t bits)
{
	unsigned int i;

	for (i = 0; i < LAYER_COUNT; i++)
		if (bits & LAYER_BIT(i) && rows[i].state != LAYER_ON)
			return false;
	return true;
}

int layer_failed(struct layer_row *rows, enum layer layer, struct why *why)
{
	rows[layer].failed = true;
	return why_within(why, "layer '%s'", names[layer]);
}

int layer_lost(struct layer_row *rows, enum layer layer, uint32_t waived,
	       struct why *why)
{
	if (!(waived & LAYER_BIT(layer)))
		return layer_failed(rows, layer, why);
	layer_set(rows, layer, LAYER_WAIVED, why->text);
	return 0;
}
