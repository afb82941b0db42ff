/* SPDX-License-Identifier: ISC */
#include "limit/full.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/vfs.h>

#include "base/auto.h"
#include "spec/outcome.h"

bool full_is(int fd)
{
	struct statfs fs;
	uint64_t left;

	if (fstatfs(fd, &fs) < 0 || !fs.f_blocks)
		return false;
	left = fs.f_bfree * (uint64_t)fs.f_bsize;
	return (left < FULL_LEFT && fs.f_bfree <= fs.f_blocks / 16) ||
	       (fs.f_files && !fs.f_ffree);
}

bool full_failed(const struct outcome *outcome)
{
	return outcome->ended && outcome->wait_status != 0;
}

void full_note_scratch(struct outcome *outcome)
{
	autoclose int fd = full_failed(outcome) ? open("/", O_PATH | O_CLOEXEC)
						: -1;

	if (fd >= 0 && full_is(fd))
		outcome->exceeded.full |= LIMIT_BIT(LIMIT_SCRATCH);
}
