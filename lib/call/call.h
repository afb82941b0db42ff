/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_CALL_H
#define CHOCK_CALL_CALL_H

/*
 * call - the questions that a record comes to
 *
 * A record is a question, which names its action, or a call of a tool, which
 * comes to actions by the tool; see chock-protocol(7).
 *
 * Invariants
 *   - An all-zero struct is empty.
 *   - The questions point into the struct: it is never copied.
 *   - A call that grants nothing has one question without an action, so that
 *     who asks is still looked at.
 */

#include "policy/decide.h"

struct record;
struct record_value;
struct why;

#define CALL_ACTIONS_MAX 1024 /* of one call */
/* What is looked at for one call, each time that it is: */
#define CALL_PROGRAMS_MAX 16384          /* programs, files and variables */
#define CALL_WORDS_MAX ((size_t)1 << 18) /* words behind programs */
#define CALL_BYTES_MAX ((size_t)2 << 20) /* of strings for a shell */

#define autocall __attribute__((cleanup(call_drop)))

struct call {
	struct asker asker;
	struct question *questions; /* owned */
	size_t count;
	size_t programs; /* how many were looked at */
	size_t words;    /* the same */
	size_t bytes;    /* the same */
	bool unsaid;     /* exec.unparsed has all the notes that are kept */
	bool overflow;   /* a limit was reached: this is no whole answer */
	const struct record_value *args;  /* borrowed of the record, as is */
	const struct record_value *cwd;   /* beside the arguments, or NULL */
	const struct record_value *chain; /* its agents; NULL: none are said */
	enum policy_decision decided;     /* once it was answered */
	const struct record_value *running; /* as the caller says, or NULL */
	const struct answer *bound; /* borrowed; NULL: by the questions alone */
	struct span note;           /* borrowed; why, for the answer */
	void *memory;               /* owned; what the questions point into */
};

/*
 * call_read - make questions of @record
 *
 * @projects are the names of the project's directory, up to a NULL.
 *
 * Returns 0, or -EINVAL for a record that comes to none.
 */
int call_read(struct call *call, const struct record *record,
	      const char *const *projects, struct why *why);

/* call_keep - a copy of @text that lives as long as the call */
struct span call_keep(struct call *call, struct span text);

/*
 * call_keep_text - the text that @value is, as call_keep() has it
 *
 * For NULL nothing is done.  @name is what an error calls it.  Returns 0 or
 * -EINVAL.
 */
int call_keep_text(struct call *call, struct span *text,
		   const struct record_value *value, const char *name,
		   struct why *why);

/*
 * call_keep_cwd - where the call works: as @args say, or the record beside them
 *
 * Returns 0, or -EINVAL if both say it and differ, or for what is no text.
 */
int call_keep_cwd(struct call *call, struct span *cwd,
		  const struct record_value *args, struct why *why);

/*
 * call_ask - one more question, about @action, of which a copy is kept
 *
 * What it returns is good until the next question is added.
 */
struct question *call_ask(struct call *call, struct span action);

/*
 * call_want - like call_ask(), but once for each action, with @note as why
 *
 * Beyond CALL_ACTIONS_MAX the call overflows and is no answer any more.  What
 * it returns is good until the next question is added, and NULL then.
 */
const struct question *call_want(struct call *call, struct span action,
				 struct span note);

/*
 * call_look - count one program more, with @words and @bytes that are looked at
 *
 * Returns false once the call overflows: nothing more need be looked at.
 */
bool call_look(struct call *call, size_t words, size_t bytes);

/* call_ask_for - the question that @from, a record or arguments, names */
int call_ask_for(struct call *call, const struct record_value *from,
		 struct why *why);

/* call_drop - release it; good as new afterwards */
void call_drop(struct call *call);

#endif /* CHOCK_CALL_CALL_H */
