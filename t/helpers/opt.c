/* SPDX-License-Identifier: ISC */
/* A program with an option of each kind, for t/01-opt.bats. */

#include "base/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exitcode.h"

static bool verbose;
static const char *output = "(none)";
static const char *unused;
static struct opt_list list;
static uint64_t number;
static uint64_t seconds;
static int status_fd = -1;

static const struct opt_table options = {
	"chock-opt",
	"[-v] WORD...\n--list ITEM\n       [--number N]",
	"print options",
	(const struct opt[]){
		{ 'v', "verbose", NULL, "say more", .flag = &verbose },
		{ 'o', "output", "FILE", "write to FILE", .str = &output },
		{ 'l', "list", "ITEM", "one more item", .list = &list },
		{ 'n', "number", "N", "a number of at most 1000",
		  .num = &number, .max = 1000 },
		{ 't', "time", "TIME", "from a second to a day",
		  .seconds = &seconds, .min = 1, .max = 86400 },
		{ 0, "status-fd", "N", "an open descriptor", .fd = &status_fd,
		  .group = "descriptors" },
		{ 0, "a-name-too-long-for-its-column", "VALUE",
		  "takes a line of its own", .str = &unused },
		{ .name = NULL } },
};

int main(int argc, char **argv)
{
	int i = opt_parse(&options, argc, argv);
	size_t item;

	if (i < argc && !strcmp(argv[i], "misuse"))
		opt_misuse(&options);
	(void)printf("flag:%d str:%s list:", verbose, output);
	for (item = 0; item < list.count; item++)
		(void)printf("%s,", list.items[item]);
	(void)printf(
		" num:%llu time:%llu fd:%d rest:", (unsigned long long)number,
		(unsigned long long)seconds, status_fd);
	for (; i < argc; i++)
		(void)printf("%s%s", argv[i], i + 1 < argc ? " " : "");
	(void)printf("\n");
	free(list.items);
	return EXIT_ALLOW;
}
