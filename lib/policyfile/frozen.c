/* SPDX-License-Identifier: ISC */
/* Policies as they were read, handed from one program to the next. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/why.h"
#include "policyfile/opener.h"
#include "policyfile/parcel.h"

#define HEADER "chock-policies 1\n"

void policyfiles_freeze(struct buf *text, const struct policyfiles *files)
{
	size_t i;

	buf_addf(text, HEADER "trust %d\n", (int)files->trust);
	for (i = 0; i < files->count; i++) {
		const struct policyfile *file = &files->files[i];

		buf_addf(text, "file %d %zu %zu\n%s\n", (int)file->layer,
			 strlen(file->name), file->bytes.len, file->name);
		buf_add(text, buf_span(&file->bytes));
		buf_addc(text, '\n');
	}
	for (i = 0; i < files->root_count; i++)
		buf_addf(text, "root %zu\n", files->roots[i]);
	buf_adds(text, "end\n");
}

static void take_file(struct policyfiles *files, struct parcel *parcel)
{
	struct opener opener = { .files = files };
	size_t name_len, len;
	struct span bytes;
	char *name;

	parcel_word(parcel, "file ");
	opener.layer =
		(enum policy_layer)parcel_size(parcel, ' ', POLICY_LAYERS - 1);
	name_len = parcel_size(parcel, ' ', PATH_MAX);
	len = parcel_size(parcel, '\n', POLICY_BYTES_MAX);
	name = parcel_text(parcel, name_len);
	bytes = parcel_take(parcel, len);
	parcel_word(parcel, "\n");
	if (!parcel->wrong)
		opener_keep(&opener, name, bytes);
	free(name);
}

/* Judges the file that the next line names; the others it includes. */
static int take_root(struct policyfiles *files, struct policy *policy,
		     struct parcel *parcel, struct why *why)
{
	struct opener opener = { .files = files, .read = opener_kept };
	size_t root;

	parcel_word(parcel, "root ");
	root = parcel_size(parcel, '\n', POLICYFILES_FROZEN_MAX);
	if (parcel->wrong || root >= files->count) {
		parcel->wrong = true;
		return 0;
	}
	opener.layer = files->files[root].layer;
	return opener_add(&opener, policy, files->files[root].name, why);
}

int policyfiles_thaw(struct policyfiles *files, struct policy *policy, int fd,
		     struct why *why)
{
	autobuf struct buf text = { 0 };
	struct parcel parcel = { .wrong = false };
	int r = file_read(&text, fd, POLICYFILES_FROZEN_MAX, why);

	if (r < 0)
		return why_within(why, "cannot read the policies");
	parcel.rest = buf_span(&text);
	parcel_word(&parcel, HEADER "trust ");
	files->trust =
		(enum project_trust)parcel_size(&parcel, '\n', PROJECT_TRUSTED);
	while (!parcel.wrong && span_starts(parcel.rest, "file "))
		take_file(files, &parcel);
	while (!r && !parcel.wrong && span_starts(parcel.rest, "root "))
		r = take_root(files, policy, &parcel, why);
	if (r < 0)
		return r;
	parcel_word(&parcel, "end\n");
	if (parcel.wrong || parcel.rest.len)
		return why_set(why, EBADMSG,
			       "what --frozen-fd names is not what --freeze "
			       "prints");
	return 0;
}
