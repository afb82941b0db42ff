/* SPDX-License-Identifier: ISC */
#include "spec/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/why.h"
#include "confine/landlock.h"
#include "confine/layer.h"
#include "spec/sandbox.h"
#include "spec/standard.h"

/*
 * /proc/self/fd leads to what a descriptor stands for, on the mount of the
 * host that it was opened on, which no tree of ours can make read-only.
 * Returns what such a file is, or NULL.
 */
static const char *emptiable(void)
{
	struct stat st;
	int fd, mode;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		mode = fcntl(fd, F_GETFL);
		if (mode >= 0 && (mode & O_ACCMODE) == O_RDONLY &&
		    !fstat(fd, &st) && S_ISREG(st.st_mode))
			return standard_name(fd);
	}
	return NULL;
}

/* Whether what @part would hold is held without it, as doc/decisions/0008. */
static bool held_without(const struct layer_row *rows,
			 const struct landlock_part *part, struct why *why)
{
	const char *name = NULL;

	if (!part->held_by || !layer_all_on(rows, part->held_by))
		return false;
	if (part->layer == LAYER_LANDLOCK_TRUNCATE)
		name = emptiable();
	if (name)
		(void)why_set(why, ENOSYS,
			      "standard %s is a file, which this kernel would "
			      "let be emptied; put a pipe in between, as in "
			      "'cat FILE | chock-spawn ...'",
			      name);
	return !name;
}

/* Says of @part of Landlock whether this kernel has it. */
static int note_part(struct layer_row *rows, const struct sandbox *sandbox,
		     const struct landlock_part *part, int abi, struct why *why)
{
	if (part->layer == LAYER_LANDLOCK_TCP && sandbox->net == NET_HOST) {
		layer_set(rows, part->layer, LAYER_OFF,
			  "the network is the host's");
		return 0;
	}
	if (abi >= part->abi) {
		layer_set(rows, part->layer, LAYER_ON, "");
		return 0;
	}
	if (abi)
		(void)why_set(why, ENOSYS,
			      "the kernel's Landlock (ABI %d) lacks it", abi);
	else
		(void)why_set(
			why, ENOSYS,
			"the kernel has no Landlock in use; 'chock doctor' "
			"says why");
	if (!held_without(rows, part, why))
		return layer_lost(rows, part->layer, sandbox->waived, why);
	layer_set(rows, part->layer, LAYER_ABSENT,
		  abi ? part->held_text : "the namespaces hold it");
	return 0;
}

int parts_note(struct layer_row *rows, const struct sandbox *sandbox, int abi,
	       struct why *why)
{
	struct why missing = { 0 };
	unsigned int i;

	for (i = LAYER_LANDLOCK; i <= LAYER_LANDLOCK_SCOPE; i++)
		if (note_part(rows, sandbox, landlock_part((enum layer)i), abi,
			      &missing) < 0) {
			*why = missing;
			return -why->errnum;
		}
	return 0;
}
