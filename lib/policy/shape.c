/* SPDX-License-Identifier: ISC */
#include "policy/shape.h"

#include <errno.h>
#include <string.h>

#include "base/bug.h"
#include "base/nearest.h"
#include "base/why.h"
#include "policy/type.h"
#include "policy/words.h"

#define FORMS_MAX 4
#define CHOICES_MAX 16
#define OPTIONS_MAX 8

static const struct {
	const char *word;
	bool single;
	const char *forms[FORMS_MAX];
} shapes[POLICY_KEYWORDS] = {
	[POLICY_READ] = { "read",
			  false,
			  { "PATH [noexec] [optional] [tool KIND] "
			    "[agent KIND]" } },
	[POLICY_WRITE] = { "write",
			   false,
			   { "PATH [noexec] [optional] [tool KIND] "
			     "[agent KIND]" } },
	[POLICY_HIDE] = { "hide", false, { "PATTERN" } },
	[POLICY_TMPFS] = { "tmpfs", false, { "PATH [optional]" } },
	[POLICY_BIND] = { "bind",
			  false,
			  { "FILE read_only|write|copy|temp_copy "
			    "[read_only] [write] [copy] [temp_copy] [allow] "
			    "[agent_review] [ask] [agent_then_human] "
			    "[deny]" } },
	[POLICY_DEVICE] = { "device", false, { "DEVICE" } },
	[POLICY_ENV] = { "env", false, { "NAME=VALUE" } },
	[POLICY_NET] = { "net", true, { "none|filtered|host" } },
	[POLICY_PUBLISH] = { "publish", false, { "PORT" } },
	[POLICY_NAT64] = { "nat64", false, { "PREFIX" } },
	[POLICY_SECRET] = { "secret",
			    false,
			    { "NAME to ACTION [tool KIND] [agent KIND]" } },
	[POLICY_CREDENTIAL] = { "credential", false, { "NAME SOURCE" } },
	[POLICY_AUTH] = { "auth",
			  false,
			  { "ACTION bearer NAME [cleartext yes|no]",
			    "ACTION basic WORD NAME [cleartext yes|no]",
			    "ACTION header WORD NAME [cleartext yes|no]",
			    "ACTION query WORD NAME [cleartext yes|no]" } },
	[POLICY_LIMIT] = { "limit",
			   false,
			   { "core|data|files|file-size|cpu-time|processes|"
			     "memory|cpu|disk|scratch|cow|cache|time "
			     "AMOUNT" } },
	[POLICY_SYSCALLS] = { "syscalls", false, { "strict", "deny CALL..." } },
	[POLICY_SUBAGENTS] = { "subagents",
			       true,
			       { "width NUMBER depth NUMBER" } },
	[POLICY_BUDGET] = { "budget", true, { "USD NUMBER" } },
	[POLICY_APPLY] = { "apply", true, { "merge|rebase|squash|ask|park" } },
	[POLICY_REVIEWER] = { "reviewer", true, { "COMMAND..." } },
	[POLICY_SINK] = { "sink", false, { "dir PATH", "syslog PATH" } },
	[POLICY_EXPIRES] = { "expires", true, { "DATE" } },
	[POLICY_DRIVER] = { "driver", true, { "auto|namespaces|landlock" } },
	[POLICY_CA_BUNDLE] = { "ca-bundle", true, { "PATH" } },
	[POLICY_MCP] = { "mcp", false, { "NAME COMMAND..." } },
};

/* A form while it is compared: how far it went, and what did not fit. */
struct match {
	const struct words *words;
	const char *form;
	size_t at; /* the word that comes next */
	struct why why;
};

enum policy_keyword shape_keyword(const char *word)
{
	unsigned int i;

	for (i = 0; i < POLICY_KEYWORDS; i++)
		if (!strcmp(word, shapes[i].word))
			break;
	return (enum policy_keyword)i;
}

bool shape_is_single(enum policy_keyword keyword)
{
	return shapes[keyword].single;
}

const char *policy_keyword_word(enum policy_keyword keyword)
{
	return shapes[keyword].word;
}

static bool is_type(struct span token)
{
	return *token.data >= 'A' && *token.data <= 'Z' &&
	       !span_is(token, "USD");
}

/* Complains that word @at is none of @names. */
static int no_name(struct match *match, const char *const *names, size_t count)
{
	const char *word = match->words->word[match->at];
	char near[NEAREST_ROOM];

	return words_wrong(match->words, match->at, &match->why,
			   "'%s' cannot stand here%s", word,
			   nearest_clause(near, span_of(word), names, count));
}

/* So for the choices "a|b|c" in @token. */
static int no_choice(struct match *match, struct span token)
{
	char room[256];
	const char *names[CHOICES_MAX];
	size_t count = 0;

	bug_if(token.len >= sizeof(room));
	memcpy(room, token.data, token.len);
	room[token.len] = '\0';
	for (char *name = room; name; count++) {
		char *bar = strchr(name, '|');

		bug_if(count == CHOICES_MAX);
		names[count] = name;
		if (bar)
			*bar = '\0';
		name = bar ? bar + 1 : NULL;
	}
	return no_name(match, names, count);
}

/* So for the names of the options "[a] [b TYPE]". */
static int no_option(struct match *match, struct span options)
{
	char room[256];
	const char *names[CHOICES_MAX];
	size_t count = 0;
	char *at = room;

	bug_if(options.len >= sizeof(room));
	memcpy(room, options.data, options.len);
	room[options.len] = '\0';
	while ((at = strchr(at, '['))) {
		bug_if(count == CHOICES_MAX);
		names[count++] = ++at;
		at += strcspn(at, " ]");
		*at++ = '\0';
	}
	return no_name(match, names, count);
}

static int take_choice(struct match *match, struct span token)
{
	const char *word = match->words->word[match->at];
	struct span rest = token;

	while (rest.len)
		if (span_is(span_cut(&rest, '|'), word)) {
			match->at++;
			return 0;
		}
	return no_choice(match, token);
}

static int take_typed(struct match *match, struct span token)
{
	const char *word = match->words->word[match->at];
	const char *fault = type_find(token)->fault(word);

	if (fault)
		return words_wrong(match->words, match->at, &match->why,
				   "'%s' is %s", word, fault);
	match->at++;
	return 0;
}

/* One token of a form: a type, one with "..." behind, or choices. */
static int take_token(struct match *match, struct span token)
{
	bool many = token.len > 3 &&
		    !memcmp(token.data + token.len - 3, "...", 3);
	int r;

	if (match->at == match->words->count)
		return words_wrong(match->words, match->at, &match->why,
				   "'%.*s' is missing", (int)token.len,
				   token.data);
	if (!is_type(token))
		return take_choice(match, token);
	token.len -= many ? 3 : 0;
	do {
		r = take_typed(match, token);
	} while (!r && many && match->at < match->words->count);
	return r;
}

/* The options of @form whose name is the next word; each counts once. */
static int take_option(struct match *match, struct span options,
		       unsigned int *taken)
{
	const char *word = match->words->word[match->at];
	struct span all = options;
	unsigned int number = 0;

	while (options.len) {
		struct span option = span_from(span_cut(&options, ']'), 1);
		struct span name = span_cut(&option, ' ');

		options = span_from(options, 1);
		bug_if(number == sizeof(*taken) * 8);
		if (!span_is(name, word)) {
			number++;
			continue;
		}
		if (*taken & 1U << number)
			return words_wrong(match->words, match->at, &match->why,
					   "'%s' a second time", word);
		*taken |= 1U << number;
		match->at++;
		return option.len ? take_token(match, option) : 0;
	}
	return no_option(match, all);
}

static int compare(struct match *match)
{
	struct span rest = span_of(match->form);
	unsigned int taken = 0;
	int r = 0;

	while (!r && rest.len && *rest.data != '[')
		r = take_token(match, span_cut(&rest, ' '));
	while (!r && match->at < match->words->count)
		r = take_option(match, rest, &taken);
	return r;
}

/* The error is that of the form that went furthest. */
int shape_check(enum policy_keyword keyword, const struct words *words,
		struct why *why)
{
	struct match best = { .at = 0 };
	size_t i;

	for (i = 0; i < FORMS_MAX && shapes[keyword].forms[i]; i++) {
		struct match match = { .words = words,
				       .form = shapes[keyword].forms[i],
				       .at = 1 };

		if (!compare(&match))
			return 0;
		if (match.at > best.at)
			best = match;
	}
	return why_set(why, EINVAL, "%s; it is written: %s %s", best.why.text,
		       shapes[keyword].word, best.form);
}
