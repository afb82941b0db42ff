/* SPDX-License-Identifier: ISC */
/* chock-workspace - the part that all who see to a workspace have in common */
#include <fcntl.h>

#include "base/exitcode.h"
#include "base/report.h"
#include "chock-workspace.h"
#include "record/json.h"

void print_record(struct buf *record)
{
	json_close_line(record);
	print(record);
}

void print_error(int status, const char *text)
{
	autobuf struct buf record = { 0 };

	(void)status;
	json_open(&record);
	json_str(&record, "error", span_of(text));
	print_record(&record);
}

int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		die_errno(EXIT_SYSTEM, "cannot open '%s'", path);
	return fd;
}
