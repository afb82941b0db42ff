/* SPDX-License-Identifier: ISC */
#include "harness/rpc.h"

#include <errno.h>
#include <string.h>

#include "base/why.h"
#include "record/json.h"

/* JSON-RPC 2.0, section 5.1 */
#define PARSE_ERROR (-32700)
#define INVALID_REQUEST (-32600)
#define INVALID_PARAMS (-32602)

struct alike {
	const char *const *names;
	bool found;
};

/*
 * Whether @text is @name but for the case of letters, as readers have it that
 * go by Unicode: a long s (U+017F) and the sign of Kelvin (U+212A) count.
 */
static bool folds_to(const char *text, const char *name)
{
	while (*text && *name) {
		size_t len = 1;
		char c = *text;

		if (!strncmp(text, "\xc5\xbf", 2)) {
			c = 's';
			len = 2;
		} else if (!strncmp(text, "\xe2\x84\xaa", 3)) {
			c = 'k';
			len = 3;
		}
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != *name)
			return false;
		text += len;
		name++;
	}
	return !*text && !*name;
}

static void look_alike(void *context, const char *name,
		       const struct record_value *field)
{
	struct alike *alike = context;
	size_t i;

	(void)field;
	for (i = 0; alike->names[i]; i++)
		if (strcmp(name, alike->names[i]) != 0 &&
		    folds_to(name, alike->names[i]))
			alike->found = true;
}

/* Whether @text is @name, but for blanks around it as well. */
static bool trims_to(const char *text, const char *name)
{
	static const char blanks[] = " \t\r\n\v\f";
	size_t len;
	autobuf struct buf inner = { 0 };

	text += strspn(text, blanks);
	for (len = strlen(text); len && strchr(blanks, text[len - 1]);)
		len--;
	buf_add(&inner, (struct span){ text, len });
	return folds_to(buf_str(&inner), name);
}

static bool has_alike(const struct record_value *value,
		      const char *const *names)
{
	struct alike alike = { names, false };

	value_each(value, look_alike, &alike);
	return alike.found;
}

static int wrong(struct rpc *rpc, int code, struct why *why, const char *what)
{
	rpc->code = code;
	return why_set(why, EBADMSG, "%s", what);
}

/* An id that a result can name; another is none. */
static void read_id(struct rpc *rpc)
{
	const struct record_value *id = record_get(&rpc->record, "id");
	autobuf struct buf text = { 0 };

	value_print(&text, id);
	if (text.len && text.len <= RPC_ID_MAX && !value_is_object(id) &&
	    !value_is_array(id) && !value_is_null(id))
		rpc->id = id;
}

static int read_call(struct rpc *rpc, const char *server, struct why *why)
{
	static const char *const names[] = { "name", "arguments", NULL };
	const struct record_value *params = record_get(&rpc->record, "params");
	struct use use = {
		.tool = value_string(value_field(params, "name")),
		.input = value_field(params, "arguments"),
		.server = server,
	};

	rpc->calls = true;
	if (!rpc->id)
		return wrong(rpc, INVALID_REQUEST, why,
			     "a call has no id that can be answered");
	if (!use.tool || has_alike(params, names))
		return wrong(rpc, INVALID_PARAMS, why,
			     "a call does not name one tool");
	return native_put(&rpc->native, &use, why);
}

int rpc_read(struct rpc *rpc, struct span line, const char *server,
	     struct why *why)
{
	static const char *const names[] = { "jsonrpc", "id",     "method",
					     "params",  "result", "error",
					     NULL };
	const struct record_value *method;

	rpc->code = PARSE_ERROR;
	if (record_read(&rpc->record, line, why) < 0)
		return -EBADMSG;
	read_id(rpc);
	method = record_get(&rpc->record, "method");
	if (!value_is(record_get(&rpc->record, "jsonrpc"), "2.0") ||
	    has_alike(record_root(&rpc->record), names))
		return wrong(rpc, INVALID_REQUEST, why,
			     "it is no message of JSON-RPC 2.0");
	/* Without a method it answers a request of the server's. */
	if (!method)
		return 0;
	if (!value_string(method))
		return wrong(rpc, INVALID_REQUEST, why,
			     "its method is no text");
	if (!value_is(method, "tools/call"))
		return trims_to(value_string(method), "tools/call")
			       ? wrong(rpc, INVALID_REQUEST, why,
				       "its method is 'tools/call' but for "
				       "case and blanks")
			       : 0;
	return read_call(rpc, server, why);
}

static void open_answer(struct buf *out, const struct rpc *rpc)
{
	autobuf struct buf id = { 0 };

	if (rpc->id)
		value_print(&id, rpc->id);
	else
		buf_adds(&id, "null");
	json_open(out);
	json_str(out, "jsonrpc", span_of("2.0"));
	json_raw(out, "id", buf_span(&id));
}

void rpc_refuse(struct buf *out, const struct rpc *rpc,
		const struct ruling *ruling)
{
	open_answer(out, rpc);
	json_open_object(out, "result");
	json_open_array(out, "content");
	json_item_object(out);
	json_str(out, "type", span_of("text"));
	json_str(out, "text", ruling_text(ruling));
	json_close_object(out);
	json_close_array(out);
	json_bool(out, "isError", true);
	json_close_object(out);
	json_close(out);
}

void rpc_error(struct buf *out, const struct rpc *rpc,
	       const struct ruling *ruling)
{
	open_answer(out, rpc);
	json_open_object(out, "error");
	json_num(out, "code", rpc->code);
	json_str(out, "message", ruling_text(ruling));
	json_close_object(out);
	json_close(out);
}

void rpc_drop(struct rpc *rpc)
{
	native_drop(&rpc->native);
	record_drop(&rpc->record);
	*rpc = (struct rpc){ 0 };
}
