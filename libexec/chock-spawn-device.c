/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that grants devices
 *
 * A device is named by what it is, and both are needed: the statement that
 * wants it in the sandbox, and rules that allow its name.  Nobody can be asked
 * here, so that every other answer is a no.
 */

#include <fcntl.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"
#include "policy/action.h"
#include "policy/decide.h"
#include "policy/field.h"
#include "policy/pool.h"
#include "tree/device.h"

/* The name that policies have for @device. */
static void add_name(struct buf *name, const struct device *device)
{
	buf_addf(name, "device.%s", device->bus);
	action_add(name, span_of(device->id));
	if (device->product)
		action_add(name, span_of(device->product));
}

static enum policy_decision ask(const struct spawn *spawn, struct span name)
{
	struct question question = { .action = name, .asker = &spawn->asker };

	return decide(&spawn->policy, &question).decision;
}

static void grant(struct spawn *spawn, const struct device *device,
		  const char *by)
{
	struct why why = { 0 };
	struct grant *granted;

	if (device_check(device->path, &why) < 0)
		die(EXIT_SETUP, "%s: cannot grant a device: %s", by, why.text);
	granted = spawn_grant(
		spawn, GRANT_DEVICE,
		pool_keep(&spawn->policy.memory, span_of(device->path)), by);
	granted->number = device->number;
}

/* Of a class, those are left out that the policy does not allow. */
static bool grant_if_asked(struct spawn *spawn, const struct device *device,
			   struct rule_field field, const char *by)
{
	autobuf struct buf name = { 0 };
	enum policy_decision decision;

	add_name(&name, device);
	if (!rule_field_fits(field, buf_span(&name)))
		return false;
	decision = ask(spawn, buf_span(&name));
	if (decision == DECISION_ALLOW) {
		grant(spawn, device, by);
		return true;
	}
	if (!field.class)
		die(EXIT_MISUSE,
		    "%s: cannot grant '%s': the policy answers %s, and nobody "
		    "can be asked; 'allow %s' grants it",
		    by, buf_str(&name), decision_word(decision),
		    buf_str(&name));
	return false;
}

static void die_of_none(const struct devices *devices, const char *word,
			const char *by)
{
	autobuf struct buf names = { 0 };
	size_t i;

	for (i = 0; i < devices->count; i++) {
		buf_adds(&names, i ? ", " : "");
		add_name(&names, &devices->devices[i]);
	}
	die(EXIT_SETUP, "%s: cannot grant '%s': no such device%s; there is %s",
	    by, word, strstr(word, ".*") ? " that is allowed" : "",
	    names.len ? buf_str(&names) : "none");
}

void spawn_device(struct spawn *spawn, const char *word, const char *by)
{
	autodevices struct devices devices = { 0 };
	autoclose int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct rule_field field;
	struct why why = { 0 };
	size_t i, granted = 0;

	if (root_fd < 0)
		die_errno(EXIT_SETUP, "cannot open '/'");
	if (field_read(&field, word, &why) < 0)
		die(EXIT_MISUSE, "%s: %s", by, why.text);
	if (devices_find(&devices, root_fd, &why) < 0)
		die(EXIT_SETUP, "%s: %s", by, why.text);
	for (i = 0; i < devices.count; i++)
		granted +=
			grant_if_asked(spawn, &devices.devices[i], field, by);
	if (!granted)
		die_of_none(&devices, word, by);
}
