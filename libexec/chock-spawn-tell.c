/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that says how it went
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"
#include "spec/outcome.h"

static const struct spawn *teller;

static void write_line(int fd, const struct buf *line)
{
	int r = fd < 0 ? 0 : file_write(fd, buf_span(line));

	if (r < 0)
		warn("cannot write to descriptor %d: %s", fd, strerror(-r));
}

/* The errno is the same for a sysctl, a container and a security module. */
static const char *hint(const struct outcome *outcome)
{
	return outcome->layers[LAYER_USERNS].failed
		       ? "; 'chock doctor' says what withholds it"
		       : "";
}

/* Whether what was to be run is a file below the working directory, outside. */
static bool is_here(const struct sandbox *sandbox)
{
	autobuf struct buf path = { 0 };
	const char *name = sandbox->argv[0];

	if (!sandbox->workdir || !*name || *name == '/')
		return false;
	buf_addf(&path, "%s/%s", sandbox->workdir, name);
	return !access(buf_str(&path), F_OK);
}

/* Who typed the name of a file that is there does not look for it elsewhere. */
static void add_whereabouts(struct buf *line, const struct outcome *outcome,
			    const struct sandbox *sandbox)
{
	const char *name;

	if (outcome->exec_errno != ENOENT || !is_here(sandbox))
		return;
	name = sandbox->argv[0];
	if (outcome->at_home)
		buf_adds(line, "; the working directory, where it is, is not "
			       "visible there: '--read .' shows it");
	if (strchr(name, '/'))
		return;
	buf_adds(line, "; did you mean './");
	buf_add_plain(line, span_of(name));
	buf_adds(line, "'?");
}

/* A line each. */
static void warn_sentences(struct buf *notice)
{
	struct span rest;
	size_t len;

	(void)buf_str(notice); /* ends the last one */
	for (rest = buf_span(notice); rest.len; rest = span_from(rest, len)) {
		len = strnlen(rest.data, rest.len);
		warn("%s", rest.data);
		len += len < rest.len;
	}
}

void spawn_tell(const struct spawn *spawn, const struct outcome *outcome)
{
	const struct spawn_options *given = &spawn->options;
	autobuf struct buf result = { 0 };
	autobuf struct buf line = { 0 };
	autobuf struct buf notice = { 0 };
	autobuf struct buf where = { 0 };

	outcome_line(&line, outcome);
	write_line(given->status_fd, &line);
	if (given->report_fd >= 0)
		outcome_result(&result, outcome, &spawn->sandbox);
	write_line(given->report_fd, &result);
	add_whereabouts(&where, outcome, &spawn->sandbox);
	if (outcome->stage != OUTCOME_STARTED)
		warn("%s%s%s", outcome->why.text, hint(outcome),
		     buf_str(&where));
	else if (!outcome->ended)
		warn("process 1 of the sandbox was killed");
	if (outcome->gone.errnum && !given->explain)
		warn("%s, and everything in the sandbox was ended",
		     outcome->gone.text);
	if (outcome->left.errnum)
		warn("%s", outcome->left.text);
	outcome_notice(&notice, outcome, &spawn->sandbox);
	if (given->explain)
		warn_sentences(&notice);
}

/* A descriptor of the command's own was not meant for this. */
static void tell_refusal(int status, const char *text)
{
	const struct spawn_options *given = &teller->options;
	struct outcome outcome = { .misused = status == EXIT_MISUSE,
				   .busy = teller->busy };
	autobuf struct buf line = { 0 };
	autobuf struct buf result = { 0 };

	(void)why_set(&outcome.why, EINVAL, "%s", text);
	outcome_line(&line, &outcome);
	outcome_refused(&result, &outcome);
	if (given->status_fd > STDERR_FILENO)
		write_line(given->status_fd, &line);
	if (given->report_fd > STDERR_FILENO)
		write_line(given->report_fd, &result);
}

void spawn_tell_refusals(const struct spawn *spawn)
{
	teller = spawn;
	report_last_words(tell_refusal);
}
