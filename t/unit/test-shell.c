/* SPDX-License-Identifier: ISC */
/* shell: every command that a string runs, and a gap where that is not all */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "shell/shell.h"
#include "tap.h"

/* The words of all commands, "|" between, unknown ones in "<>", and "!" for a
 * gap; the last one's stays until the next call. */
static const char *reads(const char *text)
{
	static struct buf said;
	autoshell struct shell shell = { 0 };
	size_t i, j;

	buf_reset(&said);
	shell_read(&shell, span_of(text));
	for (i = 0; i < shell.count; i++) {
		buf_adds(&said, i ? "|" : "");
		for (j = 0; j < shell.commands[i].word_count; j++) {
			struct shell_word word = shell.commands[i].words[j];

			buf_adds(&said, j ? " " : "");
			buf_adds(&said, word.known ? "" : "<");
			buf_add(&said, word.text);
			buf_adds(&said, word.known ? "" : ">");
		}
	}
	buf_adds(&said, shell.gap_count ? "!" : "");
	return buf_str(&said);
}

static bool is_read(const char *text, const char *as)
{
	bool same = !strcmp(reads(text), as);

	if (!same)
		printf("# %s\n# is read as %s\n", text, reads(text));
	return same;
}

static bool has_gap(const char *text)
{
	const char *said = reads(text);

	return *said && said[strlen(said) - 1] == '!';
}

static void words(void)
{
	ok(is_read("a 'b c' \"d \\\" e\" f\\ g", "a b c d \" e f g"),
	   "takes quotes away");
	ok(is_read("a \"$b\" $c x$d", "a <$b> <$c> <x$d>"),
	   "says which words are expanded");
	ok(is_read("a *.c [x] ~/y z~", "a <*.c> <[x]> <~/y> z~"),
	   "takes patterns and homes for expanded");
	ok(is_read("a {} {x,y}", "a {} <{x,y}>"), "takes braces for expanded");
	ok(is_read("a '' \"\"", "a  "), "keeps empty words");
	ok(is_read("a \\\n b", "a b"), "joins continued lines");
	ok(is_read("a\\\nb", "ab!"), "doubts a word that is continued");
	ok(is_read("a # b; c\nd#e", "a|d#e"), "goes over comments");
	ok(is_read("a \"cost $\" 5$", "a cost $ 5$"), "knows a mere dollar");
}

/* Whether the second word may become several. */
static bool splits(const char *text)
{
	autoshell struct shell shell = { 0 };

	shell_read(&shell, span_of(text));
	return shell.commands[0].words[1].split;
}

static void several(void)
{
	ok(splits("a $b") && splits("a c$b\"\"") && splits("a \"$@\"") &&
		   splits("a \"${@}\"") && splits("a {b,c}"),
	   "says which words may become several");
	ok(!splits("a \"$b\"") && !splits("a '$@'") && !splits("a /{b,c}"),
	   "and which may not");
}

static void lists(void)
{
	ok(is_read("a;b&c&&d||e|f|&g\nh", "a|b|c|d|e|f|g|h"),
	   "parts commands at every operator");
	ok(is_read("(a; b) && { c; }", "a|b|c"), "looks into groups");
	ok(is_read("! a | b", "a|b"), "goes over a negation");
	ok(is_read("if a; then b; else c; fi", "a|b|c!"), "looks into an if");
	ok(is_read("for x in rm b; do c; done", "c!"),
	   "tells a loop's words from commands");
	ok(is_read("for x do c; done; d", "c|d!"),
	   "knows a loop without words");
	ok(is_read("case a in (b|rm) c;; d) e; esac; f", "c|e|f!"),
	   "tells a case's patterns from commands");
	ok(is_read("while a; do b; done <f", "a|b|!"), "looks into a loop");
	ok(is_read("f() { a; }; f", "f|a|f!"), "looks into a function");
	ok(is_read("time a", "time|a"), "has time's command apart");
	ok(is_read("'if' a", "if a") && is_read("\\then", "then"),
	   "takes a quoted reserved word for a name");
}

static void substitutions(void)
{
	ok(is_read("a $(b \"$(c)\") `d \\`e\\``",
		   "a <$(b \"$(c)\")> <`d \\`e\\``>|b <$(c)>|c|d <`e`>|e!"),
	   "looks into substitutions");
	ok(is_read("a \"$(b ')')\"", "a <$(b ')')>|b )!"),
	   "knows quotes within them");
	ok(is_read("a '$(b)' \\$\\(b", "a $(b) $(b"),
	   "takes a quoted one for text");
	ok(is_read("a $(case x in y) b;; esac) c",
		   "a <$(case x in y) b;; esac)> c|b!"),
	   "finds the end of one with a case in it");
	ok(is_read("a $((1 + $(b)))", "a <$((1 + $(b)))>|b!"),
	   "looks into arithmetic");
	ok(is_read("a ${b} ${#b} ${b:-$(c)}",
		   "a <${b}> <${#b}> <${b:-$(c)}>|c!"),
	   "looks into parameters");
	ok(strstr(reads("a <(b) >(c)"), "|b") && strstr(reads("a >(c)"), "|c"),
	   "looks into process substitutions");
}

static void heredocs(void)
{
	ok(is_read("a <<E\nb\nE\nc", "a|c"), "takes a text for none");
	ok(is_read("a <<'E' | d\n$(b)\nE\nc", "a|d|c"),
	   "expands nothing where its end is quoted");
	ok(is_read("a <<E\n$(b)\nE\nc", "a|b|c!"),
	   "looks into what it expands");
	ok(is_read("a <<-E <<F\n\tb\n\tE\nx\nF\nc", "a|c"),
	   "knows two, and tabs");
	ok(strstr(reads("a <<E\nb\nc"), "|c") && has_gap("a <<E\nb"),
	   "doubts one without its end");
	ok(strstr(reads("a <<$'E'\nb'\nE\nc"), "c"), "doubts an odd end");
}

static void doubts(void)
{
	static const char *const odd[] = {
		"a 'b",
		"a \"b",
		"a $(b",
		"a `b",
		"a ${b",
		"a (b",
		"a )",
		"a $'b'",
		"a $\"b\"",
		"a &>b c",
		"[[ a ]]",
		"((a))",
		"a b(c)",
		"x=(a b)",
		"x+=1 a",
		"x[1]=2 a",
		"10>a b",
		"a <<<b",
		"coproc a",
		"select x in a; do b; done",
		"a \xc2\xa0 b",
		"a \xff",
		"a\rb",
		"a \x1b[m",
		"a }",
		"a =b",
		"function f { a; }",
		"a ${b:=c}",
		"a $[1]",
		"a \\",
		";; a",
		"a \xe2\x80\x8b",
		"\xc3\xa9",
		"a >",
	};
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		ok(has_gap(odd[i]), odd[i]);
	ok(!has_gap("a '\xc3\xa9'") && !has_gap("a >b 2>&1 <c >>d >|e 3<>f"),
	   "doubts not what all shells know");
}

/* Whatever is in front of it, a name that is written is found. */
static void lost(void)
{
	static const char *const before[] = {
		"a 'b\n",      "a \"b\n",   "a $(b\n",       "((a # b))\n",
		"a <<'E F'\n", "a b(c)\n",  "x=(a #b)\n",    "a $'b\\'\n",
		"a `b\n",      "a ${b\n",   "case a in b\n", "a <<E\nb\\\nE\n",
		"a ${b:-'}\n", "a $((1)\n", "cat <<E $(\n",  "{fd}>a ",
		"a <<E;(",     "[[ a && ",  "for ((;;)) ",   "coproc X {",
		"a >(b) ",     "if ! ",     "while :; do ",  "$x ",
	};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		(void)snprintf(text, sizeof(text), "%s\nwanted x", before[i]);
		ok(strstr(reads(text), "wanted x"), before[i]);
	}
}

static double seconds(const char *text, size_t len)
{
	autoshell struct shell shell = { 0 };
	clock_t start = clock();

	shell_read(&shell, (struct span){ text, len });
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* @part, again and again, up to the largest string. */
static bool is_quick(const char *part)
{
	size_t len = strlen(part), i;
	char *text = alloc_zero(1, SHELL_BYTES_MAX + 1);
	double took;

	for (i = 0; i + len <= SHELL_BYTES_MAX; i += len)
		memcpy(text + i, part, len);
	took = seconds(text, i);
	free(text);
	if (took >= 2)
		printf("# %s took %.1f s\n", part, took);
	return took < 2;
}

static void limits(void)
{
	static const char *const parts[] = {
		"(",
		"$(",
		"`",
		"\\`",
		"$((",
		"${a:-",
		"\"$(",
		"'",
		"a;",
		"a ",
		"a <<E\n",
		"x=(",
		"case a in b) ",
		"{",
		"$(a)>f ",
		"if ",
		"&>a ",
		"<(",
		"$(( $( ",
		"a\\\n",
		"\t\n",
		"((",
		"a=b ",
		"\xff",
	};
	char *deep = alloc_zero(1, 4096);
	char *many = alloc_zero(1, 65536);
	autoshell struct shell shell = { 0 };
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		ok(is_quick(parts[i]), parts[i]);
	for (i = 0; i < 1000; i++)
		memcpy(deep + 2 * i, "$(", 2);
	memcpy(deep + 2 * i, "wanted x", 8);
	ok(strstr(reads(deep), "wanted x") && has_gap(deep),
	   "finds what is deeper than SHELL_DEPTH_MAX, with a gap");
	for (i = 0; i < SHELL_COMMANDS_MAX + 1; i++)
		memcpy(many + 2 * i, "a;", 2);
	shell_read(&shell, span_of(many));
	ok(shell.count == SHELL_COMMANDS_MAX && shell.gap_count,
	   "stops at SHELL_COMMANDS_MAX, with a gap");
	many[2 * SHELL_COMMANDS_MAX] = '\0';
	ok(!has_gap(many), "and has none before");
	free(deep);
	free(many);
}

/* Any bytes at all; the sanitizers look on. */
static void noise(void)
{
	static const char alphabet[] = " \n\t;&|<>(){}$`'\"\\#!=*?[]~abE0-";
	unsigned int state = 20251129;
	size_t round, i;

	for (round = 0; round < 20000; round++) {
		autoshell struct shell shell = { 0 };
		char text[48];

		for (i = 0; i < sizeof(text); i++) {
			state = state * 1664525 + 1013904223;
			text[i] = round % 8 ? alphabet[(state >> 8) %
						       (sizeof(alphabet) - 1)]
					    : (char)(state >> 16);
		}
		shell_read(&shell, (struct span){ text, sizeof(text) });
	}
	ok(true, "reads any bytes");
}

int main(void)
{
	words();
	several();
	lists();
	substitutions();
	heredocs();
	doubts();
	lost();
	limits();
	noise();
	return tap_end();
}
