/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_H
#define CHOCK_WORKSPACE_H

/*
 * chock-workspace - what its parts share, and chock-overlay's and chock-bind's
 *
 * chock-workspace.c has the table of options and the verbs; the way back into
 * a project is in -apply, what policies say of a path in -rules, and what they
 * hide in -hides.  -rules, -hides and -common are in the others as well.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "policy/policy.h"
#include "policyfile/policyfile.h"
#include "workspace/binds.h"
#include "workspace/course.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct also;
struct buf;
struct reach;
struct why;

/* What the options say of a question and an apply. */
struct applying {
	const char *workspace; /* its directory */
	const char *to; /* the commit and the tree that were shown; or NULL */
	const char *tree;
	const char *also; /* digest of the other branches shown; or NULL */
	const char *onto; /* where the branch was when it was shown; or NULL */
	enum course_way
		way; /* COURSE_WAYS: what the policies say, else a merge */
	const char *landing; /* what was to become of it; or NULL */
	bool no_integrate;
	uint64_t seconds;
	uint64_t pack_max;
	int frozen_fd; /* policies, or -1: those that are found */
	struct opt_list rules;
};

/* print_record - close @record and print it, as a line of its own */
void print_record(struct buf *record);

/* print_error - print @text, why it came to nothing, as a record; what
 * report_last_words() calls */
void print_error(int status, const char *text);

/* open_dir - open the directory @path, which is no link, or end the program */
int open_dir(const char *path);

/* open_both - open a whole workspace and its project, or end the program */
void open_both(struct space *space, struct project *project,
	       const char *workspace);

/* put_questions - print what is to be asked before the work is applied */
void put_questions(const struct applying *applying);

/* enter_copy - make the directory of @dir in the copy, if it is not there */
void enter_copy(const char *workspace, const char *dir);

/*
 * bound_each - tell @tell of what was copied in by a bind, differs by now, and
 * is not brought back; 0, what @tell returned, or -errno
 */
int bound_each(const struct space *space, binds_tell *tell, void *context,
	       struct why *why);

/* bound_show - a line for each such, put behind @text */
void bound_show(struct buf *text, const struct space *space);

/* adopt_work - copy what a session left beside the project's files */
void adopt_work(const char *workspace, uint64_t seconds);

/* export_work - the same as a tar archive, on standard output */
void export_work(const char *workspace, uint64_t seconds);

/* recover_work - see to an apply that was cut off, and print what it was */
void recover_work(const struct applying *applying);

/* apply_work - carry out what was asked about, and print what became of it */
void apply_work(const struct applying *applying);

/* keep_also - keep what else was shown in the project; what is left has a
 * reason */
void keep_also(struct also *also, const struct space *space,
	       const struct project *project);

/* print_checked_out - the branch that @project has, as a field of @record */
void print_checked_out(struct buf *record, const struct project *project);

/* print_kept_also - what became of it, as fields of @record */
void print_kept_also(struct buf *record, const struct also *also);

/* apply_also - keep it where there is nothing else, and print that, or end the
 * program */
void apply_also(struct also *also, struct space *space,
		struct project *project);

/*
 * keep_times - have nothing that is started set the times of a file by its name
 *
 * Returns 0 or -errno.
 */
int keep_times(struct why *why);

/*
 * keep_within - have nothing written but in the workspace, and, unless it is
 * NULL, in the project
 *
 * no_new_privs is set.  Where the kernel has no Landlock that can, nothing is
 * held.  Returns 0 or -errno.
 */
int keep_within(const struct space *space, const struct project *project,
		struct why *why);

/* The policies that are in force, and the shipped list. */
struct rules {
	struct policyfiles files;
	struct policy policy;
	const char *root; /* borrowed; the project's */
};

#define autorules __attribute__((cleanup(rules_drop)))

/* rules_open - read them for the project @root, or end the program */
void rules_open(struct rules *rules, const struct applying *applying,
		const char *root);

/* rules_way - how work is to come back: as the options say, or the policies */
enum course_way rules_way(const struct rules *rules,
			  const struct applying *applying);

/*
 * rules_mark - mark the changes of @effect that the policies are about
 *
 * Those of policy files, and those that a rule on workspace.protected names by
 * their path, or by one that a link of @reach, which may be NULL, gives them.
 */
void rules_mark(struct effect *effect, const struct rules *rules,
		const struct reach *reach);

/* What of the project is hidden, for the part that makes copies. */
struct hides {
	struct names patterns; /* paths and patterns in the project */
	struct names meant;    /* those that no shipped policy has */
	struct hiding hiding;
};

#define autohides __attribute__((cleanup(hides_drop)))

/* hides_find - what the policies hide, or end the program */
void hides_find(struct hides *hides, const struct rules *rules);

/* hides_read - have @space know what was hidden when its session began */
void hides_read(struct hides *hides, struct space *space);

/* hides_drop - release it; good as new afterwards */
void hides_drop(struct hides *hides);

/* rules_drop - release it; good as new afterwards */
void rules_drop(struct rules *rules);

#endif /* CHOCK_WORKSPACE_H */
