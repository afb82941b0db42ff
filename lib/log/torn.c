/* SPDX-License-Identifier: ISC */
#include "log/torn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "log/logfile.h"
#include "record/json.h"

#define COPY_ROOM ((size_t)64 << 10)

static int copy(int to_fd, int from_fd, uint64_t *offset, struct why *why)
{
	char bytes[COPY_ROOM];
	ssize_t got;
	int r;

	for (;;) {
		got = pread(from_fd, bytes, sizeof(bytes), (off_t)*offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return why_sys(why, errno, "cannot read the log");
		if (!got)
			break;
		r = file_write(to_fd, (struct span){ bytes, (size_t)got });
		if (r < 0)
			return why_sys(why, -r, "cannot keep its torn line");
		*offset += (uint64_t)got;
	}
	if (fsync(to_fd) < 0)
		return why_sys(why, errno, "cannot keep its torn line");
	return 0;
}

int torn_move(struct buf *record, const struct logfile *log, uint64_t offset,
	      struct why *why)
{
	autoclose int torn_fd = logfile_open_beside(
		log, LOGFILE_TORN, O_WRONLY | O_CREAT | O_APPEND, why);
	autobuf struct buf name = { 0 };
	uint64_t end = offset;
	struct stat st;
	int r;

	if (torn_fd < 0)
		return torn_fd;
	if (fstat(torn_fd, &st) < 0)
		return why_sys(why, errno, "cannot keep its torn line");
	r = copy(torn_fd, log->fd, &end, why);
	if (!r)
		r = logfile_sync_place(log, why);
	if (r < 0)
		return r;
	buf_add(&name, buf_span(&log->stem));
	buf_adds(&name, LOGFILE_TORN);
	json_open(record);
	json_num(record, "bytes", (int64_t)(end - offset));
	json_num(record, "offset", (int64_t)offset);
	json_str(record, "to", buf_span(&name));
	json_num(record, "to_offset", (int64_t)st.st_size);
	json_close(record);
	return 0;
}
