/* SPDX-License-Identifier: ISC */
/*
 * wrapper-options - the options of wrappers, as the reading of calls has them
 *
 * wrapper-options NAME... prints a line for each option of each that is known:
 * the name, how many operands it has, and the option, with a blank and a dot
 * behind if it has an argument, with a dot alone if that has to be attached.
 */
#include <stdio.h>
#include <string.h>

#include "base/exitcode.h"
#include "call/wrapper.h"

static const char *wrapper_name;
static unsigned int operands;

static void print_letters(const char *letters, const char *behind)
{
	for (; *letters; letters++)
		printf("%s %u -%c%s\n", wrapper_name, operands, *letters,
		       behind);
}

static void print_names(const char *names, const char *behind)
{
	while (*names) {
		size_t len = strcspn(names, " ");

		if (len)
			printf("%s %u --%.*s%s\n", wrapper_name, operands,
			       (int)strcspn(names, " ="), names, behind);
		names += len + (names[len] ? 1 : 0);
	}
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		const struct wrapper *wrapper = wrapper_find(span_of(argv[i]));

		if (!wrapper)
			return EXIT_MISUSE;
		wrapper_name = argv[i];
		operands = wrapper->operands;
		print_letters(wrapper->flags, "");
		print_letters(wrapper->valued, " .");
		print_letters(wrapper->attached, ".");
		print_names(wrapper->long_flags, "");
		print_names(wrapper->long_valued, " .");
	}
	return EXIT_ALLOW;
}
