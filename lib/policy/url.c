/* SPDX-License-Identifier: ISC */
#include "policy/url.h"

#include <errno.h>
#include <stdbool.h>

#include "base/num.h"
#include "base/why.h"
#include "policy/network.h"

#define HTTP_PORT 80
#define HTTPS_PORT 443

static size_t until(struct span text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && !strchr(ends, text.data[len]))
		len++;
	return len;
}

static int check_bytes(struct span text, struct why *why)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		/* Some readers take a backslash for a slash. */
		if (c <= ' ' || c >= 0x7f || c == '\\')
			return why_set(why, EINVAL,
				       "the URL has a byte that must be "
				       "escaped in one");
	}
	return 0;
}

/* HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT */
static int read_authority(struct url *url, struct span text, struct why *why)
{
	bool bracket = text.len && *text.data == '[';
	size_t len = bracket ? until(text, "]") : until(text, ":");
	uint64_t port = url->port;
	uint8_t address[ADDRESS_LEN];
	struct span rest;

	if (text.len && memchr(text.data, '@', text.len))
		return why_set(why, EINVAL, "the URL has a user's name in it");
	url->host = (struct span){ text.data, len };
	if (bracket)
		url->host = span_from(url->host, 1);
	rest = span_from(text, len + (bracket ? 1 : 0));
	if (!url->host.len || (bracket && len == text.len))
		return why_set(why, EINVAL, "the URL has no host");
	if (bracket && (!memchr(url->host.data, ':', url->host.len) ||
			!address_read(address, url->host)))
		return why_set(why, EINVAL,
			       "the URL has brackets around what is no IPv6 "
			       "address");
	if (!rest.len)
		return 0;
	if (*rest.data != ':' ||
	    num_read(&port, span_from(rest, 1), UINT16_MAX) < 0 || !port)
		return why_set(why, EINVAL, "the URL's port is none");
	url->port = (uint16_t)port;
	return 0;
}

int url_read(struct url *url, struct span text, struct why *why)
{
	struct span rest;
	int r = check_bytes(text, why);

	if (r < 0)
		return r;
	if (span_starts(text, "https://")) {
		url->port = HTTPS_PORT;
		rest = span_from(text, strlen("https://"));
	} else if (span_starts(text, "http://")) {
		url->port = HTTP_PORT;
		rest = span_from(text, strlen("http://"));
	} else {
		return why_set(why, EINVAL,
			       "the URL starts with neither https:// nor "
			       "http://");
	}
	rest.len = until(rest, "/?#");
	return read_authority(url, rest, why);
}
