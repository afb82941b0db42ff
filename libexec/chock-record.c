/* SPDX-License-Identifier: ISC */
/*
 * chock-record - make a record, or take one value out of it
 *
 * What shell porcelain needs of JSON and no more, so that a path with a
 * newline in it survives the way from one program to the next.
 * See chock-record(1), chock-protocol(7).
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/line.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "record/json.h"
#include "record/record.h"

static const struct opt_table options = {
	"chock-record",
	"get PATH <RECORD\n"
	"make [NAME=TEXT | NAME:=JSON | NAME@]... [-- WORD...]\n"
	"nearest WORD OTHER...",
	"make a record, or take one value out of it",
	(const struct opt[]){ { .name = NULL } },
};

static void print(const struct buf *bytes)
{
	if (bytes->full)
		die(EXIT_MISUSE, "the record is too long");
	if (file_write(STDOUT_FILENO, buf_span(bytes)) < 0)
		die_errno(EXIT_SYSTEM, "cannot write to standard output");
}

/* One step of a path: a field's name, or an element's index. */
static const struct record_value *step(const struct record_value *value,
				       struct span name)
{
	char text[64];
	uint64_t index;

	if (value_is_array(value))
		return num_read(&index, name, SIZE_MAX) < 0
			       ? NULL
			       : value_at(value, (size_t)index);
	if (name.len >= sizeof(text))
		return NULL;
	memcpy(text, name.data, name.len);
	text[name.len] = '\0';
	return value_field(value, text);
}

static void get(const char *path)
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	autorecord struct record record = { 0 };
	autobuf struct buf bytes = { 0 };
	const struct record_value *value;
	struct why why = { 0 };
	struct span line;
	int r;

	r = lines_next(&lines, &line, &why);
	if (!r)
		die(EXIT_MISUSE, "no record on standard input");
	if (r < 0 || record_read(&record, line, &why) < 0)
		die_why(&why);
	value = record_root(&record);
	do {
		size_t len = strcspn(path, ".");

		value = step(value, (struct span){ path, len });
		path += len;
	} while (value && *path++);
	if (!value)
		exit(EXIT_DENY);
	if (value_bytes(&bytes, value) < 0)
		value_print(&bytes, value);
	print(&bytes);
}

/* NAME=TEXT, NAME:=JSON or NAME@ (the text comes on standard input). */
static void add_field(struct buf *fields, const char *word)
{
	autobuf struct buf name = { 0 };
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	size_t len = strcspn(word, "=:@");

	buf_add(&name, (struct span){ word, len });
	if (!len || !word[len])
		die(EXIT_MISUSE, "'%s' is not NAME=TEXT, NAME:=JSON or NAME@",
		    word);
	if (word[len] == '=') {
		json_str(fields, buf_str(&name), span_of(word + len + 1));
	} else if (word[len] == '@' && !word[len + 1]) {
		if (file_read(&text, STDIN_FILENO, LINE_MAX_LEN, &why) < 0)
			die_why(&why);
		json_str(fields, buf_str(&name), buf_span(&text));
	} else if (word[len] == ':' && word[len + 1] == '=') {
		json_raw(fields, buf_str(&name), span_of(word + len + 2));
	} else {
		die(EXIT_MISUSE, "'%s' is not NAME=TEXT, NAME:=JSON or NAME@",
		    word);
	}
}

static void make(int count, char **words)
{
	autorecord struct record check = { 0 };
	autobuf struct buf record = { 0 };
	struct why why = { 0 };
	int i = 0;

	json_open(&record);
	for (; i < count && strcmp(words[i], "--") != 0; i++)
		add_field(&record, words[i]);
	if (i < count) {
		json_open_array(&record, "argv");
		while (++i < count)
			json_item(&record, span_of(words[i]));
		json_close_array(&record);
	}
	json_close(&record);
	if (record.len > LINE_MAX_LEN)
		die(EXIT_MISUSE, "the record is longer than %zu bytes",
		    LINE_MAX_LEN);
	if (record_read(&check, buf_span(&record), &why) < 0)
		die_why(&why);
	buf_addc(&record, '\n');
	print(&record);
}

/* Which of @words was probably meant; a record has names, and people typos. */
static void nearest(const char *word, char **words, int count)
{
	autobuf struct buf line = { 0 };
	const char *found = nearest_word(span_of(word),
					 (const char *const *)words,
					 (size_t)count);

	if (!found)
		exit(EXIT_DENY);
	buf_adds(&line, found);
	buf_addc(&line, '\n');
	print(&line);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);

	if (argc - first == 2 && !strcmp(argv[first], "get"))
		get(argv[first + 1]);
	else if (argc - first > 0 && !strcmp(argv[first], "make"))
		make(argc - first - 1, argv + first + 1);
	else if (argc - first > 1 && !strcmp(argv[first], "nearest"))
		nearest(argv[first + 1], argv + first + 2, argc - first - 2);
	else
		opt_misuse(&options);
	return EXIT_ALLOW;
}
