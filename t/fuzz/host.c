/* SPDX-License-Identifier: ISC */
/*
 * The readers of names of hosts, of URLs, and of addresses and prefixes.
 *
 * The input is read as each of them.
 */

#include "policy/host.h"

#include <errno.h>

#include "base/buf.h"
#include "base/why.h"
#include "fuzz.h"
#include "policy/action.h"
#include "policy/network.h"
#include "policy/url.h"

/* A host comes to an action that is well-formed, and backwards to itself. */
static void check_host(struct span host)
{
	autobuf struct buf action = { 0 }, again = { 0 }, third = { 0 };
	struct why why = { 0 };
	int r;

	buf_adds(&action, "net.connect");
	r = host_add(&action, host, &why);
	bug_if(r != 0 && r != -EINVAL);
	bug_if(r < 0 && !*why.text);
	if (r < 0)
		return;
	bug_if(action_fault(buf_span(&action)));
	bug_if(!action_space(buf_span(&action)));
	bug_if(host_fault(
		span_from(buf_span(&action), strlen("net.connect."))));
	/* Turned twice it is as it was, but for what a host cannot end in. */
	if (host_add(&again, span_from(buf_span(&action), 12), &why) < 0 ||
	    host_add(&third, span_from(buf_span(&again), 1), &why) < 0)
		return;
	bug_if(!span_equal(buf_span(&third), span_from(buf_span(&action), 11)));
}

static void check_url(struct span text)
{
	struct url url = { .port = 0 };
	struct why why = { 0 };
	int r = url_read(&url, text, &why);

	bug_if(r != 0 && r != -EINVAL);
	if (r < 0)
		return;
	bug_if(!url.port || !url.host.len);
	bug_if(url.host.data < text.data ||
	       url.host.data + url.host.len > text.data + text.len);
	check_host(url.host);
}

/* An address is in its own prefix, whatever the prefix's length. */
static void check_network(struct span text)
{
	struct network network = { .bits = 0 };
	uint8_t address[ADDRESS_LEN];
	const char *fault = network_read(&network, text);

	bug_if(!fault && network.bits > 128);
	bug_if(!fault && !network_has(&network, network.address));
	if (!fault && !memchr(text.data, '/', text.len))
		bug_if(network.bits != 128 || !address_read(address, text) ||
		       memcmp(address, network.address, sizeof(address)) != 0);
	if (address_read(address, text) && !fault)
		bug_if(!network_has(&network, address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };

	check_host(text);
	check_url(text);
	check_network(text);
	return 0;
}
