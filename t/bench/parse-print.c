/* SPDX-License-Identifier: ISC */
/*
 * parse-print - what JSON lines cost that are parsed and printed, no more
 *
 * The floor under every filter of records: jansson reads each line of standard
 * input, with the same flags as lib/record, and prints it again.  Lines are
 * read and written as the filters do it.
 */

#include <jansson.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/line.h"
#include "base/report.h"
#include "base/why.h"

#define OUT_ROOM ((size_t)64 << 10)

static void copy(struct buf *out, struct span line)
{
	json_error_t error;
	json_t *json = json_loadb(line.data, line.len,
				  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
				  &error);

	if (!json)
		die(EXIT_MISUSE, "not JSON: %s", error.text);
	/* What is printed compactly is no longer than six times what was read:
	 * one byte of a name can become "\\u00XX". */
	if (!buf_grow(out, line.len * 6))
		die(EXIT_SYSTEM, "out of memory");
	out->len += json_dumpb(json, out->data + out->len, line.len * 6,
			       JSON_COMPACT);
	buf_addc(out, '\n');
	json_decref(json);
}

int main(void)
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	autobuf struct buf out = { 0 };
	struct why why = { 0 };
	struct span line;
	int r;

	report_name("parse-print");
	while ((r = lines_next(&lines, &line, &why)) > 0) {
		copy(&out, line);
		if (out.len < OUT_ROOM && lines_pending(&lines))
			continue;
		print(&out);
		buf_reset(&out);
	}
	if (r < 0)
		die_why(&why);
	return EXIT_ALLOW;
}
