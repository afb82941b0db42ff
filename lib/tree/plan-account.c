/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "spec/sandbox.h"
#include "tree/account.h"
#include "tree/plan.h"
#include "tree/spot.h"

typedef bool make_rows(struct buf *bytes, const char *path,
		       const struct account *account);

static const struct file {
	const char *path;
	make_rows *make;
} files[] = {
	{ "/etc/passwd", account_passwd },
	{ "/etc/group", account_group },
};

/* The item that shows the host's own @path there, itself or above it. */
static struct plan_item *shown_by(const struct plan *plan, const char *path)
{
	struct plan_item *found = NULL;
	struct plan_item *item = plan->items;
	struct plan_item *end = item + plan->item_count;

	for (; item < end; item++)
		if (path_below(path, item->target) &&
		    (!found || strlen(item->target) > strlen(found->target)))
			found = item;
	if (!found || found->kind == GRANT_TMPFS ||
	    strcmp(found->target, buf_str(&found->source.path)) != 0)
		return NULL;
	return found;
}

/* A copy of its own of what @above shows at @path, to be put on top of it. */
static struct plan_item *add_below(struct plan *plan,
				   const struct plan_item *above,
				   const char *path)
{
	struct plan_item item = { .source = SPOT_NOWHERE,
				  .kind = GRANT_READ,
				  .noexec = true,
				  .by = above->by };
	struct why why = { 0 };

	if (spot_again(&item.source, path, &why) < 0) {
		spot_close(&item.source);
		return NULL;
	}
	item.target = alloc_copy(path, strlen(path));
	plan->items = alloc_array(plan->items, plan->item_count, sizeof(item));
	plan->items[plan->item_count] = item;
	return &plan->items[plan->item_count++];
}

/* Who may write the file shall see what is written. */
static void add_file(struct plan *plan, const struct file *file,
		     const struct account *account)
{
	struct plan_item *item = shown_by(plan, file->path);
	autobuf struct buf text = { 0 };

	if (!item || item->kind == GRANT_WRITE ||
	    !file->make(&text, file->path, account))
		return;
	if (strcmp(item->target, file->path) != 0)
		item = add_below(plan, item, file->path);
	if (item)
		item->text = alloc_copy(text.data, text.len);
}

void plan_accounts(struct plan *plan)
{
	const struct account account = { .uid = geteuid(),
					 .gid = getegid(),
					 .name = getenv("USER"),
					 .home = SANDBOX_HOME };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		add_file(plan, &files[i], &account);
}
