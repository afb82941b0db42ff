/* SPDX-License-Identifier: ISC */
#include "workspace/repo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/quote.h"

void repo_setting(struct buf *config, const char *name, struct span value)
{
	const char *dot = strchr(name, '.');

	bug_if(!dot);
	buf_addf(config, "[%.*s]\n\t%s = ", (int)(dot - name), name, dot + 1);
	quote_config(config, value);
	buf_addc(config, '\n');
}

int repo_write(const char *dir, const char *name, struct span bytes,
	       struct why *why)
{
	autofree char *path = alloc_text("%s/%s", dir, name);
	autoclose int fd = open(
		path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		0666);
	int r = fd < 0 ? -errno : file_write(fd, bytes);

	return r < 0 ? why_sys(why, -r, "cannot write '%s'", path) : 0;
}

static int make_dirs(const char *git_dir, struct why *why)
{
	static const char *const dirs[] = { "objects/info", "objects/pack",
					    "refs/heads", "refs/tags", "info" };
	size_t i;
	int r = 0;

	for (i = 0; !r && i < sizeof(dirs) / sizeof(*dirs); i++) {
		autofree char *path = alloc_text("%s/%s", git_dir, dirs[i]);

		r = file_mkdirs(path, 0777, why);
	}
	return r;
}

static void write_config(struct buf *config, const struct repo *repo)
{
	repo_setting(config, "core.repositoryformatversion",
		     span_of(repo->sha256 || repo->partial ? "1" : "0"));
	if (repo->partial)
		repo_setting(config, "extensions.partialclone",
			     span_of(repo->partial));
	if (repo->sha256)
		repo_setting(config, "extensions.objectformat",
			     span_of("sha256"));
	repo_setting(config, "core.bare", span_of("false"));
	repo_setting(config, "core.logallrefupdates", span_of("true"));
	buf_add(config, repo->config);
}

int repo_make(const char *git_dir, const struct repo *repo, struct why *why)
{
	autobuf struct buf config = { 0 };
	autobuf struct buf head = { 0 };
	const struct {
		const char *name;
		struct span bytes;
	} files[] = {
		{ "config", (write_config(&config, repo), buf_span(&config)) },
		{ "packed-refs", repo->refs },
		{ "info/exclude", repo->excludes },
		{ "info/attributes", repo->attributes },
		{ "shallow", repo->shallow },
		{ "info/sparse-checkout", repo->sparse },
		{ "HEAD", (buf_add(&head, repo->head), buf_addc(&head, '\n'),
			   buf_span(&head)) },
	};
	size_t i;
	int r = make_dirs(git_dir, why);

	if (config.full)
		return why_set(why, EFBIG,
			       "the project's settings are too "
			       "long");
	for (i = 0; !r && i < sizeof(files) / sizeof(*files); i++)
		if (files[i].bytes.len)
			r = repo_write(git_dir, files[i].name, files[i].bytes,
				       why);
	return r;
}

int repo_borrow(const char *git_dir, const struct names *stores,
		struct why *why)
{
	autobuf struct buf list = { 0 };
	size_t i;

	for (i = 0; i < stores->count; i++) {
		quote_c(&list, span_of(stores->items[i]));
		buf_addc(&list, '\n');
	}
	return repo_write(git_dir, "objects/info/alternates", buf_span(&list),
			  why);
}
