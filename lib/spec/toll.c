/* SPDX-License-Identifier: ISC */
#include "spec/toll.h"

#include <stddef.h>

#include "base/buf.h"

static bool ended_for(const struct toll *toll, enum limit limit)
{
	return toll->ended & LIMIT_BIT(limit);
}

const char *toll_killed(const struct toll *toll)
{
	static const enum limit order[] = { LIMIT_MEMORY, LIMIT_PROCESSES,
					    LIMIT_DISK };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (ended_for(toll, order[i]))
			return limit_name(order[i]);
	return toll->oom_kills ? limit_name(LIMIT_MEMORY) : NULL;
}

static void add(struct buf *notice, const char *sentence)
{
	if (notice->len)
		buf_adds(notice, "; ");
	buf_adds(notice, sentence);
}

static void add_ended(struct buf *notice, const struct toll *toll)
{
	if (ended_for(toll, LIMIT_MEMORY))
		add(notice, toll->blind
				    ? "memory could not be looked at any more, "
				      "and everything in the sandbox was ended"
				    : "the memory limit was exceeded, and "
				      "everything in the sandbox was ended");
	if (ended_for(toll, LIMIT_PROCESSES))
		add(notice, "the processes limit was exceeded, and everything "
			    "in the sandbox was ended");
	if (ended_for(toll, LIMIT_DISK))
		add(notice,
		    toll->floor
			    ? "a disk that the sandbox writes to was almost "
			      "full, and everything in the sandbox was ended"
			    : "the disk limit was exceeded, and everything in "
			      "the sandbox was ended");
}

void toll_notice(struct buf *notice, const struct toll *toll, bool killed)
{
	add_ended(notice, toll);
	if (toll->oom_kills) {
		add(notice, killed ? "the command was killed because the "
				     "memory limit was reached"
				   : "the memory limit was reached");
		buf_addf(notice, " (processes killed for it: %llu)",
			 (unsigned long long)toll->oom_kills);
	}
	if (toll->refused) {
		add(notice, "the processes limit was reached");
		buf_addf(notice, " (processes refused: %llu)",
			 (unsigned long long)toll->refused);
	}
}

void toll_notice_full(struct buf *notice, const struct toll *toll,
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
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!(toll->full & LIMIT_BIT(places[i].limit)))
			continue;
		name = limit_name(places[i].limit);
		add(notice, places[i].place);
		buf_addf(notice, " was full: the limit %s is ", name);
		limits_words(notice, limits, places[i].limit);
		buf_addf(notice,
			 ", and '--limit %s=SIZE' or 'limit %s SIZE' in a "
			 "policy raises it",
			 name, name);
	}
}
