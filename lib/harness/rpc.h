/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_RPC_H
#define CHOCK_HARNESS_RPC_H

/*
 * rpc - the messages that a client of the Model Context Protocol sends
 *
 * JSON-RPC 2.0, one message a line, as the protocol's stdio transport has
 * them.  Only a request to call a tool is looked into.
 *
 * Invariants
 *   - A message is read in one way only: one with a name that differs from
 *     one that counts by the case of its letters alone is refused, for there
 *     are servers that take it for the same.
 */

#include "base/buf.h"
#include "base/span.h"
#include "harness/native.h"
#include "harness/ruling.h"
#include "record/record.h"

struct why;

#define RPC_ID_MAX ((size_t)256) /* bytes, as it is written */

#define autorpc __attribute__((cleanup(rpc_drop)))

struct rpc {
	struct record record;
	struct native native;
	const struct record_value *id; /* borrowed from the record, or NULL */
	bool calls;                    /* it wants a tool to be called */
	int code;                      /* what is wrong, as JSON-RPC has it */
};

/*
 * rpc_read - read @line, which a client sends to the MCP server @server
 *
 * @line must outlive @rpc.  Returns 0, -EBADMSG for what must not go to a
 * server and gets an error; -EINVAL for a call that can be refused as one.
 */
int rpc_read(struct rpc *rpc, struct span line, const char *server,
	     struct why *why);

/* rpc_refuse - the result that shows the model why its call was not made */
void rpc_refuse(struct buf *out, const struct rpc *rpc,
		const struct ruling *ruling);

/* rpc_error - the error for a message that cannot be read */
void rpc_error(struct buf *out, const struct rpc *rpc,
	       const struct ruling *ruling);

/* rpc_drop - release it; good as new afterwards */
void rpc_drop(struct rpc *rpc);

#endif /* CHOCK_HARNESS_RPC_H */
