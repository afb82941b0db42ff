/* SPDX-License-Identifier: ISC */
#include "spec/exceeded.h"

#include <stddef.h>

#include "base/buf.h"
#include "spec/notice.h"

static bool ended_for(const struct exceeded *exceeded, enum limit limit)
{
	return exceeded->ended & LIMIT_BIT(limit);
}

const char *exceeded_killed(const struct exceeded *exceeded)
{
	static const enum limit order[] = { LIMIT_MEMORY, LIMIT_PROCESSES,
					    LIMIT_DISK };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (ended_for(exceeded, order[i]))
			return limit_name(order[i]);
	return exceeded->oom_kills ? limit_name(LIMIT_MEMORY) : NULL;
}

static void add_raise(struct buf *notice, const struct limits *limits,
		      enum limit limit)
{
	buf_adds(notice, ": it is ");
	limits_raise(notice, limits, limit);
}

static void add_exceeded(struct buf *notice, const struct limits *limits,
			 enum limit limit)
{
	autobuf struct buf sentence = { 0 };

	buf_addf(&sentence,
		 "the %s limit was exceeded, and everything in the sandbox was "
		 "ended",
		 limit_name(limit));
	add_raise(&sentence, limits, limit);
	notice_add(notice, buf_str(&sentence));
}

static void add_ended(struct buf *notice, const struct exceeded *exceeded,
		      const struct limits *limits)
{
	if (ended_for(exceeded, LIMIT_MEMORY) && exceeded->blind)
		notice_add(notice,
			   "memory could not be looked at any more, and "
			   "everything in the sandbox was ended");
	else if (ended_for(exceeded, LIMIT_MEMORY))
		add_exceeded(notice, limits, LIMIT_MEMORY);
	if (ended_for(exceeded, LIMIT_PROCESSES))
		add_exceeded(notice, limits, LIMIT_PROCESSES);
	if (ended_for(exceeded, LIMIT_DISK) && exceeded->floor)
		notice_add(notice,
			   "a disk that the sandbox writes to was almost full, "
			   "and everything in the sandbox was ended");
	else if (ended_for(exceeded, LIMIT_DISK) && exceeded->crowded)
		notice_add(notice,
			   "a disk that the sandbox writes to had room for few "
			   "more files, and everything in the sandbox was "
			   "ended");
	else if (ended_for(exceeded, LIMIT_DISK))
		add_exceeded(notice, limits, LIMIT_DISK);
}

void exceeded_notice(struct buf *notice, const struct exceeded *exceeded,
		     const struct limits *limits, bool killed)
{
	add_ended(notice, exceeded, limits);
	if (exceeded->oom_kills) {
		notice_add(notice, killed ? "the command was killed because "
					    "the memory limit was reached"
					  : "the memory limit was reached");
		buf_addf(notice, " (processes killed for it: %llu)",
			 (unsigned long long)exceeded->oom_kills);
		add_raise(notice, limits, LIMIT_MEMORY);
	}
	if (exceeded->refused) {
		notice_add(notice, "the processes limit was reached");
		buf_addf(notice, " (processes refused: %llu)",
			 (unsigned long long)exceeded->refused);
		add_raise(notice, limits, LIMIT_PROCESSES);
	}
}

void exceeded_notice_full(struct buf *notice, const struct exceeded *exceeded,
			  const struct limits *limits)
{
	static const struct {
		enum limit limit;
		const char *place;
	} places[] = {
		{ LIMIT_SCRATCH, "what is kept in memory (/tmp, TMPDIR, "
				 "/dev/shm, the home and each tmpfs)" },
		{ LIMIT_COW, "what --cow keeps apart" },
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!(exceeded->full & LIMIT_BIT(places[i].limit)))
			continue;
		notice_add(notice, places[i].place);
		buf_addf(notice, " was full: the limit %s is ",
			 limit_name(places[i].limit));
		limits_raise(notice, limits, places[i].limit);
	}
	if (exceeded->full & LIMIT_BIT(LIMIT_PROCESSES)) {
		notice_add(notice, "there were as many processes as the limit "
				   "allows, so that one may have been refused");
		add_raise(notice, limits, LIMIT_PROCESSES);
	}
}
