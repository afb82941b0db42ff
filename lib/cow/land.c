/* SPDX-License-Identifier: ISC */
#include "cow/land.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "cow/node.h"
#include "cow/site.h"
#include "cow/stage.h"

static int stale(const struct site *site, struct why *why)
{
	return why_set(why, ESTALE, "'%s' was changed from outside",
		       site->op->path);
}

/* Before the first move: is everything as the journal has it? */
static int check(const struct land *land, struct site *site, struct why *why)
{
	const struct journal_op *op = site->op;

	if (site_is_begun(site))
		return 0;
	if (op->new_ino && site->new_at != op->new_ino)
		return why_set(why, EBADMSG,
			       "what was staged of '%s' is not there",
			       op->path);
	if (land->force)
		return 0;
	if (op->new_ino && !site->at != !op->old.ino)
		return stale(site, why);
	if (op->changed || (site->at && !site_is_old(&op->old, &site->st)))
		return stale(site, why);
	if (site->at && node_changed(site->parent_fd, site->name,
				     &land->journal->since) != 0)
		return stale(site, why);
	return 0;
}

/* What was moved away must be what was there, down to the last file of it. */
static int check_moved(const struct land *land, const struct site *site,
		       struct why *why)
{
	autoentries struct entries entries = { 0 };
	struct stat st;
	size_t i;
	int r = node_stat(land->stage_fd, site->old_name, &st);

	if (r <= 0)
		return why_sys(why, r ? -r : ENOENT, "cannot look at '%s'",
			       site->op->path);
	if (land->force)
		return 0;
	if (!site_is_old(&site->op->old, &st))
		return stale(site, why);
	if (!S_ISDIR(st.st_mode))
		return 0;
	autonode struct node node = NODE_CLOSED;

	r = node_open(&node, land->stage_fd, site->old_name, false);
	if (!r)
		r = entries_read(&entries, node.fd);
	for (i = 0; i < entries.count && !r; i++)
		r = node_changed(node.fd, entries.names[i],
				 &land->journal->since);
	if (r < 0)
		return why_sys(why, -r, "cannot look into '%s'",
			       site->op->path);
	return r ? stale(site, why) : 0;
}

/* Takes away what is in the way; with an exchange, the new is then there. */
static int take_away(const struct land *land, const struct site *site)
{
	int r = site_set_movable(site->parent_fd, site->name, &site->st);

	if (!r && site->new_at) {
		r = site_move(land->stage_fd, site->new_name, site->parent_fd,
			      site->name, RENAME_EXCHANGE);
		if (!r)
			return site_move(land->stage_fd, site->new_name,
					 land->stage_fd, site->old_name, 0);
		r = r == -EINVAL ? 0 : r;
	}
	return r ? r
		 : site_move(site->parent_fd, site->name, land->stage_fd,
			     site->old_name, 0);
}

/* An exchange of which only the first half was done. */
static int finish_exchange(const struct land *land, const struct site *site)
{
	if (!site->new_at || site->new_at == site->op->new_ino || site->old_at)
		return 0;
	return site_move(land->stage_fd, site->new_name, land->stage_fd,
			 site->old_name, 0);
}

static int land_one(const struct land *land, struct site *site, struct why *why)
{
	const struct journal_op *op = site->op;
	int r = finish_exchange(land, site);

	if (!r && !site_is_begun(site) && site->at)
		r = take_away(land, site);
	if (!r)
		r = site_look(site, land);
	if (!r && site->old_at && check_moved(land, site, why) < 0)
		return -why->errnum;
	if (!r && op->new_ino && site->at != op->new_ino) {
		r = site_move_onto_nothing(land->stage_fd, site->new_name,
					   site->parent_fd, site->name,
					   S_ISDIR(op->new_mode));
		if (r == -EEXIST || r == -ENOTEMPTY || r == -ENOTDIR)
			return stale(site, why);
	}
	return r < 0 ? why_sys(why, -r, "cannot put '%s' in place", op->path)
		     : 0;
}

/*
 * A rename changes the ctime of what it moves, so that another try can no
 * longer tell by that.  It goes by what is known now.
 */
static void note_change(const struct land *land, const struct site *site,
			bool moved)
{
	struct journal_op *op = site->op;
	bool other = op->new_ino && !site->at != !op->old.ino;

	if (site->at && !other)
		other = !site_is_old(&op->old, &site->st);
	if (site->at && !other && !moved)
		other = node_changed(site->parent_fd, site->name,
				     &land->journal->since) != 0;
	op->changed = op->changed || other;
}

static int undo_one(const struct land *land, size_t index, struct why *why)
{
	autosite struct site site = SITE_CLOSED;
	int r = site_open(&site, land, index, why);
	struct journal_op *op = site.op;
	bool moved;

	/* Nothing is in place of it, and nothing was taken away. */
	if (r == -ESTALE && site.new_at == op->new_ino && !site.old_at) {
		op->changed = true;
		return 0;
	}
	if (r < 0)
		return r;
	r = finish_exchange(land, &site);
	if (!r)
		r = site_look(&site, land);
	if (!r && op->new_ino && site.at == op->new_ino)
		r = site_set_movable(site.parent_fd, site.name, &site.st);
	if (!r && op->new_ino && site.at == op->new_ino)
		r = site_move(site.parent_fd, site.name, land->stage_fd,
			      site.new_name, 0);
	if (!r)
		r = site_look(&site, land);
	moved = !r && site.old_at;
	if (moved)
		r = site_move_onto_nothing(land->stage_fd, site.old_name,
					   site.parent_fd, site.name,
					   S_ISDIR(op->old.mode));
	if (!r)
		r = site_look(&site, land);
	if (!r && site.at && site.at == op->old.ino && S_ISDIR(op->old.mode))
		r = site_set_mode(site.parent_fd, site.name, op->old.mode);
	if (!r)
		note_change(land, &site, moved);
	return r < 0 ? why_sys(why, -r, "cannot put '%s' back", op->path) : 0;
}

static int set_mode(const struct land *land, const struct journal_op *op,
		    mode_t mode, struct why *why)
{
	const char *name;
	autoclose int fd = node_parent(land->dir_fd, op->path, &name);
	int r = fd < 0 ? fd : site_set_mode(fd, name, mode);

	return r < 0 ? why_sys(why, -r, "cannot change the mode of '%s'",
			       op->path)
		     : 0;
}

/* Directories that stay are opened up before... */
static int open_up(const struct land *land, struct why *why)
{
	const struct journal_op *op = land->journal->ops;
	const struct journal_op *end = op + land->journal->count;
	int r = 0;

	for (; op < end && !r; op++)
		if (op->kind == JOURNAL_MODE)
			r = set_mode(land, op, op->new_mode | S_IRWXU, why);
	return r;
}

/*
 * ...and have their mode behind, as have new ones that were moved without.
 * What is in another one comes first, for that may let nobody in.
 */
static int set_modes(const struct land *land, struct why *why)
{
	const struct journal_op *op;
	size_t i = land->journal->count;
	int r = 0;

	while (i-- && !r) {
		op = &land->journal->ops[i];
		if (op->kind == JOURNAL_MODE ||
		    (op->new_ino && S_ISDIR(op->new_mode) &&
		     (op->new_mode & S_IRWXU) != S_IRWXU))
			r = set_mode(land, op, op->new_mode, why);
	}
	return r;
}

/* What is gone has taken its mode with it. */
static int put_modes_back(const struct land *land, struct why *why)
{
	const struct journal_op *op;
	size_t i = land->journal->count;
	const char *name;
	int r = 0;

	while (i-- && !r) {
		op = &land->journal->ops[i];
		autoclose int fd =
			op->kind == JOURNAL_MODE
				? node_parent(land->dir_fd, op->path, &name)
				: -ENOENT;

		if (fd >= 0)
			r = site_set_mode(fd, name, op->old.mode);
	}
	return r < 0 ? why_sys(why, -r, "cannot change the mode of '%s'",
			       op->path)
		     : 0;
}

/* @act on each place where something is swapped, until it fails once. */
static int each_swap(const struct land *land,
		     int (*act)(const struct land *land, struct site *site,
				struct why *why),
		     struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; i < land->journal->count && !r; i++) {
		autosite struct site site = SITE_CLOSED;

		if (land->journal->ops[i].kind != JOURNAL_SWAP)
			continue;
		r = site_open(&site, land, i, why);
		if (!r)
			r = act(land, &site, why);
	}
	return r;
}

int land_undo(const struct land *land, struct why *why)
{
	size_t i = land->journal->count;
	const struct why first = *why;
	struct why failed = { 0 };
	int r = 0;

	while (i--) {
		if (land->journal->ops[i].kind == JOURNAL_SWAP &&
		    undo_one(land, i, &failed) < 0)
			r = -failed.errnum;
	}
	if (!r)
		r = put_modes_back(land, &failed);
	if (!r)
		r = stage_again(land->journal, land->stage_fd, &failed);
	if (r < 0)
		return why_set(why, ENOTRECOVERABLE, "%.*s; and then: %.*s",
			       WHY_PART_MAX, first.text, WHY_PART_MAX,
			       failed.text);
	return 0;
}

/* Nobody's mode of a directory is written over. */
static int check_modes(const struct land *land, struct why *why)
{
	const struct journal_op *op = land->journal->ops;
	const struct journal_op *end = op + land->journal->count;

	for (; op < end && !land->force; op++)
		if (op->kind == JOURNAL_MODE && op->changed)
			return why_set(why, ESTALE,
				       "'%s' was changed from outside",
				       op->path);
	return 0;
}

int land_all(const struct land *land, struct why *why)
{
	int r = check_modes(land, why);

	if (!r)
		r = open_up(land, why);

	if (!r)
		r = each_swap(land, check, why);
	if (!r)
		r = each_swap(land, land_one, why);
	if (!r)
		r = set_modes(land, why);
	if (r < 0 && land_undo(land, why) < 0)
		return -why->errnum;
	return r;
}
