/* SPDX-License-Identifier: ISC */
#include "cow/journal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/line.h"
#include "base/num.h"
#include "base/path.h"
#include "base/why.h"

#define HEADER "chock-cow 1"
#define NANOSECONDS 999999999
#define MODE_MAX 0177777

struct journal_old journal_old_of(const struct stat *st)
{
	return (struct journal_old){ .ino = st->st_ino,
				     .mode = st->st_mode,
				     .size = (uint64_t)st->st_size,
				     .mtime = st->st_mtim };
}

int journal_add(struct journal *journal, const struct journal_op *op)
{
	if (journal->count == JOURNAL_OPS_MAX)
		return -E2BIG;
	journal->ops = alloc_array(journal->ops, journal->count,
				   sizeof(*journal->ops));
	journal->ops[journal->count++] = *op;
	return 0;
}

static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '%';
}

static void print_path(struct buf *text, const char *path)
{
	for (; *path; path++)
		if (is_plain((unsigned char)*path))
			buf_addc(text, *path);
		else
			buf_addf(text, "%%%02X", (unsigned char)*path);
}

/* A time before 1970 is a large number, as it is in memory. */
static unsigned long long bits(int64_t number)
{
	return (unsigned long long)number;
}

static void print_op(struct buf *text, const struct journal_op *op)
{
	const struct journal_old *old = &op->old;
	const char *state = op->changed ? "changed" : "clean";

	if (op->kind == JOURNAL_SWAP)
		buf_addf(text, "swap %s %llu %u %llu %u %llu %llu %llu ", state,
			 (unsigned long long)op->new_ino,
			 (unsigned int)op->new_mode,
			 (unsigned long long)old->ino, (unsigned int)old->mode,
			 (unsigned long long)old->size, bits(old->mtime.tv_sec),
			 bits(old->mtime.tv_nsec));
	else
		buf_addf(text, "mode %s %u %llu %u ", state,
			 (unsigned int)op->new_mode,
			 (unsigned long long)old->ino, (unsigned int)old->mode);
	print_path(text, op->path);
	buf_addc(text, '\n');
}

void journal_print(struct buf *text, const struct journal *journal)
{
	size_t i;

	buf_addf(text, HEADER " %llu %llu\n", bits(journal->since.tv_sec),
		 bits(journal->since.tv_nsec));
	for (i = 0; i < journal->count; i++)
		print_op(text, &journal->ops[i]);
	buf_addf(text, "end %zu\n", journal->count);
}

/* Each number of @line goes where the next of @count slots says. */
struct slot {
	uint64_t *value;
	uint64_t max;
};

static bool read_numbers(struct span *line, const struct slot *slots,
			 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (num_read(slots[i].value, span_cut(line, ' '),
			     slots[i].max) < 0)
			return false;
	return true;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Only the form that print_path() gives: each path has one. */
static bool read_path(struct buf *path, struct span text)
{
	int byte;
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (is_plain((unsigned char)text.data[i])) {
			buf_addc(path, text.data[i]);
			continue;
		}
		if (text.data[i] != '%' || text.len - i < 3 ||
		    hex(text.data[i + 1]) < 0 || hex(text.data[i + 2]) < 0)
			return false;
		byte = hex(text.data[i + 1]) * 16 + hex(text.data[i + 2]);
		if (!byte || is_plain((unsigned char)byte))
			return false;
		buf_addc(path, (char)byte);
		i += 2;
	}
	return true;
}

/* Relative, each part a name, and none of chock's own. */
static bool stays_inside(const char *path)
{
	size_t len;

	for (;; path += len + 1) {
		len = strcspn(path, "/");
		if (!len || len > NAME_MAX || !strncmp(path, "..", len))
			return false; /* "." too */
		if (len == strlen(COW_DIR) && !strncmp(path, COW_DIR, len))
			return false;
		if (!path[len])
			return true;
	}
}

static bool is_in(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && path[len] == '/';
}

static const char *check_path(const struct journal *journal, const char *path)
{
	const struct journal_op *last;
	size_t i = journal->count;

	if (strlen(path) >= PATH_MAX || !stays_inside(path))
		return "the path is none of the directory's";
	if (!i)
		return NULL;
	last = &journal->ops[i - 1];
	if (path_compare(last->path, path) >= 0)
		return "the path is out of order";
	/* Of swaps above it, none can be behind the last one. */
	while (i && journal->ops[i - 1].kind == JOURNAL_MODE)
		i--;
	if (i && journal->ops[i - 1].kind == JOURNAL_SWAP &&
	    is_in(path, journal->ops[i - 1].path))
		return "the path is in what another line swaps";
	return NULL;
}

static bool read_state(struct journal_op *op, struct span word)
{
	op->changed = span_is(word, "changed");
	return op->changed || span_is(word, "clean");
}

static const char *read_op(struct journal *journal, struct span line)
{
	autobuf struct buf path = { 0 };
	struct journal_op op = { .kind = JOURNAL_SWAP };
	uint64_t new_mode, old_mode, seconds = 0, nanoseconds = 0;
	const struct slot swap[] = {
		{ &op.new_ino, UINT64_MAX },  { &new_mode, MODE_MAX },
		{ &op.old.ino, UINT64_MAX },  { &old_mode, MODE_MAX },
		{ &op.old.size, UINT64_MAX }, { &seconds, UINT64_MAX },
		{ &nanoseconds, NANOSECONDS }
	};
	const struct slot mode[] = { { &new_mode, MODE_MAX },
				     { &op.old.ino, UINT64_MAX },
				     { &old_mode, MODE_MAX } };
	struct span kind = span_cut(&line, ' ');
	const char *wrong;

	if (span_is(kind, "mode"))
		op.kind = JOURNAL_MODE;
	else if (!span_is(kind, "swap"))
		return "the line is of no kind";
	if (!read_state(&op, span_cut(&line, ' ')) ||
	    !(op.kind == JOURNAL_SWAP ? read_numbers(&line, swap, 7)
				      : read_numbers(&line, mode, 3)) ||
	    !read_path(&path, line) || !path.len)
		return "a word is none";
	if (op.kind == JOURNAL_SWAP ? !op.new_ino && !op.old.ino : !op.old.ino)
		return "the line does nothing";
	wrong = check_path(journal, buf_str(&path));
	if (wrong)
		return wrong;
	op.new_mode = (mode_t)new_mode;
	op.old.mode = (mode_t)old_mode;
	op.old.mtime.tv_sec = (time_t)seconds;
	op.old.mtime.tv_nsec = (long)nanoseconds;
	op.path = alloc_copy(path.data, path.len);
	if (!journal_add(journal, &op))
		return NULL;
	free(op.path);
	return "there are too many lines";
}

static bool read_header(struct journal *journal, struct span line)
{
	uint64_t seconds, nanoseconds;
	const struct slot slots[] = { { &seconds, UINT64_MAX },
				      { &nanoseconds, NANOSECONDS } };

	if (!span_starts(line, HEADER " "))
		return false;
	line = span_from(line, strlen(HEADER " "));
	if (!read_numbers(&line, slots, 2) || line.len)
		return false;
	journal->since.tv_sec = (time_t)seconds;
	journal->since.tv_nsec = (long)nanoseconds;
	return true;
}

static bool is_end(struct span line, size_t count)
{
	uint64_t said;

	return span_starts(line, "end ") &&
	       !num_read(&said, span_from(line, strlen("end ")),
			 JOURNAL_OPS_MAX) &&
	       said == count;
}

static const char *read_line(struct journal *journal, struct span line,
			     uint64_t number, bool *ended)
{
	if (*ended)
		return "there is more behind the end";
	if (number == 1)
		return read_header(journal, line) ? NULL : "this is no journal";
	if (span_starts(line, "end ")) {
		*ended = true;
		return is_end(line, journal->count) ? NULL
						    : "lines are missing";
	}
	return read_op(journal, line);
}

int journal_read(struct journal *journal, int fd, struct why *why)
{
	autolines struct lines lines = { .fd = fd };
	const char *wrong = NULL;
	bool ended = false;
	struct span line;
	int r;

	while ((r = lines_next(&lines, &line, why)) > 0) {
		wrong = read_line(journal, line, lines.number, &ended);
		if (wrong)
			return why_set(why, EBADMSG, "line %llu: %s",
				       (unsigned long long)lines.number, wrong);
	}
	if (r < 0)
		return r;
	return ended ? 0 : why_set(why, EBADMSG, "its end is missing");
}

void journal_drop(struct journal *journal)
{
	size_t i;

	for (i = 0; i < journal->count; i++)
		free(journal->ops[i].path);
	free(journal->ops);
	*journal = (struct journal){ 0 };
}
