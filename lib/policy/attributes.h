/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_ATTRIBUTES_H
#define CHOCK_POLICY_ATTRIBUTES_H

/*
 * attributes - what a rule says about an act beyond its name
 *
 * A rule that names an attribute matches no act that does not carry it.  The
 * two flags, websocket and cleartext, mark what is more than the name alone
 * promises: an `allow` without the flag does not match an act that has it,
 * while any other decision does.
 *
 * Invariants
 *   - All-zero is a rule that names no attribute, and an act that has none.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct glob_path;
struct words;
struct why;

struct port_range {
	uint16_t first;
	uint16_t last;
};

/* What a rule wants. */
struct attributes {
	unsigned int count;             /* how many are named */
	const struct port_range *ports; /* the policy's, as all that follow */
	size_t port_count;
	const struct network *networks;
	size_t network_count;
	const struct span *protos;
	size_t proto_count;
	const struct span *methods;
	size_t method_count;
	struct span path; /* a pattern, as it is written */
	struct span root; /* the directory that path starts with; no pattern */
	struct span rest; /* the pattern behind the root */
	bool in_project;  /* the root is the project's */
	bool websocket;
	bool cleartext;
};

/* What an act carries. */
struct act {
	bool has_port;
	uint16_t port;
	bool has_address;
	uint8_t address[16]; /* an IPv4 address as ::ffff:a.b.c.d */
	struct span proto;   /* without data: not carried; as all that follow */
	struct span method;
	struct span path;
	bool websocket;
	bool cleartext;
};

/*
 * attributes_take - read the attribute that starts at word @index
 *
 * Returns how many words it took, 0 if that word is no attribute, -EINVAL.
 */
int attributes_take(struct attributes *attributes, const struct words *words,
		    size_t index, struct why *why);

/* attributes_hash - a number that is the same for equal attributes */
uint64_t attributes_hash(const struct attributes *attributes);

/* attributes_equal - whether @a and @b are written the same */
bool attributes_equal(const struct attributes *a, const struct attributes *b);

/*
 * attributes_differ - the first attribute by which @act is not what
 * @attributes want, or NULL if it is
 *
 * @path: that of @act, for all the rules that it is held against
 * @allows: the rule's decision is allow; see above
 */
const char *attributes_differ(const struct attributes *attributes,
			      const struct act *act, struct glob_path *path,
			      bool allows);

/*
 * act_set - give @act the attribute @name
 *
 * @value is borrowed.  A flag's value is "yes" or "no".
 *
 * Returns 0, -ENOENT if no attribute of an act has that name, or -EINVAL.
 */
int act_set(struct act *act, const char *name, struct span value,
	    struct why *why);

#endif /* CHOCK_POLICY_ATTRIBUTES_H */
