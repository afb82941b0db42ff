/* SPDX-License-Identifier: ISC */
#include "call/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/why.h"
#include "call/tool.h"
#include "policy/pool.h"
#include "record/record.h"

#define ATTRIBUTES (sizeof(attributes) / sizeof(*attributes))

static const char *const attributes[] = {
	"port", "proto", "address", "method", "path", "websocket", "cleartext",
};

struct span call_keep(struct call *call, struct span text)
{
	return (struct span){ pool_keep(&call->memory, text), text.len };
}

int call_keep_text(struct call *call, struct span *text,
		   const struct record_value *value, const char *name,
		   struct why *why)
{
	autobuf struct buf bytes = { 0 };

	if (!value)
		return 0;
	if (value_text(&bytes, value) < 0 || !bytes.len)
		return why_set(why, EINVAL, "'%s' is not a text", name);
	*text = call_keep(call, buf_span(&bytes));
	return 0;
}

int call_keep_cwd(struct call *call, struct span *cwd,
		  const struct record_value *args, struct why *why)
{
	struct span beside = { NULL, 0 };
	int r = call_keep_text(call, cwd, value_field(args, "cwd"), "cwd", why);

	if (!r)
		r = call_keep_text(call, &beside, call->cwd, "cwd", why);
	if (r < 0 || !beside.data)
		return r;
	if (cwd->data && !span_equal(*cwd, beside))
		return why_set(why, EINVAL,
			       "'cwd' is one directory in 'args' and another "
			       "beside them");
	*cwd = beside;
	return 0;
}

struct question *call_ask(struct call *call, struct span action)
{
	struct question *added;

	call->questions = alloc_array(call->questions, call->count,
				      sizeof(*call->questions));
	added = &call->questions[call->count++];
	*added = (struct question){ .asker = &call->asker };
	if (action.len)
		added->action = call_keep(call, action);
	return added;
}

static void add_note(struct call *call, struct question *question,
		     struct span note)
{
	size_t i;

	for (i = 0; i < question->note_count; i++)
		if (span_equal(question->notes[i], note))
			return;
	if (!note.len || question->note_count == QUESTION_NOTES_MAX)
		return;
	question->notes[question->note_count++] = call_keep(call, note);
}

bool call_look(struct call *call, size_t words, size_t bytes)
{
	call->programs++;
	call->words += words;
	call->bytes += bytes;
	if (call->programs > CALL_PROGRAMS_MAX ||
	    call->words > CALL_WORDS_MAX || call->bytes > CALL_BYTES_MAX)
		call->overflow = true;
	return !call->overflow;
}

const struct question *call_want(struct call *call, struct span action,
				 struct span note)
{
	size_t i;

	for (i = 0; !call->overflow && i < call->count; i++)
		if (span_equal(call->questions[i].action, action)) {
			add_note(call, &call->questions[i], note);
			return &call->questions[i];
		}
	if (call->count >= CALL_ACTIONS_MAX)
		call->overflow = true;
	if (call->overflow)
		return NULL;
	add_note(call, call_ask(call, action), note);
	return &call->questions[call->count - 1];
}

/* Without an agent it is the one that everything starts with. */
static int read_chain(struct call *call, const struct record *record,
		      struct why *why)
{
	const struct record_value *chain = record_get(record, "agent");
	struct asker *asker = &call->asker;
	size_t count = value_count(chain);
	size_t i;
	int r = 0;

	if (!chain) {
		asker->chain[asker->chain_count++] = span_of("main");
		return 0;
	}
	if (!value_is_array(chain) || count > CHAIN_MAX)
		return why_set(why, EINVAL,
			       "'agent' is not a chain of at most %d agents",
			       CHAIN_MAX);
	for (i = 0; !r && i < count; i++) {
		const struct record_value *link = value_at(chain, i);

		asker->chain[i] = (struct span){ "", 0 };
		if (!value_is(link, ""))
			r = call_keep_text(call, &asker->chain[i], link,
					   "agent", why);
	}
	asker->chain_count = count;
	return r;
}

/* ---- attributes --------------------------------------------------------- */

/* A number or a truth as the text that act_set() reads. */
static int plain_text(struct buf *text, const struct record_value *value)
{
	int64_t number;

	if (!value_int(&number, value)) {
		buf_addf(text, "%lld", (long long)number);
		return 0;
	}
	value_print(text, value);
	if (!strcmp(buf_str(text), "true") || !strcmp(buf_str(text), "false")) {
		bool yes = *text->data == 't';

		buf_reset(text);
		buf_adds(text, yes ? "yes" : "no");
		return 0;
	}
	buf_reset(text);
	return value_text(text, value);
}

static int read_attributes(struct call *call, struct question *question,
			   const struct record_value *from, struct why *why)
{
	size_t i;
	int r;

	for (i = 0; i < ATTRIBUTES; i++) {
		const struct record_value *value =
			value_field(from, attributes[i]);
		autobuf struct buf text = { 0 };
		struct span kept;

		if (!value)
			continue;
		if (plain_text(&text, value) < 0)
			return why_set(why, EINVAL, "'%s' is not a value",
				       attributes[i]);
		kept.data = pool_keep(&call->memory, buf_span(&text));
		kept.len = text.len;
		r = act_set(&question->act, attributes[i], kept, why);
		if (r < 0)
			return r;
	}
	return 0;
}

int call_ask_for(struct call *call, const struct record_value *from,
		 struct why *why)
{
	struct question *question = call_ask(call, (struct span){ NULL, 0 });
	int r = call_keep_text(call, &question->action,
			       value_field(from, "action"), "action", why);

	if (r < 0)
		return r;
	if (!question->action.len)
		return why_set(why, EINVAL, "it names no action");
	return read_attributes(call, question, from, why);
}

/* One question for each of the paths that it is about. */
static int ask_for_paths(struct call *call, const struct record_value *from,
			 const struct record_value *paths, struct why *why)
{
	size_t count = value_is_array(paths) ? value_count(paths) : 0;
	size_t i;
	int r = 0;

	if (!count || count > CALL_ACTIONS_MAX)
		return why_set(why, EINVAL,
			       "'paths' is not a list of 1 to %d paths",
			       CALL_ACTIONS_MAX);
	if (value_field(from, "path"))
		return why_set(why, EINVAL,
			       "it has 'path' and 'paths', and wants one");
	for (i = 0; !r && i < count; i++) {
		struct span path = { NULL, 0 };

		r = call_ask_for(call, from, why);
		if (!r)
			r = call_keep_text(call, &path, value_at(paths, i),
					   "paths", why);
		if (!r)
			r = act_set(&call->questions[call->count - 1].act,
				    "path", path, why);
	}
	return r;
}

/* ---- records ------------------------------------------------------------ */

/* What only we add, and what would change later answers. */
static int check_fields(const struct record *record, struct why *why)
{
	static const char *const ours[] = {
		"actions", "decision", "rule",        "layer", "backed_by",
		"needs",   "why",      "restriction", "lifted"
	};
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (record_has(record, ours[i]))
			return why_set(why, EINVAL,
				       "it has a field '%s' already", ours[i]);
	if (record_has(record, "restrict"))
		return why_set(why, EINVAL,
			       "it restricts, and can be nothing else then");
	if (record_has(record, "widen"))
		return why_set(why, EINVAL,
			       "what widens counts on the descriptor of "
			       "--control-fd alone");
	if (record_has(record, "action") == record_has(record, "tool"))
		return why_set(why, EINVAL,
			       "it wants one of 'tool' and 'action'");
	return 0;
}

static int prepare_all(struct call *call, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < call->count; i++)
		if (call->questions[i].action.len)
			r = decide_prepare(&call->questions[i], why);
	return r;
}

int call_read(struct call *call, const struct record *record,
	      const char *const *projects, struct why *why)
{
	const struct record_value *args = record_get(record, "args");
	struct asker *asker = &call->asker;
	int r = check_fields(record, why);

	call->args = args;
	call->cwd = record_get(record, "cwd");
	call->chain = record_get(record, "agent");
	call->running = record_get(record, "running");
	if (!r)
		r = read_chain(call, record, why);
	if (!r)
		r = call_keep_text(call, &asker->model,
				   record_get(record, "model"), "model", why);
	if (!r)
		r = call_keep_text(call, &asker->tool,
				   record_get(record, "tool"), "tool", why);
	if (r < 0)
		return r;
	if (record_has(record, "action") && record_has(record, "paths"))
		r = ask_for_paths(call, record_root(record),
				  record_get(record, "paths"), why);
	else if (record_has(record, "action"))
		r = call_ask_for(call, record_root(record), why);
	else if (args && !value_is_object(args))
		r = why_set(why, EINVAL, "'args' is not an object");
	else
		r = tool_read(call, args, projects, why);
	if (!r && call->overflow)
		r = why_set(why, EINVAL,
			    "it comes to more than %d actions, %d programs, "
			    "%zu words or %zu bytes",
			    CALL_ACTIONS_MAX, CALL_PROGRAMS_MAX, CALL_WORDS_MAX,
			    CALL_BYTES_MAX);
	return r ? r : prepare_all(call, why);
}

void call_drop(struct call *call)
{
	size_t i;

	for (i = 0; i < call->count; i++)
		decide_release(&call->questions[i]);
	free(call->questions);
	pool_drop(&call->memory);
	*call = (struct call){ 0 };
}
