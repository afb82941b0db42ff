/* SPDX-License-Identifier: ISC */
#include "workspace/changeset.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/progress.h"
#include "base/rough.h"
#include "base/why.h"
#include "cow/deferred.h"
#include "cow/node.h"
#include "record/json.h"
#include "workspace/elsewhere.h"
#include "workspace/gitdir.h"
#include "workspace/quote.h"
#include "workspace/shown.h"

#define CHUNK ((size_t)1 << 20)

/* ---- the digest --------------------------------------------------------- */

static void add_bytes(char tree[SHA256_HEX + 1], struct span bytes)
{
	char next[SHA256_HEX + 1];

	sha256_hex_two(next, (struct span){ tree, SHA256_HEX }, bytes);
	memcpy(tree, next, sizeof(next));
}

static int add_content(char tree[SHA256_HEX + 1], int dir_fd, const char *name)
{
	autonode struct node node = NODE_CLOSED;
	autofree char *chunk = alloc_zero(CHUNK, 1);
	ssize_t got;
	int r = node_open(&node, dir_fd, name, true);

	if (r < 0)
		return r;
	while ((got = read(node.fd, chunk, CHUNK)) > 0)
		add_bytes(tree, (struct span){ chunk, (size_t)got });
	return got < 0 ? -errno : 0;
}

static int add_link(char tree[SHA256_HEX + 1], int dir_fd, const char *name)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(dir_fd, name, text, sizeof(text));

	if (len < 0)
		return -errno;
	add_bytes(tree, (struct span){ text, (size_t)len });
	return 0;
}

/* The path has its NUL with it, so that no two lines come to the same bytes. */
static int add_to_tree(char tree[SHA256_HEX + 1], const struct list_line *line)
{
	autobuf struct buf head = { 0 };
	struct stat st;
	int r;

	buf_addc(&head, line->letter);
	buf_add(&head, (struct span){ line->path, strlen(line->path) + 1 });
	if (line->fd < 0) {
		add_bytes(tree, buf_span(&head));
		return 0;
	}
	r = node_stat(line->fd, line->name, &st);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	buf_addf(&head, "%o", st.st_mode & (S_IFMT | NODE_MODE));
	if (!S_ISDIR(st.st_mode))
		buf_addf(&head, " %lld %lld.%09ld", (long long)st.st_size,
			 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	add_bytes(tree, buf_span(&head));
	if (S_ISLNK(st.st_mode))
		return add_link(tree, line->fd, line->name);
	return S_ISREG(st.st_mode) ? add_content(tree, line->fd, line->name)
				   : 0;
}

/* ---- finding ------------------------------------------------------------ */

static int take_line(void *context, const struct list_line *line)
{
	struct changeset *changeset = context;
	struct changeset_file *file;
	int r;

	changeset->files = alloc_array(changeset->files, changeset->count,
				       sizeof(*changeset->files));
	file = &changeset->files[changeset->count++];
	*file = (struct changeset_file){
		.status = line->letter,
		.path = alloc_copy(line->path, strlen(line->path)),
	};
	changeset->added += line->letter == 'A';
	changeset->changed += line->letter == 'M';
	changeset->removed += line->letter == 'D';
	r = changeset_look(file, line);
	return r < 0 ? r : add_to_tree(changeset->tree, line);
}

static void take_stale(void *context, const char *path)
{
	names_add(&((struct changeset *)context)->stale, span_of(path));
}

static void take_left(void *context, const char *path, const char *what)
{
	struct changeset *changeset = context;
	const bool beyond = node_is_beyond(what);
	const size_t len = strlen(path);
	const bool cut = beyond && len > CHANGESET_BEYOND_MAX;
	autofree char *line = alloc_text("%.*s%s: a %s",
					 cut ? CHANGESET_BEYOND_MAX : (int)len,
					 path, cut ? "..." : "", what);

	names_add(&changeset->left, span_of(line));
	if (beyond && !changeset->beyond.len)
		buf_adds(&changeset->beyond, line);
}

static void add_quoted(struct buf *text, const char *path)
{
	buf_addc(text, '\'');
	quote_line(text, span_of(path));
	buf_addc(text, '\'');
}

static void say_stale(struct buf *obstacle, const struct names *stale)
{
	size_t i;

	buf_adds(obstacle, "changed underneath since the session began: ");
	for (i = 0; i < stale->count && i < CHANGESET_NAMED_MAX; i++) {
		buf_adds(obstacle, i ? ", " : "");
		add_quoted(obstacle, stale->items[i]);
	}
	if (i < stale->count)
		buf_addf(obstacle, " and %zu more", stale->count - i);
}

/* What stays in the way. */
static void find_final(struct changeset *changeset, const struct cow *cow,
		       int upper_fd)
{
	const struct gitdir_tree tree = { .has = gitdir_in_layers,
					  .upper_fd = upper_fd,
					  .lower_fd = cow->dir_fd };
	struct buf *obstacle = &changeset->obstacle;
	size_t i;

	for (i = 0; i < changeset->count && !obstacle->len; i++)
		if (gitdir_has(&tree, changeset->files[i].path)) {
			add_quoted(obstacle, changeset->files[i].path);
			buf_adds(obstacle, " is of a git repository, and what "
					   "is in one can run programs");
		}
	if (!obstacle->len && changeset->beyond.len) {
		buf_adds(obstacle, "all lands or nothing does, and this "
				   "cannot: ");
		quote_line(obstacle, buf_span(&changeset->beyond));
	}
	if (!obstacle->len && changeset->stale.count && !cow->since.tv_sec)
		buf_adds(obstacle, "the clock was set back, and what was "
				   "changed underneath cannot be told");
	else if (!obstacle->len && changeset->stale.count)
		say_stale(obstacle, &changeset->stale);
	changeset->final = obstacle->len > 0;
}

static void find_obstacle(struct changeset *changeset,
			  const struct overlay *overlay, const struct cow *cow,
			  int upper_fd)
{
	struct buf *obstacle = &changeset->obstacle;

	if (!changeset->count && !changeset->beyond.len)
		return;
	find_final(changeset, cow, upper_fd);
	if (!obstacle->len &&
	    faccessat(cow->dir_fd, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		buf_adds(obstacle, "nothing can be written to ");
		add_quoted(obstacle, buf_str(&overlay->project));
	}
}

int changeset_find(struct changeset *changeset, const struct overlay *overlay,
		   const struct cow *cow, struct why *why)
{
	const struct deferred_tell tell = { .line = take_line,
					    .changed = take_stale,
					    .left_out = take_left,
					    .context = changeset };
	autoclose int upper_fd = overlay_upper(overlay, why);
	autoprogress struct progress progress = { 0 };
	int r;

	progress_begin(&progress, "looking at what changed");
	sha256_hex(changeset->tree, (struct span){ 0 });
	if (upper_fd == -ENOENT)
		return 0;
	r = upper_fd < 0 ? upper_fd : deferred_list(cow, upper_fd, &tell, why);
	if (r < 0)
		return r;
	changeset_protect(changeset, cow, upper_fd);
	find_obstacle(changeset, overlay, cow, upper_fd);
	return 0;
}

/* ---- printing ----------------------------------------------------------- */

static void add_count(struct buf *text, size_t count)
{
	buf_addf(text, "%zu file%s", count, rough_plural(count));
}

void changeset_line(struct buf *text, const struct changeset_file *file)
{
	buf_addf(text, "%c ", file->status);
	if (file->widens)
		buf_addf(text, "(mode %04o to %04o) ", file->before,
			 file->after);
	quote_line(text, span_of(file->path));
}

/* As many as a person is shown. */
static void add_files(struct buf *detail, const struct changeset *changeset)
{
	autobuf struct buf line = { 0 };
	size_t rows = SHOWN_ROWS_MAX;
	size_t i, used;

	for (i = 0; i < changeset->count; i++) {
		buf_reset(&line);
		buf_adds(&line, "  ");
		changeset_line(&line, &changeset->files[i]);
		buf_addc(&line, '\n');
		used = shown_rows(buf_span(&line));
		if (i && used > rows)
			break;
		rows -= used < rows ? used : rows;
		buf_add(detail, buf_span(&line));
	}
	if (i < changeset->count)
		buf_addf(detail, "  and %zu more\n", changeset->count - i);
}

static void add_left(struct buf *detail, const struct names *left)
{
	size_t i;

	for (i = 0; i < left->count && i < CHANGESET_NAMED_MAX; i++) {
		buf_adds(detail, "left out: ");
		quote_line(detail, span_of(left->items[i]));
		buf_addc(detail, '\n');
	}
	if (i < left->count)
		buf_addf(detail, "left out: %zu more\n", left->count - i);
}

/* Names, which a session chose, come last. */
static void print_detail(struct buf *detail, const struct changeset *changeset,
			 const struct overlay *overlay)
{
	buf_adds(detail, "all of it, in another terminal:\n  ");
	elsewhere_diff(detail, overlay->dir, ELSEWHERE_PLAIN);
	buf_addc(detail, '\n');
	buf_adds(detail, "all of the files change, or none\n");
	if (changeset->changed + changeset->removed)
		buf_adds(detail, "what those hold now that change or go is "
				 "not kept: the way back is a copy that you "
				 "make before a yes\n");
	add_left(detail, &changeset->left);
	add_count(detail, changeset->count);
	buf_addf(detail, ", %zu added, %zu changed, %zu removed:\n",
		 changeset->added, changeset->changed, changeset->removed);
	add_files(detail, changeset);
}

static void print_names(struct buf *record, const char *name,
			const struct names *names)
{
	const size_t end = record->len + CHANGESET_SHOWN_MAX;
	size_t i;

	json_open_array(record, name);
	for (i = 0; i < names->count && record->len < end; i++)
		json_item(record, span_of(names->items[i]));
	json_close_array(record);
}

static void print_files(struct buf *record, const struct changeset *changeset)
{
	const size_t end = record->len + CHANGESET_SHOWN_MAX;
	size_t i;

	json_open_array(record, "files");
	for (i = 0; i < changeset->count && record->len < end; i++) {
		const struct changeset_file *file = &changeset->files[i];

		json_item_object(record);
		json_str(record, "path", span_of(file->path));
		json_str(record, "status", (struct span){ &file->status, 1 });
		json_close_object(record);
	}
	json_close_array(record);
	json_num(record, "file_count", (int64_t)changeset->count);
	json_num(record, "added", (int64_t)changeset->added);
	json_num(record, "changed", (int64_t)changeset->changed);
	json_num(record, "removed", (int64_t)changeset->removed);
}

static void print_effect(struct buf *record, const struct changeset *changeset,
			 const struct overlay *overlay)
{
	json_open_object(record, "effect");
	json_str(record, "session", buf_span(&overlay->id));
	json_str(record, "tree", span_of(changeset->tree));
	if (changeset->count)
		json_str(record, "landing",
			 span_of(changeset->obstacle.len ? "parked" : "files"));
	if (changeset->obstacle.len)
		json_str(record, "obstacle", buf_span(&changeset->obstacle));
	if (changeset->final)
		json_bool(record, "final", true);
	print_files(record, changeset);
	print_names(record, "stale", &changeset->stale);
	json_num(record, "stale_count", (int64_t)changeset->stale.count);
	print_names(record, "left", &changeset->left);
	json_num(record, "left_count", (int64_t)changeset->left.count);
	json_close_object(record);
}

void changeset_print(struct buf *record, const struct changeset *changeset,
		     const struct overlay *overlay)
{
	autobuf struct buf summary = { 0 };
	autobuf struct buf detail = { 0 };

	json_open(record);
	if (changeset->count && !changeset->obstacle.len) {
		json_str(record, "action", span_of("workspace.apply"));
		json_str(record, "source", span_of("workspace"));
		buf_adds(&summary, "apply ");
		add_count(&summary, changeset->count);
		buf_adds(&summary, " to ");
		quote_line(&summary, buf_span(&overlay->project));
		json_str(record, "summary", buf_span(&summary));
		print_detail(&detail, changeset, overlay);
		json_str(record, "detail", buf_span(&detail));
	}
	print_effect(record, changeset, overlay);
	json_close(record);
}

void changeset_drop(struct changeset *changeset)
{
	size_t i;

	for (i = 0; i < changeset->count; i++) {
		free(changeset->files[i].path);
		free(changeset->files[i].link);
	}
	free(changeset->files);
	names_drop(&changeset->stale);
	names_drop(&changeset->left);
	buf_drop(&changeset->beyond);
	buf_drop(&changeset->obstacle);
	*changeset = (struct changeset){ 0 };
}
