/* SPDX-License-Identifier: ISC */
/*
 * chock-doctor - say what of a sandbox works on this machine
 *
 * Tries each layer, then a whole sandbox, and says which way leads to one
 * where something is missing.  See chock-doctor(1).
 */

#include "chock-doctor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/report.h"
#include "probe/probe.h"
#include "record/json.h"

#define NAME_WIDTH 18
#define STATE_WIDTH 13

static bool as_json;

static const struct opt_table options = {
	"chock-doctor",
	"[--json]",
	"say what of a sandbox works on this machine",
	(const struct opt[]){ { .name = "json",
				.help = "print one JSON object and no text",
				.flag = &as_json },
			      { .name = NULL } },
};

static void add_json(struct buf *out, const struct probe_row *row)
{
	json_item_object(out);
	json_str(out, "name", span_of(row->name));
	json_str(out, "state", span_of(probe_state_name(row->state)));
	json_str(out, "means", span_of(row->means));
	if (row->state != PROBE_ON) {
		json_str(out, "cause", span_of(row->cause));
		if (row->errnum > 0)
			json_str(out, "errno",
				 span_of(strerrorname_np(row->errnum)));
	}
	if (*row->mend)
		json_str(out, "mend", span_of(row->mend));
	json_close_object(out);
}

static void add_text(struct buf *out, const struct probe_row *row)
{
	buf_addf(out, "%-*s%-*s", NAME_WIDTH, row->name, STATE_WIDTH,
		 probe_state_name(row->state));
	buf_addf(out, "%s%s\n",
		 row->state == PROBE_ON ? "" : "on would mean: ", row->means);
	if (row->state == PROBE_ON)
		return;
	buf_addf(out, "%*scause: ", NAME_WIDTH + STATE_WIDTH, "");
	buf_add_plain(out, span_of(row->cause));
	buf_addc(out, '\n');
	if (!*row->mend)
		return;
	buf_addf(out, "%*smend:  %s\n", NAME_WIDTH + STATE_WIDTH, "",
		 row->mend);
}

/* @without: one works by the driver that needs no namespaces. */
static void print_rows(const struct probe_row *rows, size_t count, bool can,
		       bool without)
{
	autobuf struct buf out = { 0 };
	size_t i;

	if (as_json) {
		json_open(&out);
		json_bool(&out, "can", can);
		json_open_array(&out, "rows");
	}
	for (i = 0; i < count; i++)
		if (as_json)
			add_json(&out, &rows[i]);
		else
			add_text(&out, &rows[i]);
	if (as_json) {
		json_close_array(&out);
		doctor_gaps(&out, true);
		doctor_widened(&out, true);
		json_close_line(&out);
	} else {
		if (without && !can)
			doctor_gaps(&out, false);
		doctor_widened(&out, false);
		buf_addf(&out, "\nA sandbox %s here%s.\n",
			 can ? "works" : "does not work",
			 without && !can ? ", but for one that --driver "
					   "landlock makes"
					 : "");
	}
	if (out.full || file_write(STDOUT_FILENO, buf_span(&out)) < 0)
		die_errno(EXIT_SYSTEM, "cannot write to standard output");
}

int main(int argc, char **argv)
{
	struct probe_row rows[PROBE_ROWS_MAX];
	size_t count;
	bool can, without;

	if (opt_parse(&options, argc, argv) != argc)
		opt_misuse(&options);
	if (fd_fill_standard() < 0)
		die_errno(EXIT_SYSTEM, "cannot open '/dev/null'");
	count = probe_layers(rows);
	probe_git(&rows[count++]);
	probe_devices(&rows[count++], rows);
	probe_tty(&rows[count++], rows);
	probe_cow(&rows[count++]);
	probe_driver_landlock(&rows[count]);
	without = rows[count++].state == PROBE_ON;
	probe_sandbox(&rows[count], rows);
	can = rows[count++].state == PROBE_ON;
	print_rows(rows, count, can, without);
	return can ? EXIT_ALLOW : EXIT_CANNOT;
}
