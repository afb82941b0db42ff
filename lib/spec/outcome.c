/* SPDX-License-Identifier: ISC */
#include "spec/outcome.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "record/json.h"
#include "spec/notice.h"
#include "spec/sandbox.h"

static const char no_jit[] =
	"programs that make machine code while they run, such as node and "
	"java, need pages that can be written and executed, which this sandbox "
	"does not have, and may end like this; '--policy node', '--policy "
	"java' or --rule 'allow sandbox.jit' allows them";

void outcome_copy(struct outcome *to, const struct outcome *from)
{
	size_t rows = from->denials.count < DENIALS_MAX ? from->denials.count
							: DENIALS_MAX;

	memcpy(to, from,
	       offsetof(struct outcome, denials.rows) +
		       rows * sizeof(*from->denials.rows));
}

static const char *const cow_names[] = {
	[OUTCOME_COW_NONE] = "",
	[OUTCOME_COW_COMMITTED] = "committed",
	[OUTCOME_COW_DISCARDED] = "discarded",
	[OUTCOME_COW_KEPT] = "kept",
	[OUTCOME_COW_HALF] = "half",
	[OUTCOME_COW_LOST] = "lost",
};

static bool died_of(const struct outcome *outcome, int signal)
{
	return outcome->ended && WIFSIGNALED(outcome->wait_status) &&
	       WTERMSIG(outcome->wait_status) == signal;
}

/*
 * A shell whose own child was killed ends with 128 and the signal; but so may
 * any program, as it likes.
 */
static bool hints_at(const struct outcome *outcome, int signal)
{
	return outcome->ended && WIFEXITED(outcome->wait_status) &&
	       WEXITSTATUS(outcome->wait_status) == EXIT_SIGNAL + signal;
}

/* For which call the command itself was killed; NULL: none is known. */
static const struct denial *killing(const struct outcome *outcome)
{
	if (!died_of(outcome, SIGSYS) && !died_of(outcome, SIGKILL))
		return NULL;
	return denials_of(&outcome->denials, outcome->command);
}

static const char *killed(const struct outcome *outcome)
{
	if (outcome->timed_out)
		return "time";
	if (killing(outcome) || died_of(outcome, SIGSYS))
		return "syscall";
	if (died_of(outcome, SIGKILL) && outcome->gone.errnum)
		return "tree";
	if (died_of(outcome, SIGKILL))
		return exceeded_killed(&outcome->exceeded);
	if (died_of(outcome, SIGXCPU))
		return "cpu-time";
	if (died_of(outcome, SIGXFSZ))
		return "file-size";
	return NULL;
}

int outcome_status(const struct outcome *outcome)
{
	if (outcome->stage == OUTCOME_READY && outcome->exec_errno)
		return outcome->exec_errno == ENOENT ? EXIT_NOT_FOUND
						     : EXIT_NOT_EXEC;
	if (outcome->timed_out)
		return EXIT_TIMED_OUT;
	if (!outcome->ended)
		return EXIT_SETUP;
	if (WIFSIGNALED(outcome->wait_status))
		return EXIT_SIGNAL + WTERMSIG(outcome->wait_status);
	return WEXITSTATUS(outcome->wait_status);
}

/* Without a row it was the kernel, by a rule that does not tell; or itself. */
static void add_unnamed(struct buf *notice, const struct outcome *outcome)
{
	if (died_of(outcome, SIGSYS) && !killing(outcome))
		notice_add(notice, "the command died of SIGSYS, as who makes "
				   "system calls by the numbers of another "
				   "architecture does");
}

static void add_raise(struct buf *notice, const struct limits *limits,
		      enum limit limit)
{
	buf_adds(notice, ": it is ");
	limits_raise(notice, limits, limit);
}

/* What ended the command is stated, what it may just say of itself is not. */
static void add_cause(struct buf *notice, const struct outcome *outcome,
		      const struct limits *limits)
{
	static const struct {
		int signal;
		enum limit limit; /* LIMIT_COUNT: it was none */
		const char *is, *maybe;
	} causes[] = {
		{ SIGSYS, LIMIT_COUNT,
		  "the command was killed for a system call that the sandbox "
		  "does not have",
		  "its status says that a program may have been killed for a "
		  "system call that the sandbox does not have" },
		{ SIGXCPU, LIMIT_CPU_TIME,
		  "the command used up its cpu-time limit",
		  "its status says that a program may have used up its "
		  "cpu-time limit" },
		{ SIGXFSZ, LIMIT_FILE_SIZE,
		  "the command wrote a file that is larger than the file-size "
		  "limit",
		  "its status says that a program may have written a file that "
		  "is larger than the file-size limit" },
	};
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		bool is = died_of(outcome, causes[i].signal);

		if (causes[i].signal == SIGSYS && outcome->kills_named) {
			add_unnamed(notice, outcome);
			continue;
		}
		if (!is && !hints_at(outcome, causes[i].signal))
			continue;
		notice_add(notice, is ? causes[i].is : causes[i].maybe);
		if (causes[i].limit != LIMIT_COUNT)
			add_raise(notice, limits, causes[i].limit);
	}
}

static void add_time(struct buf *notice, const struct limits *limits)
{
	notice_add(notice, "the time limit ran out, and everything in the "
			   "sandbox was ended");
	add_raise(notice, limits, LIMIT_TIME);
}

/*
 * How programs end that make machine code, when they are refused the pages
 * for it: node by a trap, others where they write to what they did not get.
 */
static bool ended_by_fault(const struct outcome *outcome)
{
	static const int faults[] = { SIGTRAP, SIGILL, SIGSEGV, SIGABRT,
				      SIGBUS };
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (died_of(outcome, faults[i]) || hints_at(outcome, faults[i]))
			return true;
	return false;
}

static bool failed(const struct outcome *outcome)
{
	return outcome->ended && WIFEXITED(outcome->wait_status) &&
	       WEXITSTATUS(outcome->wait_status) != 0;
}

static void add_fallback(struct buf *notice, const struct sandbox *sandbox)
{
	if (!sandbox->fallback)
		return;
	notice_add(notice, "the driver '");
	buf_addf(notice,
		 "%s' built the sandbox, which holds less, for a stronger one "
		 "does not work here: %s",
		 sandbox->driver, sandbox->fallback);
}

/* Last, for it ended nothing. */
static void add_place(struct buf *notice, const struct outcome *outcome,
		      const struct sandbox *sandbox)
{
	if (!outcome->at_home)
		return;
	notice_add(notice, sandbox->workdir_lost
				   ? sandbox->workdir_lost
				   : "the working directory is not visible in "
				     "the sandbox");
	buf_addf(notice, ", so the command started in %s", sandbox->home);
}

void outcome_notice(struct buf *notice, const struct outcome *outcome,
		    const struct sandbox *sandbox)
{
	if (sandbox->net == NET_HOST)
		notice_add(notice, "the command has the host's own network");
	if (sandbox->jit)
		notice_add(notice, "the command may have pages that are "
				   "writable and executable");
	add_fallback(notice, sandbox);
	notice_denials(notice, &outcome->denials);
	exceeded_notice(notice, &outcome->exceeded, &sandbox->limits,
			died_of(outcome, SIGKILL));
	exceeded_notice_full(notice, &outcome->exceeded, &sandbox->limits);
	if (outcome->gone.errnum) {
		notice_add(notice, outcome->gone.text);
		buf_adds(notice, ", and everything in the sandbox was ended");
	}
	if (outcome->hung_up)
		notice_add(notice, "the terminal hung up, and everything in "
				   "the sandbox was told to end");
	if (outcome->timed_out)
		add_time(notice, &sandbox->limits);
	else
		add_cause(notice, outcome, &sandbox->limits);
	if (!sandbox->jit && !outcome->timed_out && ended_by_fault(outcome))
		notice_add(notice, no_jit);
	if (failed(outcome))
		notice_failure(notice, sandbox,
			       WEXITSTATUS(outcome->wait_status));
	add_place(notice, outcome, sandbox);
}

static void add_layers(struct buf *line, const struct outcome *outcome)
{
	const struct layer_row *row;
	unsigned int i;

	json_open_object(line, "layers");
	for (i = 0; i < LAYER_COUNT; i++) {
		row = &outcome->layers[i];
		json_open_object(line, layer_name((enum layer)i));
		json_str(line, "state", span_of(layer_state_name(row->state)));
		if (*row->reason)
			json_str(line, "reason", span_of(row->reason));
		json_close_object(line);
	}
	json_close_object(line);
}

static void add_common(struct buf *line, const struct outcome *outcome,
		       const struct sandbox *sandbox, const char *kind)
{
	json_open(line);
	json_str(line, "kind", span_of(kind));
	json_str(line, "driver", span_of(sandbox->driver));
	if (sandbox->fallback)
		json_str(line, "fallback", span_of(sandbox->fallback));
	json_str(line, "net",
		 span_of(sandbox->net == NET_HOST ? "host" : "none"));
	json_bool(line, "jit", sandbox->jit);
	json_bool(line, "tty", sandbox->tty != TTY_CALLERS);
	json_bool(line, "strict", sandbox->strict);
	add_layers(line, outcome);
	limitrow_report(line, outcome->limits, &sandbox->limits);
}

/* Of the rules that nothing here holds the first, and how many there are. */
static void add_unheld(struct buf *line, const struct sandbox *sandbox)
{
	const size_t count = sandbox->unheld_count;
	size_t i;

	if (!count)
		return;
	json_num(line, "unheld_count", (int64_t)count);
	json_open_array(line, "unheld");
	for (i = 0; i < count && i < SANDBOX_UNHELD_MAX; i++) {
		json_item_object(line);
		json_str(line, "rule", span_of(sandbox->unheld[i].rule));
		json_str(line, "action", span_of(sandbox->unheld[i].action));
		json_close_object(line);
	}
	json_close_array(line);
}

void outcome_open(struct buf *line, const struct outcome *outcome,
		  const struct sandbox *sandbox)
{
	size_t i;

	add_common(line, outcome, sandbox, "sandbox.open");
	json_open_array(line, "argv");
	for (i = 0; sandbox->argv[i]; i++)
		json_item(line, span_of(sandbox->argv[i]));
	json_close_array(line);
	add_unheld(line, sandbox);
	json_str(line, "workdir",
		 span_of(outcome->at_home || !sandbox->workdir
				 ? sandbox->home
				 : sandbox->workdir));
	json_close_line(line);
}

/* "exit" or "signal", whichever it was; neither if it did not start. */
static void add_end(struct buf *line, const struct outcome *outcome)
{
	const struct denial *denial = killing(outcome);

	if (outcome->ended && WIFSIGNALED(outcome->wait_status))
		json_num(line, "signal", WTERMSIG(outcome->wait_status));
	else if (outcome->ended)
		json_num(line, "exit", WEXITSTATUS(outcome->wait_status));
	if (killed(outcome))
		json_str(line, "killed", span_of(killed(outcome)));
	if (!denial)
		return;
	json_str(line, "call", span_of(denial_call(denial)));
	json_str(line, "program", span_of(denial_program(denial)));
}

void outcome_result(struct buf *line, const struct outcome *outcome,
		    const struct sandbox *sandbox)
{
	autobuf struct buf sentences = { 0 };
	autobuf struct buf notice = { 0 };

	outcome_notice(&notice, outcome, sandbox);
	notice_join(&sentences, &notice);
	add_common(line, outcome, sandbox, "result");
	add_end(line, outcome);
	if (outcome->stage != OUTCOME_STARTED)
		json_str(line, "error", span_of(outcome->why.text));
	json_open_array(line, "denials");
	denials_report(line, &outcome->denials);
	if (died_of(outcome, SIGSYS) && !killing(outcome)) {
		json_item_object(line);
		json_str(line, "layer", span_of("seccomp"));
		json_close_object(line);
	}
	json_close_array(line);
	if (outcome->cow)
		json_str(line, "cow", span_of(cow_names[outcome->cow]));
	if (sentences.len)
		json_str(line, "notice", buf_span(&sentences));
	json_decimal(line, "seconds", outcome->seconds, 6);
	json_num(line, "max_rss", outcome->usage.ru_maxrss * 1024);
	if (outcome->exceeded.peak)
		json_num(line, "memory_peak", (int64_t)outcome->exceeded.peak);
	json_close_line(line);
}

void outcome_refused(struct buf *line, const struct outcome *outcome)
{
	json_open(line);
	json_str(line, "kind", span_of("result"));
	json_str(line, "error", span_of(outcome->why.text));
	if (outcome->busy)
		json_bool(line, "busy", true);
	json_close_line(line);
}

static struct span failed_layer(const struct outcome *outcome)
{
	unsigned int i;

	if (outcome->misused)
		return span_of("call");
	if (outcome->exec_errno)
		return span_of("command");
	for (i = 0; i < LAYER_COUNT; i++)
		if (outcome->layers[i].failed)
			return span_of(layer_name((enum layer)i));
	return span_of("sandbox");
}

void outcome_line(struct buf *line, const struct outcome *outcome)
{
	json_open(line);
	if (outcome->stage == OUTCOME_STARTED && outcome->ended) {
		json_str(line, "chock", span_of("ran"));
		add_end(line, outcome);
	} else {
		json_str(line, "chock", span_of("failed"));
		json_str(line, "layer", failed_layer(outcome));
		json_str(line, "error", span_of(outcome->why.text));
	}
	json_close_line(line);
}
