/* SPDX-License-Identifier: ISC */
/*
 * chock-record - make a record, or take values out of it
 *
 * What shell porcelain needs of JSON and no more, so that a path with a
 * newline in it survives the way from one program to the next.
 * See chock-record(1), chock-protocol(7).
 */

#include <errno.h>
#include <stdbool.h>
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
#include "confine/self.h"
#include "record/json.h"
#include "record/record.h"
#include "record/utf8.h"
#include "workspace/quote.h"

static const struct opt_table options = {
	"chock-record",
	"assign VARIABLE=PATH... <RECORD\n"
	"get PATH <RECORD\n"
	"make [NAME=TEXT | NAME:=JSON | NAME@]... [-- WORD...]\n"
	"nearest WORD OTHER...",
	"make a record, or take values out of it",
	(const struct opt[]){ { .name = NULL } },
};

/* One step of a path: a field's name, or an element's index. */
static const struct record_value *step(const struct record_value *value,
				       struct span name)
{
	autobuf struct buf text = { 0 };
	uint64_t index;

	if (value_is_array(value))
		return num_read(&index, name, SIZE_MAX) < 0
			       ? NULL
			       : value_at(value, (size_t)index);
	buf_add(&text, name);
	return value_field(value, buf_str(&text));
}

/* The one record that there is; more would be lost without a word. */
static void read_one(struct record *record)
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	struct why why = { 0 };
	struct span line;
	int r;

	r = lines_next(&lines, &line, &why);
	if (!r)
		die(EXIT_MISUSE, "no record on standard input");
	if (r < 0 || record_read(record, line, &why) < 0)
		die_why(&why);
	if (lines_next(&lines, &line, &why))
		die(EXIT_MISUSE, "more than one record on standard input");
}

/* What @value stands for: the bytes of a string, or else compact JSON. */
static void add_bytes(struct buf *bytes, const struct record_value *value)
{
	size_t len = bytes->len;

	if (value_bytes(bytes, value) < 0) {
		buf_cut(bytes, len);
		value_print(bytes, value);
	}
}

/* The value at @path below @value; NULL where there is none. */
static const struct record_value *follow(const struct record_value *value,
					 struct span path)
{
	for (;;) {
		size_t len = path.len;
		struct span name = span_cut(&path, '.');

		value = step(value, name);
		if (!value || name.len == len)
			return value;
	}
}

static void get(const char *path)
{
	autorecord struct record record = { 0 };
	autobuf struct buf bytes = { 0 };
	const struct record_value *value;

	read_one(&record);
	value = follow(record_root(&record), span_of(path));
	if (!value)
		exit(EXIT_DENY);
	add_bytes(&bytes, value);
	print(&bytes);
}

/* Where the step "*" of @path is, which stands for each element; or NULL. */
static const char *find_each(const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".");

		if (len == 1 && *path == '*')
			return path;
		if (!path[len])
			return NULL;
		path += len + 1;
	}
}

/* What is at @path, a step "*", in each element of @list, as words of sh. */
static void add_words(struct buf *words, const struct record_value *list,
		      const char *path)
{
	size_t count = value_count(list);
	size_t i;

	for (i = 0; i < count; i++) {
		autobuf struct buf bytes = { 0 };
		const struct record_value *value = value_at(list, i);

		if (path[1])
			value = follow(value, span_of(path + 2));
		if (value)
			add_bytes(&bytes, value);
		if (i)
			buf_addc(words, ' ');
		quote_shell(words, buf_span(&bytes));
	}
}

/* What is at @path below @root, or nothing where nothing is. */
static void add_found(struct buf *bytes, const struct record_value *root,
		      const char *path)
{
	const char *each = find_each(path);
	const struct record_value *value = root;

	if (each == path) {
		add_words(bytes, value, each);
		return;
	}
	value = follow(root,
		       (struct span){ path, each ? (size_t)(each - path) - 1
						 : strlen(path) });
	if (value && each)
		add_words(bytes, value, each);
	else if (value)
		add_bytes(bytes, value);
}

/* VARIABLE=PATH: a line for sh that sets it to what is there, or empties it. */
static void assign(struct buf *script, const struct record_value *root,
		   const char *word)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "_0123456789";
	autobuf struct buf bytes = { 0 };
	size_t len = strspn(word, letters);

	if (!len || word[len] != '=' || (*word >= '0' && *word <= '9'))
		die(EXIT_MISUSE, "'%s' is not VARIABLE=PATH", word);
	add_found(&bytes, root, word + len + 1);
	buf_add(script, (struct span){ word, len + 1 });
	quote_shell(script, buf_span(&bytes));
	buf_addc(script, '\n');
}

static void assign_all(int count, char **words)
{
	autorecord struct record record = { 0 };
	autobuf struct buf script = { 0 };
	int i;

	read_one(&record);
	for (i = 0; i < count; i++)
		assign(&script, record_root(&record), words[i]);
	print(&script);
}

static void add_json(struct buf *fields, const char *name, struct span value)
{
	size_t start = fields->len;
	size_t i;

	if (!record_is_value(value))
		die(EXIT_MISUSE, "'%s': the value is not JSON", name);
	json_raw(fields, name, value);
	/* Outside of strings, and inside they are none, these are blanks. */
	for (i = start; i < fields->len; i++)
		if (fields->data[i] == '\n' || fields->data[i] == '\r')
			fields->data[i] = ' ';
}

/* A name that was used would make a record that nobody reads. */
static void take_name(struct buf *taken, const char *name)
{
	struct span rest = buf_span(taken);
	size_t len = strlen(name);

	if (!utf8_valid((struct span){ name, len }))
		die(EXIT_MISUSE, "'%s': a field's name is UTF-8", name);
	while (rest.len) {
		if (!strcmp(rest.data, name))
			die(EXIT_MISUSE, "'%s' is given twice", name);
		rest = span_from(rest, strlen(rest.data) + 1);
	}
	buf_add(taken, (struct span){ name, len + 1 });
}

static void add_text(struct buf *fields, const char *name)
{
	static bool read_before;
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (read_before)
		die(EXIT_MISUSE, "standard input can be one field only");
	read_before = true;
	if (file_read(&text, STDIN_FILENO, LINE_MAX_LEN, &why) < 0)
		die(report_status(&why), "standard input: %s", why.text);
	json_str(fields, name, buf_span(&text));
}

/* NAME=TEXT, NAME:=JSON or NAME@ (the text comes on standard input). */
static void add_field(struct buf *fields, struct buf *taken, const char *word)
{
	autobuf struct buf name = { 0 };
	size_t len = strcspn(word, "=:@");
	const char *rest = word + len;

	if (!len || (*rest != '=' && strncmp(rest, ":=", 2) != 0 &&
		     strcmp(rest, "@") != 0))
		die(EXIT_MISUSE, "'%s' is not NAME=TEXT, NAME:=JSON or NAME@",
		    word);
	buf_add(&name, (struct span){ word, len });
	take_name(taken, buf_str(&name));
	if (*rest == '=')
		json_str(fields, buf_str(&name), span_of(rest + 1));
	else if (*rest == ':')
		add_json(fields, buf_str(&name), span_of(rest + 2));
	else
		add_text(fields, buf_str(&name));
}

static void make(int count, char **words)
{
	autorecord struct record check = { 0 };
	autobuf struct buf record = { 0 };
	autobuf struct buf taken = { 0 };
	struct why why = { 0 };
	int i = 0;

	json_open(&record);
	for (; i < count && strcmp(words[i], "--") != 0; i++)
		add_field(&record, &taken, words[i]);
	if (i < count) {
		take_name(&taken, "argv");
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
	const char *found = nearest_word(
		span_of(word), (const char *const *)words, (size_t)count);

	if (!found)
		exit(EXIT_DENY);
	buf_adds(&line, found);
	buf_addc(&line, '\n');
	print(&line);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);
	struct why why = { 0 };

	if (record_warm_up(&why) < 0 || confine_self(&why) < 0)
		die_why(&why);
	if (argc - first == 2 && !strcmp(argv[first], "get"))
		get(argv[first + 1]);
	else if (argc - first > 1 && !strcmp(argv[first], "assign"))
		assign_all(argc - first - 1, argv + first + 1);
	else if (argc - first > 0 && !strcmp(argv[first], "make"))
		make(argc - first - 1, argv + first + 1);
	else if (argc - first > 1 && !strcmp(argv[first], "nearest"))
		nearest(argv[first + 1], argv + first + 2, argc - first - 2);
	else
		opt_misuse(&options);
	return EXIT_ALLOW;
}
