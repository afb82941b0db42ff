/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_GROUP_H
#define CHOCK_POLICY_GROUP_H

/*
 * group - the rules of a long run that want the same names of who asks
 *
 * A run is looked through in order, which is the quickest for a few rules and
 * not for thousands that differ by their agent.  So the rules of a long run
 * that want the same exact tool, model and agent, or want none by name, are
 * groups, and a hash table leads to the first of each.
 *
 * Invariants
 *   - Each rule of a long run is in one group, and of the rules of a group the
 *     one that wins comes first, as in the run.
 *   - What may match is in the groups of what is asked about; names with one
 *     hash share a group, so its rules are still to be compared.
 */

struct lookup;
struct lookup_rule;
struct lookup_run;

#define GROUP_RUN_MAX 32 /* rules that a run has without groups */

/* Which names a rule wants; the bits of a kind of group. */
enum {
	GROUP_TOOL = 1 << 0,
	GROUP_MODEL = 1 << 1,
	GROUP_AGENT = 1 << 2,
	GROUP_KINDS = 1 << 3,
};

/* group_make - make the groups of all long runs of @lookup */
void group_make(struct lookup *lookup);

/* group_drop - release what group_make() made */
void group_drop(struct lookup *lookup);

/*
 * group_first - the first rule of @run with the hashes that @names wants
 *
 * Of @names only tool, model and agent count, 0 where no name is wanted.
 * Returns NULL where there is none.
 */
const struct lookup_rule *group_first(const struct lookup *lookup,
				      const struct lookup_run *run,
				      const struct lookup_rule *names);

/* group_next - the next rule of the same group, or NULL */
const struct lookup_rule *group_next(const struct lookup *lookup,
				     const struct lookup_rule *rule);

#endif /* CHOCK_POLICY_GROUP_H */
