/* SPDX-License-Identifier: ISC */
#include "base/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/span.h"

int identity_of(struct identity *identity, int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) < 0)
		return -errno;
	*identity = (struct identity){
		.dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.ino = st.stx_ino,
	};
	if (st.stx_mask & STATX_BTIME && st.stx_btime.tv_sec > 0) {
		identity->sec = (uint64_t)st.stx_btime.tv_sec;
		identity->nsec = st.stx_btime.tv_nsec;
	}
	return 0;
}

void identity_write(const struct identity *identity, struct buf *text)
{
	buf_addf(text, "%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".%" PRIu64,
		 identity->dev, identity->ino, identity->sec, identity->nsec);
}

int identity_read(struct identity *identity, struct span text)
{
	uint64_t *const numbers[] = { &identity->dev, &identity->ino,
				      &identity->sec, &identity->nsec };
	size_t i;

	for (i = 0; i < 3; i++)
		if (num_read(numbers[i], span_cut(&text, '.'), UINT64_MAX) < 0)
			return -EINVAL;
	return num_read(numbers[i], text, UINT64_MAX) < 0 ? -EINVAL : 0;
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->sec == b->sec &&
	       a->nsec == b->nsec;
}
