/* SPDX-License-Identifier: ISC */
#include "policy/type.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/bug.h"
#include "base/num.h"
#include "policy/action.h"
#include "policy/assignment.h"
#include "policy/glob.h"
#include "policy/path.h"
#include "policy/policy.h"

#define TYPES (sizeof(types) / sizeof(*types))
#define NUMBER_MAX UINT32_MAX
#define PERCENT_MAX 100

static bool only(const char *word, const char *of)
{
	return *word && !word[strspn(word, of)];
}

static const char *label(const char *word)
{
	if (strlen(word) > POLICY_LABEL_MAX)
		return "longer than 128 bytes";
	return strchr(word, '*') ? "not a name" : NULL;
}

static const char *selection(const char *word)
{
	const char *star = strchr(word, '*');

	if (strlen(word) > POLICY_LABEL_MAX)
		return "longer than 128 bytes";
	if (!star)
		return NULL;
	return star - word > 1 && !strcmp(star - 1, ".*")
		       ? NULL
		       : "neither a name nor a class, which ends in '.*'";
}

static const char *path(const char *word)
{
	if (*word != '/' && strcmp(word, "~") != 0 &&
	    strncmp(word, "~/", 2) != 0 && strcmp(word, "@project@") != 0 &&
	    strncmp(word, "@project@/", 10) != 0)
		return "not a path that starts with '/', '~' or '@project@'";
	return path_fault(span_of(word));
}

/* A name or pattern in the project, or a path. */
static const char *place(const char *word)
{
	if (*word == '~' || *word == '@')
		return path(word);
	return path_fault(span_of(word));
}

/* A file system may not tell capital letters from small ones. */
static bool is_in_git(const char *path)
{
	struct span rest = span_of(path);

	while (rest.len) {
		const struct span part = span_cut(&rest, '/');

		if (part.len == 4 && !strncasecmp(part.data, ".git", 4))
			return true;
	}
	return false;
}

static const char *below(const char *word)
{
	if (!*word || *word == '/' || *word == '~' || *word == '@')
		return "not a path below the project";
	if (is_in_git(word))
		return "a path in a repository of git";
	if (strlen(word) > GLOB_PATTERN_MAX ||
	    glob_stars(span_of(word)) > GLOB_STARS_MAX)
		return "longer than 1024 bytes, or has more than 32 stars";
	return path_fault(span_of(word));
}

static const char *action(const char *word)
{
	struct span name = span_of(word);
	bool class = name.len > 2 && !strcmp(word + name.len - 2, ".*");

	name.len -= class ? 2 : 0;
	if (action_fault(name))
		return "not the name of an action";
	if (class ? !action_space_above(name) : !action_space(name))
		return "not an action that chock knows";
	return NULL;
}

static const char *device(const char *word)
{
	const char *fault = action(word);

	if (fault)
		return fault;
	return strncmp(word, "device.", 7) != 0 ? "not a device" : NULL;
}

static const char *number(const char *word)
{
	uint64_t value;

	return num_read(&value, span_of(word), NUMBER_MAX) < 0 ? "not a number"
							       : NULL;
}

/* What a limit can be: a number, a size, a time, or a part of the machine. */
static const char *amount(const char *word)
{
	struct span text = span_of(word);
	uint64_t value;

	if (!strcmp(word, "none") || !num_read_size(&value, text, UINT64_MAX) ||
	    !num_read_seconds(&value, text, UINT64_MAX))
		return NULL;
	if (text.len && word[text.len - 1] == '%') {
		text.len--;
		if (!num_read(&value, text, PERCENT_MAX) && value)
			return NULL;
		return "not a percentage from 1% to 100%";
	}
	return "not a number, a size (4GiB), a time (90s), a percentage (50%) "
	       "or none";
}

static bool is_address(const char *word, size_t len)
{
	char copy[INET6_ADDRSTRLEN];
	unsigned char address[16];

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, word, len);
	copy[len] = '\0';
	return inet_pton(AF_INET, copy, address) == 1 ||
	       inet_pton(AF_INET6, copy, address) == 1;
}

static const char *port(const char *word)
{
	const char *colon = strrchr(word, ':');
	const char *digits = colon ? colon + 1 : word;
	uint64_t value;

	if (num_read(&value, span_of(digits), UINT16_MAX) < 0 || !value)
		return "not [ADDRESS:]PORT";
	if (!colon)
		return NULL;
	if (*word == '[' && colon[-1] == ']')
		return is_address(word + 1, (size_t)(colon - word) - 2)
			       ? NULL
			       : "not [ADDRESS:]PORT";
	return is_address(word, (size_t)(colon - word)) &&
			       !memchr(word, ':', (size_t)(colon - word))
		       ? NULL
		       : "not [ADDRESS:]PORT";
}

/* RFC 6052, section 2.2, names the lengths that a NAT64 prefix can have. */
static const char *prefix(const char *word)
{
	static const unsigned int lengths[] = { 32, 40, 48, 56, 64, 96 };
	const char *slash = strchr(word, '/');
	uint64_t bits;
	size_t i;

	if (!slash || !memchr(word, ':', (size_t)(slash - word)) ||
	    !is_address(word, (size_t)(slash - word)) ||
	    num_read(&bits, span_of(slash + 1), 128) < 0)
		return "not an IPv6 prefix";
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (lengths[i] == bits)
			return NULL;
	return "not as long as a NAT64 prefix: 32, 40, 48, 56, 64 or 96";
}

/* YEAR-MONTH-DAY, RFC 3339's full-date. */
static const char *date(const char *word)
{
	static const unsigned int days[] = { 31, 29, 31, 30, 31, 30,
					     31, 31, 30, 31, 30, 31 };
	uint64_t year, month, day;

	if (strlen(word) != 10 || word[4] != '-' || word[7] != '-' ||
	    num_read(&year, (struct span){ word, 4 }, 9999) < 0 ||
	    num_read(&month, (struct span){ word + 5, 2 }, 12) < 0 ||
	    num_read(&day, (struct span){ word + 8, 2 }, 31) < 0)
		return "not a date, YYYY-MM-DD";
	if (!month || !day || day > days[month - 1])
		return "not a day of the calendar";
	if (month == 2 && day == 29 &&
	    (year % 4 || (!(year % 100) && year % 400)))
		return "not a day of the calendar";
	return NULL;
}

static const char *source(const char *word)
{
	static const char *const kinds[] = { "env:", "file:", "fd:", "store:" };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(word, kinds[i], strlen(kinds[i])) &&
		    word[strlen(kinds[i])])
			return NULL;
	return "not env:VARIABLE, file:PATH, fd:NUMBER or store:NAME";
}

static const char *call_name(const char *word)
{
	return only(word, "abcdefghijklmnopqrstuvwxyz0123456789_")
		       ? NULL
		       : "not the name of a system call or of a group";
}

static const char *text(const char *word)
{
	(void)word;
	return NULL;
}

static const struct type types[] = {
	{ "ACTION", action },  { "AMOUNT", amount },
	{ "CALL", call_name }, { "COMMAND", text },
	{ "DATE", date },      { "DEVICE", device },
	{ "FILE", below },     { "KIND", selection },
	{ "NAME", label },     { "NAME=VALUE", assignment_fault },
	{ "NUMBER", number },  { "PATH", path },
	{ "PATTERN", place },  { "PORT", port },
	{ "PREFIX", prefix },  { "SOURCE", source },
	{ "WORD", text },
};

const struct type *type_find(struct span name)
{
	size_t i;

	for (i = 0; i < TYPES && !span_is(name, types[i].name); i++)
		continue;
	bug_if(i == TYPES);
	return &types[i];
}
