/* SPDX-License-Identifier: ISC */
#include "confine/gen-names.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confine/calls-numbers.h"
#include "confine/calls-strict.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void gen_give_up(const char *what, const char *name)
{
	(void)fprintf(stderr, "gen-filters: %s '%s'\n", what, name);
	exit(1);
}

int gen_number(const char *name)
{
	int number;
	size_t i;

	for (i = 0; i < COUNT(newer_calls); i++)
		if (!strcmp(newer_calls[i].name, name))
			return newer_calls[i].number;
	number = seccomp_syscall_resolve_name(name);
	if (number == __NR_SCMP_ERROR)
		gen_give_up("no system call", name);
	if (number >= GEN_NUMBERS)
		gen_give_up("a number beyond the table for", name);
	return number < 0 ? -2 : number;
}

const char *gen_next_name(const char *names, char *name, size_t room)
{
	size_t len;

	names += strspn(names, " ");
	len = strcspn(names, " ");
	if (!len)
		return NULL;
	if (len >= room)
		gen_give_up("too long a name in", names);
	memcpy(name, names, len);
	name[len] = '\0';
	return names + len;
}

bool gen_is_among(const char *names, const char *name)
{
	char one[GEN_NAME_ROOM];

	while ((names = gen_next_name(names, one, sizeof(one))))
		if (!strcmp(one, name))
			return true;
	return false;
}

const char *gen_strict(size_t i)
{
	return i < COUNT(strict_calls) ? strict_calls[i] : NULL;
}

bool gen_is_strict(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(strict_calls); i++)
		if (gen_is_among(strict_calls[i], name))
			return true;
	return false;
}
