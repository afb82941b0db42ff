/* SPDX-License-Identifier: ISC */
/*
 * chock-ask - put what the policy leaves open to a person
 *
 * Reads decided records, and writes each with a decision that is allow or
 * deny: what the policy decided stays, what it leaves to a person is asked
 * on the controlling terminal, and where nobody can be asked it is no.
 * See chock-ask(1), chock-protocol(7).
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask/kept.h"
#include "ask/question.h"
#include "ask/terminal.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/line.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/self.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"

#define ASK_TIMEOUT_DEFAULT 300 /* seconds */
#define ASK_TIMEOUT_MAX 604800  /* seconds, a week */

static struct opt_list yes_actions;
static const char *log_path;
static uint64_t timeout = ASK_TIMEOUT_DEFAULT;

static const struct opt_table options = {
	"chock-ask",
	"[--yes ACTION]... [--timeout TIME] [--log LOG] <RECORDS",
	"put what the policy leaves open to a person",
	(const struct opt[]){
		{ 'y', "yes", "ACTION", "answer yes where ACTION is asked",
		  .list = &yes_actions },
		{ 't', "timeout", "TIME",
		  "take no answer in TIME for a no (5m; 0: wait)",
		  .seconds = &timeout, .max = ASK_TIMEOUT_MAX },
		{ 'l', "log", "LOG",
		  "keep no answer for another question; LOG has all of each",
		  .str = &log_path },
		{ .name = NULL },
	},
};

/* One record on its way through. */
struct asking {
	struct terminal *terminal;
	struct kept *kept;
	const struct record *record;
	uint64_t line;
};

/* What becomes of a record. */
struct answer {
	bool allow;
	const char *by;
	const char *reason; /* why it is no, where nobody said so */
};

static const struct answer by_rule = { .by = "rule" };

static bool said_yes_to(const struct record_value *action)
{
	size_t i;

	for (i = 0; i < yes_actions.count; i++)
		if (value_is(action, yes_actions.items[i]))
			return true;
	return false;
}

/* Whether --yes names all that @record asks for, and it asks for something. */
static bool said_yes(const struct record *record)
{
	const struct record_value *action = record_get(record, "action");
	const struct record_value *actions = record_get(record, "actions");
	size_t count = value_count(actions);
	size_t i;

	if (action && !said_yes_to(action))
		return false;
	if (actions && !count)
		return false;
	for (i = 0; i < count; i++)
		if (!said_yes_to(value_at(actions, i)))
			return false;
	return action || actions;
}

static struct answer heard(const struct asking *asking, const char *key)
{
	const char *answer = asking->terminal->answer;
	const char *echo = "chock-ask: no\n";
	struct answer person = { .by = "person" };

	if (terminal_said_yes(asking->terminal)) {
		echo = "chock-ask: yes, this once\n";
		person.allow = true;
	} else if (!log_path && !strcmp(answer, "a")) {
		echo = kept_add(asking->kept, key) < 0
			       ? "chock-ask: yes, this once: too many answers "
				 "are kept already to keep this one\n"
			       : "chock-ask: yes, and whenever exactly this is "
				 "asked again in this session\n";
		person.allow = true;
	}
	terminal_say(asking->terminal, echo);
	return person;
}

/* What is asked and what can be answered, as it is put on the terminal. */
static void put_question(struct buf *text, const struct asking *asking)
{
	autobuf struct buf whole = { 0 };

	if (log_path) {
		buf_adds(&whole, "the log ");
		buf_add_plain(&whole, span_of(log_path));
	} else {
		buf_addf(&whole, "line %llu of the input",
			 (unsigned long long)asking->line);
	}
	buf_adds(text, "\nchock asks whether this may happen:\n\n");
	question_show(text, asking->record, asking->terminal->columns,
		      buf_str(&whole));
	buf_adds(text, "\n  y              yes, this once\n");
	if (!log_path)
		buf_adds(text,
			 "  a              yes, and whenever exactly this "
			 "is asked again in this session\n");
	buf_adds(text, "  anything else  no\n\n");
}

static struct answer ask(const struct asking *asking, const char *key)
{
	struct terminal *terminal = asking->terminal;
	struct answer nobody = { .by = "nobody" };
	autobuf struct buf question = { 0 };
	autobuf struct buf prompt = { 0 };

	put_question(&question, asking);
	if (timeout)
		buf_addf(&prompt, "Answer within %llu second%s: ",
			 (unsigned long long)timeout, rough_plural(timeout));
	else
		buf_adds(&prompt, "Answer: ");

	switch (terminal_ask(terminal, buf_span(&question), buf_span(&prompt),
			     (unsigned int)timeout)) {
	case REPLY_LINE:
		return heard(asking, key);
	case REPLY_BREAK:
		terminal_say(terminal, "chock-ask: no\n");
		return (struct answer){ .by = "person" };
	case REPLY_LATE:
		terminal_say(terminal, "chock-ask: no answer came in time, "
				       "so it is no\n");
		nobody.reason = "nobody answered in time; asking again gives "
				"a person another chance";
		break;
	case REPLY_GONE:
		nobody.reason = "the terminal closed before an answer came";
		break;
	case REPLY_BACKGROUND:
		nobody.reason = "chock-ask runs in the background of its "
				"terminal and cannot ask there; --yes ACTION "
				"or a rule that allows it would permit it";
		break;
	}
	return nobody;
}

static struct answer answer_ask(const struct asking *asking)
{
	char key[SHA256_HEX + 1];

	if (said_yes(asking->record))
		return (struct answer){ .allow = true, .by = "person" };
	question_key(key, asking->record);
	if (kept_has(asking->kept, key))
		return (struct answer){ .allow = true, .by = "session" };
	if (asking->terminal->fd >= 0)
		return ask(asking, key);
	return (struct answer){
		.by = "nobody",
		.reason = "a person must decide, and there is no terminal to "
			  "ask on; --yes ACTION or a rule that allows it would "
			  "permit it",
	};
}

/* Returns 0 with the @answer, or -EBADMSG. */
static int decide(struct answer *answer, const struct asking *asking,
		  struct why *why)
{
	const struct record_value *decision;

	decision = record_get(asking->record, "decision");
	*answer = by_rule;
	if (!decision)
		return why_set(why, EBADMSG, "no decision in the record");
	if (value_is(decision, "allow")) {
		answer->allow = true;
	} else if (value_is(decision, "ask")) {
		*answer = answer_ask(asking);
	} else if (value_is(decision, "agent_review") ||
		   value_is(decision, "agent_then_human")) {
		answer->by = "nobody";
		answer->reason = "the rule wants a reviewer's answer first, "
				 "and this version of chock has no reviewer; a "
				 "rule that says ask or allow would do";
	} else if (!value_is(decision, "deny")) {
		return why_set(why, EBADMSG,
			       "the decision is none that chock-ask knows");
	}
	return 0;
}

/* The record with the @answer in it, all its other bytes as they came. */
static int put_answer(struct buf *out, struct span line,
		      const struct answer *answer, struct why *why)
{
	struct span old = json_find(line, "decision");
	autobuf struct buf fields = { 0 };
	autobuf struct buf decided = { 0 };

	if (!old.data)
		return why_set(why, EBADMSG,
			       "the name of the field decision has an escape "
			       "in it");
	json_str(&fields, "by", span_of(answer->by));
	if (answer->reason)
		json_str(&fields, "reason", span_of(answer->reason));
	buf_add(&decided,
		(struct span){ line.data, (size_t)(old.data - line.data) });
	buf_adds(&decided, answer->allow ? "\"allow\"" : "\"deny\"");
	buf_add(&decided,
		span_from(line, (size_t)(old.data - line.data) + old.len));
	json_splice(out, buf_span(&decided), buf_span(&fields));
	return 0;
}

/* Nothing of ours may be there, for then somebody answered before us. */
static int check_unanswered(const struct record *record, struct why *why)
{
	static const char *const ours[] = { "by", "reason", "verdict" };
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (record_has(record, ours[i]))
			return why_set(why, EBADMSG,
				       "the record has a field %s already",
				       ours[i]);
	return 0;
}

/*
 * What is no question goes on as it came: what another program said about a
 * bad line, and a narrowing of what may be asked, after which no answer that
 * was kept counts.
 */
static bool passes(const struct asking *asking)
{
	const struct record *record = asking->record;

	/* The second is a call that restricted. */
	if (record_has(record, "restrict") || record_has(record, "restriction"))
		kept_drop(asking->kept);
	if (record_has(record, "decision"))
		return false;
	if (record_has(record, "restrict"))
		return true;
	return record_has(record, "error");
}

/* What comes out for @line, or -errno. */
static int answer_record(struct buf *out, struct asking *asking,
			 struct span line, struct record *record,
			 struct why *why)
{
	struct answer answer;

	asking->record = record;
	if (record_read(record, line, why) < 0)
		return -why->errnum;
	if (passes(asking)) {
		buf_add(out, line);
		return 0;
	}
	if (check_unanswered(record, why) < 0 ||
	    decide(&answer, asking, why) < 0)
		return -why->errnum;
	return put_answer(out, line, &answer, why);
}

/* Takes what lines_next() returned, @r, and returns 0 or -errno. */
static int answer_line(struct buf *out, struct asking *asking, struct span line,
		       int r, struct why *why)
{
	autorecord struct record record = { 0 };

	r = r < 0 ? r : answer_record(out, asking, line, &record, why);
	asking->record = NULL;
	if (r < 0) {
		buf_reset(out);
		refusal_put(out, &record, asking->line, why);
	}
	buf_addc(out, '\n');
	return r;
}

/* Returns EXIT_ALLOW, or EXIT_MISUSE if any of the lines was bad. */
static int answer_all(struct asking *asking)
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	autobuf struct buf out = { 0 };
	int status = EXIT_ALLOW;
	struct why why = { 0 };
	struct span line;
	int r;

	while ((r = lines_next(&lines, &line, &why)) != 0) {
		if (r < 0 && r != -EFBIG && r != -EBADMSG)
			die_why(&why);
		asking->line = lines.number;
		buf_reset(&out);
		if (answer_line(&out, asking, line, r, &why) < 0)
			status = EXIT_MISUSE;
		if (file_write(STDOUT_FILENO, buf_span(&out)) < 0)
			die_errno(EXIT_SYSTEM, "cannot write an answer");
	}
	return status;
}

static void leave(int number)
{
	terminal_restore();
	_exit(EXIT_SIGNAL + number);
}

/* A signal that ends us must not leave the terminal as a question has it. */
static void catch_signals(void)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action = { .sa_handler = leave };
	struct sigaction before;
	size_t i;

	for (i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		if (sigaction(ending[i], &action, &before) < 0)
			die_errno(EXIT_SYSTEM, "cannot catch a signal");
		if (before.sa_handler == SIG_IGN)
			(void)sigaction(ending[i], &before, NULL);
	}
}

int main(int argc, char **argv)
{
	autoterminal struct terminal terminal = TERMINAL_NONE;
	autokept struct kept kept = { 0 };
	struct asking asking = { .terminal = &terminal, .kept = &kept };
	struct why why = { 0 };

	if (opt_parse(&options, argc, argv) != argc)
		opt_misuse(&options);

	if (fd_fill_standard() < 0)
		die_errno(EXIT_SYSTEM, "cannot open '/dev/null'");
	catch_signals();
	/* Without a terminal we still have a use: all questions are no. */
	(void)terminal_open(&terminal);
	if (record_warm_up(&why) < 0 || confine_self(&why) < 0)
		die_why(&why);
	return answer_all(&asking);
}
