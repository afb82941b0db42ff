/* SPDX-License-Identifier: ISC */
#include "spec/denial.h"

#include <string.h>

#include "base/buf.h"
#include "confine/seccomp.h"
#include "record/json.h"

static bool is_same(const struct denial *a, const struct denial *b)
{
	return a->call == b->call && !strcmp(a->program, b->program) &&
	       !strcmp(a->path, b->path);
}

const struct denial *denials_note(struct denials *denials,
				  const struct denial *denial)
{
	struct denial *row = denials->rows;
	uint32_t i;

	for (i = 0; i < denials->count; i++, row++) {
		if (!is_same(row, denial))
			continue;
		row->count++;
		return row;
	}
	if (i == DENIALS_MAX) {
		denials->left_out++;
		return NULL;
	}
	*row = *denial;
	row->count = 1;
	denials->count++;
	return row;
}

const struct denial *denials_of(const struct denials *denials, pid_t pid)
{
	uint32_t i;

	for (i = 0; i < denials->count; i++)
		if (denials->rows[i].pid == pid)
			return &denials->rows[i];
	return NULL;
}

void denial_plain(char *text, size_t room, const char *bytes, size_t len)
{
	size_t i;

	if (len >= room) {
		bytes += len - (room - 1);
		len = room - 1;
	}
	for (i = 0; i < len; i++)
		text[i] = bytes[i] < ' ' || bytes[i] > '~' ? '?' : bytes[i];
	text[len] = '\0';
}

const char *denial_call(const struct denial *denial)
{
	const char *name = seccomp_call_name(denial->call);

	return name ? name : "";
}

const char *denial_program(const struct denial *denial)
{
	if (*denial->program)
		return denial->program;
	return *denial->path ? denial->path : "a program";
}

static void report_row(struct buf *line, const struct denial *row)
{
	json_item_object(line);
	json_str(line, "layer", span_of("seccomp"));
	json_str(line, "call", span_of(denial_call(row)));
	if (*row->program)
		json_str(line, "program", span_of(row->program));
	if (*row->path)
		json_str(line, "path", span_of(row->path));
	json_num(line, "pid", row->pid);
	json_num(line, "count", (int64_t)row->count);
	json_close_object(line);
}

void denials_report(struct buf *line, const struct denials *denials)
{
	uint32_t i;

	for (i = 0; i < denials->count; i++)
		report_row(line, &denials->rows[i]);
	if (!denials->left_out)
		return;
	json_item_object(line);
	json_str(line, "layer", span_of("seccomp"));
	json_num(line, "left_out", (int64_t)denials->left_out);
	json_close_object(line);
}
