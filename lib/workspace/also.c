/* SPDX-License-Identifier: ISC */
#include "workspace/also.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "record/json.h"
#include "workspace/breadth.h"
#include "workspace/effect.h"
#include "workspace/git.h"
#include "workspace/hidden.h"
#include "workspace/quote.h"
#include "workspace/shown.h"

#define LIST "also"
#define REFS "refs/"

/* What a question has of each. */
#define ALSO_SHORT 10       /* digits of the object */
#define ALSO_SUBJECT_MAX 60 /* bytes of the commit's first line */

/* ---- which --------------------------------------------------------------- */

/* Branches and tags, of "ID NAME". */
static void take_moved(struct also *also, const struct names *moved)
{
	size_t i;

	for (i = 0; i < moved->count; i++) {
		struct span rest = span_of(moved->items[i]);
		const struct span id = span_cut(&rest, ' ');

		if (!git_is_id(id) || (!span_starts(rest, REFS "heads/") &&
				       !span_starts(rest, REFS "tags/")))
			continue;
		names_add(&also->ids, id);
		names_add(&also->refs, span_from(rest, strlen(REFS)));
	}
}

/* What git would not make a reference of later is not asked about. */
static int check_names(const struct also *also, struct git *git,
		       struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < also->refs.count; i++) {
		autofree char *name =
			alloc_text(ALSO_PARKED "%s", also->refs.items[i]);
		const char *const args[] = { "check-ref-format", name, NULL };

		r = git_run(git, args, why);
	}
	return r > 0 ? why_set(why, EBADMSG, "the name of one is none") : r;
}

/* Where the project's own references were, a "^ID" each, and the work's tip:
 * all that these lead to is in the project, or comes by another pack. */
static int add_known(struct buf *revs, const struct space *space,
		     const struct look *look, struct why *why)
{
	autofree char *path = alloc_text("%s/refs", space->dir);
	autobuf struct buf was = { 0 };
	struct span rest;
	int r = file_read_path(&was, AT_FDCWD, path, BUF_MAX, why);

	if (space->head.len)
		buf_addf(revs, "^%s\n", buf_str(&space->head));
	if (look->tip.len)
		buf_addf(revs, "^%s\n", buf_str(&look->tip));
	for (rest = buf_span(&was); rest.len;) {
		struct span line = span_cut(&rest, '\n');

		buf_addc(revs, '^');
		buf_add(revs, span_cut(&line, ' '));
		buf_addc(revs, '\n');
	}
	return r;
}

/* ---- bringing them out --------------------------------------------------- */

static int put(void *context, struct span bytes)
{
	const int *fd = context;

	return file_write(*fd, bytes);
}

static int pack_inside(const struct inside *inside, const struct buf *revs,
		       int pack_fd, uint64_t pack_max, struct why *why)
{
	static const char *const args[] = { "pack-objects", "--revs",
					    "--stdout",     "-q",
					    "--no-thin",    NULL };
	const struct sink sink = { .put = put,
				   .context = &pack_fd,
				   .max = pack_max };
	int r = inside_git(inside, args, buf_span(revs), &sink, why);

	if (r == -EFBIG)
		return why_set(why, EFBIG,
			       "they are more than %llu bytes (--pack-max)",
			       (unsigned long long)pack_max);
	return r > 0 ? why_set(why, EBADMSG, "git cannot pack them") : r;
}

static int bring_out(const struct inside *inside, const struct buf *revs,
		     uint64_t pack_max, struct why *why)
{
	autofree char *path = alloc_text("%s/" ALSO_PACK, inside->space->dir);
	const char *const args[] = {
		"-c",         "core.fsync=none",
		"index-pack", git_strict(inside->project->settings.partial),
		"--stdin",    NULL
	};
	struct git git = space_git(inside->space);
	autoclose int pack_fd = -1;
	int r;

	if (unlink(path) < 0 && errno != ENOENT)
		return why_sys(why, errno, "cannot remove '%s'", path);
	pack_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (pack_fd < 0)
		return why_sys(why, errno, "cannot make '%s'", path);
	r = pack_inside(inside, revs, pack_fd, pack_max, why);
	if (r < 0)
		return r;
	if (lseek(pack_fd, 0, SEEK_SET) < 0)
		return why_sys(why, errno, "cannot read '%s'", path);
	git.in_fd = pack_fd;
	return git_settle(&git, git_run(&git, args, why), "take their pack",
			  why);
}

/* ---- what came out ------------------------------------------------------- */

/* The first line behind the empty one. */
static struct span subject(struct span commit)
{
	while (commit.len && span_cut(&commit, '\n').len)
		;
	return span_cut(&commit, '\n');
}

/* Parked is not enough: a reference is all that it takes to read a file. */
static int check_hidden(const struct space *space, const struct buf *commit,
			struct why *why)
{
	const struct effect effect = { .from = space->head, .to = *commit };
	autobuf struct buf reason = { 0 };
	int r = hidden_obstacle(&reason, space, &effect, why);

	return !r && reason.len ? why_set(why, EBADMSG, "%s", buf_str(&reason))
				: r;
}

/* Whether git can read all that one leads to, and a person what is in it. */
static int check_one(struct git *git, const struct space *space,
		     const struct buf *commit, struct why *why)
{
	autofree char *not_from = alloc_text("^%s", buf_str(&space->head));
	const char *const args[] = { "rev-list",
				     "--objects",
				     "--quiet",
				     buf_str(commit),
				     space->head.len ? not_from : NULL,
				     NULL };
	int r = git_run(git, args, why);

	if (r > 0)
		return why_set(why, EBADMSG, "an object of one is missing");
	if (!r)
		r = breadth_check(git, &space->head, commit, why);
	return r < 0 ? r : check_hidden(space, commit, why);
}

static int check_each(struct also *also, struct git *git,
		      const struct space *space, struct span out,
		      struct why *why)
{
	struct git_object object;
	size_t i;
	int r = 0;

	for (i = 0; !r && i < also->ids.count; i++) {
		autobuf struct buf commit = { 0 };

		if (git_next_object(&object, &out) < 0 ||
		    !span_is(object.type, "commit"))
			return why_set(why, EBADMSG,
				       "'" REFS "%s' is no commit",
				       also->refs.items[i]);
		names_add(&also->subjects, subject(object.content));
		also->news |= !span_is(object.id, also->ids.items[i]);
		buf_add(&commit, object.id);
		r = check_one(git, space, &commit, why);
		if (r < 0)
			return why_within(why, REFS "%s", also->refs.items[i]);
	}
	return r;
}

/* A tag that is an object of its own is news, too. */
static int look_through(struct also *also, const struct space *space,
			const struct buf *revs, struct why *why)
{
	static const char *const read[] = { "cat-file", "--batch", NULL };
	static const char *const count[] = { "rev-list", "--count",
					     "--ignore-missing", "--stdin",
					     NULL };
	autobuf struct buf names = { 0 };
	autobuf struct buf out = { 0 };
	autobuf struct buf more = { 0 };
	struct git git = space_git(space);
	size_t i;
	int r;

	for (i = 0; i < also->ids.count; i++)
		buf_addf(&names, "%s^{commit}\n", also->ids.items[i]);
	r = git_settle(&git,
		       git_filter(&git, read, buf_span(&names), &out, why),
		       "read them", why);
	if (!r)
		r = check_each(also, &git, space, buf_span(&out), why);
	if (!r)
		r = git_settle(
			&git,
			git_filter(&git, count, buf_span(revs), &more, why),
			"count their commits", why);
	also->news |= !r && !span_is(buf_span(&more), "0\n");
	return r;
}

/* ---- the list ------------------------------------------------------------ */

void also_list(struct buf *list, const struct also *also)
{
	size_t i;

	for (i = 0; i < also->ids.count; i++)
		buf_addf(list, "%s %s\n", also->ids.items[i],
			 also->refs.items[i]);
}

void also_unlist(struct names *ids, struct names *refs, struct span list)
{
	while (list.len) {
		struct span line = span_cut(&list, '\n');

		names_add(ids, span_cut(&line, ' '));
		names_add(refs, line);
	}
}

static int find(struct also *also, const struct inside *inside,
		const struct look *look, uint64_t pack_max, struct why *why)
{
	autobuf struct buf revs = { 0 };
	autobuf struct buf list = { 0 };
	struct git git = space_git(inside->space);
	size_t i;
	int r;

	if (also->ids.count > ALSO_MAX)
		return why_set(why, E2BIG, "they are more than %d", ALSO_MAX);
	for (i = 0; i < also->ids.count; i++)
		buf_addf(&revs, "%s\n", also->ids.items[i]);
	r = check_names(also, &git, why);
	if (!r)
		r = add_known(&revs, inside->space, look, why);
	if (!r)
		r = bring_out(inside, &revs, pack_max, why);
	if (!r)
		r = look_through(also, inside->space, &revs, why);
	if (r < 0)
		return r;
	also_list(&list, also);
	sha256_hex(also->digest, buf_span(&list));
	return file_put(inside->space->dir, LIST, buf_span(&list), why);
}

void also_find(struct also *also, const struct inside *inside,
	       const struct look *look, uint64_t pack_max)
{
	struct why why = { 0 };

	take_moved(also, &look->moved);
	if (!also->ids.count || find(also, inside, look, pack_max, &why) >= 0)
		return;
	also_drop(also);
	buf_adds(&also->reason, why.text);
}

/* What a session wrote of a commit is cut; a name is what it is. */
static void put_one(struct buf *row, const struct also *also, size_t i)
{
	struct span line = span_of(also->subjects.items[i]);

	line.len = line.len < ALSO_SUBJECT_MAX ? line.len : ALSO_SUBJECT_MAX;
	buf_reset(row);
	buf_adds(row, "  ");
	quote_line(row, span_of(also->refs.items[i]));
	buf_addf(row, " at %.*s: ", ALSO_SHORT, also->ids.items[i]);
	quote_line(row, line);
	buf_addc(row, '\n');
}

void also_show(const struct also *also, const struct space *space,
	       struct buf *detail)
{
	autobuf struct buf row = { 0 };
	size_t rows = 0;
	size_t i;

	if (also->refs.count)
		buf_addf(detail,
			 "kept as " ALSO_PARKED "%s/, and not looked through "
			 "for policy files, files that run later on the host, "
			 "or large ones:\n",
			 buf_str(&space->id));
	for (i = 0; i < also->refs.count; i++) {
		put_one(&row, also, i);
		rows += shown_rows(buf_span(&row));
		if (i && rows > ALSO_ROWS_MAX)
			break;
		buf_add(detail, buf_span(&row));
	}
	if (i < also->refs.count)
		buf_addf(detail, "  and %zu more, which the diff shows\n",
			 also->refs.count - i);
}

void also_print(const struct also *also, struct buf *record)
{
	size_t i;

	json_open_array(record, "also");
	for (i = 0; i < also->refs.count; i++) {
		json_item_object(record);
		json_str(record, "name", span_of(also->refs.items[i]));
		json_str(record, "object", span_of(also->ids.items[i]));
		json_close_object(record);
	}
	json_close_array(record);
	if (also->refs.count)
		json_str(record, "also_id", span_of(also->digest));
	if (also->reason.len)
		json_str(record, "also_not", buf_span(&also->reason));
}

/* ---- after a yes --------------------------------------------------------- */

int also_read(struct also *also, const struct space *space, const char *digest,
	      struct why *why)
{
	autofree char *path = alloc_text("%s/" LIST, space->dir);
	autobuf struct buf list = { 0 };
	int r = file_read_path(&list, AT_FDCWD, path, BUF_MAX, why);

	if (r < 0)
		return r;
	sha256_hex(also->digest, buf_span(&list));
	if (strcmp(also->digest, digest) != 0)
		return why_set(why, EBADMSG,
			       "the other branches and tags are not those that "
			       "were shown");
	also_unlist(&also->ids, &also->refs, buf_span(&list));
	return 0;
}

void also_drop(struct also *also)
{
	names_drop(&also->ids);
	names_drop(&also->refs);
	names_drop(&also->subjects);
	names_drop(&also->kept);
	names_drop(&also->left);
	buf_drop(&also->reason);
	*also = (struct also){ 0 };
}
