/* SPDX-License-Identifier: ISC */
/*
 * strings - strings for a shell, drawn from a grammar and then damaged
 *
 * strings SEED COUNT DIR prints COUNT of them, each with an RS behind.  They
 * name the programs alfa to delta along PATH, ./here and sub/there in the
 * directory where they run, and files in DIR.  One in three has bytes put in,
 * taken out or exchanged, so that what a reader makes of a string that nobody
 * would write is held against what shells make of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"

#define DEPTH_MAX 3
#define PLACE '@'  /* stands for DIR until the string is done */
#define END '\036' /* behind each string */

static uint64_t state;

static size_t draw(size_t below)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (size_t)(state >> 33) % below;
}

static const char *pick(const char *const *from, size_t count)
{
	return from[draw(count)];
}

#define PICK(from) pick(from, sizeof(from) / sizeof(*(from)))

/*
 * What shells read in different ways, or few people write.  It is drawn less
 * often, so that enough strings are left that are read whole.  A vertical tab
 * is behind each.
 */
static const char odd_words[] =
	"$'a\\nb'\v$'a\\'b'\v$\"a\"\va{b,alfa}c\v{1..3}\v=alfa\v~root\v@(a|b)\v"
	"*(.)\v=(alfa)\v<(bravo)\va\r\v\302\240\v$((1 + 2))\v\"a 'b' $(alfa)\"\v"
	"$[1]\v-p\v--\v'a\\'\v\"a\\\\\"\v!!\v\"!x\"\v^a^b\v$*\v\"$@\"\va\\ b\v\t\v"
	"\342\200\250\v[!a]\v${x:-alfa}\va:~\v%1\v$(alfa)\v#alfa\va#\v!(a)\v"
	"x[1]=2\v-c\v'path[$(alfa)]'\v";
static const char odd_redirects[] =
	">&2-\v2>&-\v>>&@/p\v&>>@/q\v<&0\v>!@/r\v>&|@/s\v{x}>@/t\v<<<alfa\v0<f\v"
	">&!@/u\v";
static const char odd_names[] =
	"exec -a x alfa\vcommand -p bravo\vcommand -v alfa\veval alfa\v~/here\v"
	"\\alfa\val\\\nfa\v=alfa\v-p\va\vx\v[ a ] && alfa\v[[ a == b ]] && alfa\v"
	"(( 1 )) && alfa\v((1)) || bravo\va=(x) alfa\vlet x=1\vread x\vprintf %s\v"
	"unset x\vset --\vexport LANG=C\vtrap alfa EXIT\v.\vreturn\vjobs -x alfa\v"
	"exit 'path[$(alfa)]'\vprintf %d 'path[$(bravo)]'\vbash -oc posix alfa\v";
static const char odd_before[] =
	"time -p \vtime -- \vtime ! \vtime -p ! \vnoglob \vnocorrect \v- \vcoproc \v"
	"coproc x \vrepeat 2 \vexec -a x \vcommand -p \vbusybox \vnice -n5 \v"
	"env -u x -i PATH=\"$PATH\" \vtimeout -s KILL 5 \vxargs -I{} \vxargs -i \v"
	"xargs -0 -n1 -r \vLANG=C TZ=x \va[0]=1 \vx+=1 \v\\\n\v!\v! ! \vthen \vdo \v"
	"else \v{ \vif \vfunction \valias x=alfa; \valways \vtime -p LANG=C \v"
	"env -S'-i alfa' \v";
static const char odd_joins[] = " &| \v &! \v;;\v\\\n\v\r\n\v;# y\n\v;\n\v&\v";
static const char odd_heredocs[] =
	"alfa <<\"E\"\n$(bravo)\nE\n\valfa <<-'E' # x\n\t\tbravo\n\tE\ndelta\n\v"
	"alfa <<E >f\n\\$(bravo) \\`delta\\`\nE\n\valfa <<''\nbravo\n\ndelta\n\v"
	"alfa <<E\nbravo \\\nE\ndelta\nE\n\valfa <<E\n`bravo`\nE\n\v"
	"alfa <<'E'\nbravo\n E\nE \ndelta\nE\n\valfa <<$x\nbravo\n$x\n\v"
	"alfa << 'E'; bravo\ndelta\nE\ncharlie\n\v{ alfa <<E\nbravo\nE\n}\n\v";
/* A list comes in place of the form feed. */
static const char odd_compounds[] =
	"case a in a) \f;; esac\vcase a in (b|a) \f;& esac) ;; esac\v"
	"case esac in esac) \f;; esac\vcase a in\n# x\na)\n\f\nesac\v"
	"while \f; do break; done\vfor x in a alfa; do \f; done\v"
	"for x in 'alfa'\ndo\n\f\ndone\vfor ((;;)); do \f; break; done\v"
	"foreach x (a b) \f; end\vrepeat 2 { \f; }\vf() \f; f\v"
	"select x in a; do \f; break; done\vfunction f { \f; }; f\v"
	"{ true; } always { \f; }\vif [[ a ]] { \f; }\v() { \f; }\v! { \f; }\v"
	"time { \f; }\vcoproc { \f; }\valias x='alfa '\nx \f\v"
	"until \f\ndo break\ndone\v[[ a == \f ]] && alfa\v(( \f ))\v{\f}\v=(\f)\v";

/* Draws one of @list. */
static struct span pick_odd(const char *list)
{
	size_t count = 0;
	const char *at;

	for (at = list; *at; at++)
		count += *at == '\v' ? 1 : 0;
	for (count = draw(count); count; list++)
		count -= *list == '\v' ? 1 : 0;
	return (struct span){ list, strcspn(list, "\v") };
}

static bool is_odd(void)
{
	return !draw(12);
}

static void list(struct buf *b, unsigned int depth);

static void word(struct buf *b, unsigned int depth)
{
	static const char *const plain[] = {
		"a",      "b c",    "'x; alfa'", "\"y | bravo\"",
		"\\;",    "-n",     "x=1",       "$x",
		"\"$x\"", "*.c",    "{}",        "{a,b}",
		"'#'",    "#",      "\\\n",      "\"a\\\"b\"",
		"''",     "~",      "a'b'",      "\\'",
		"a\\\nb", "'a\nb'", "${x}",      "$",
		"a#b",    "\"$(",   "\")\"",     "`",
		"[a-z]",  "!",      "}",         "{",
		"if",     "=a",     "\"${x}\"",  "\"\\$x\"",
		"%",      "^",      "a=b",
	};

	if (depth < DEPTH_MAX && !draw(12)) {
		buf_adds(b, draw(2) ? "$(" : "\"$(");
		list(b, depth + 1);
		buf_adds(b, draw(2) ? ")" : ")\"");
		return;
	}
	if (is_odd())
		buf_add(b, pick_odd(odd_words));
	else
		buf_adds(b, PICK(plain));
}

static void redirect(struct buf *b)
{
	static const char *const some[] = {
		">f",    ">>f",   "2>&1",        "</dev/null",  ">/dev/null",
		">@/f",  "2>@/g", ">&@/h",       "&>@/i",       ">|@/j",
		"<>@/k", ">& 2",  "2>/dev/null", "&>/dev/null", ">&-",
		"<f",    "<@/l",  "3>@/m",       "12>@/n",      "> @/o",
	};

	if (is_odd())
		buf_add(b, pick_odd(odd_redirects));
	else
		buf_adds(b, PICK(some));
}

/* The string in single quotes, and those within it escaped. */
static void quoted(struct buf *b, const struct buf *text)
{
	size_t i;

	buf_addc(b, '\'');
	for (i = 0; i < text->len; i++)
		if (text->data[i] == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, text->data[i]);
	buf_addc(b, '\'');
}

static const char *const names[] = {
	"alfa",
	"bravo",
	"charlie",
	"delta",
	"'alfa'",
	"br\\avo",
	"\"delta\"",
	"./here",
	"sub/there",
	"cha\"rl\"ie",
	"true",
	"false",
	":",
	"cd sub",
	"cd .",
	"echo",
	"test -n",
	"$x",
	"./sub/there",
	"here",
	"exec alfa",
	"command bravo",
	"cd sub && ./there",
};
static const char *const before[] = {
	"LANG=C ",
	"env ",
	"env -u x ",
	"timeout 5 ",
	"nice -n 1 ",
	"nice ",
	"! ",
	"command ",
	"env LANG=C ",
	"x=1 ",
	"timeout -k 1 5 ",
	"exec ",
	"time ",
	"nohup ",
	"stdbuf -oL ",
	"setsid -w ",
	"xargs ",
	"xargs -n 1 ",
	"env -i PATH=x ",
	"builtin ",
	"env -- ",
	"LC_ALL='C' ",
	"timeout --foreground 5 ",
	"2>&1 ",
	">f ",
	"env - ",
	"nice -5 ",
};

static void command(struct buf *b, unsigned int depth)
{
	autobuf struct buf inner = { 0 };
	size_t words = draw(4);

	while (!draw(4))
		if (is_odd())
			buf_add(b, pick_odd(odd_before));
		else
			buf_adds(b, PICK(before));
	if (depth < DEPTH_MAX && !draw(7)) {
		list(&inner, depth + 1);
		buf_adds(b, draw(2) ? "sh -c " : "bash -ec ");
		quoted(b, &inner);
		return;
	}
	if (is_odd())
		buf_add(b, pick_odd(odd_names));
	else
		buf_adds(b, PICK(names));
	while (words--) {
		buf_addc(b, ' ');
		if (draw(4))
			word(b, depth);
		else
			redirect(b);
	}
}

static void heredoc(struct buf *b)
{
	static const char *const some[] = {
		"alfa <<E\nbravo\nE\n",
		"alfa <<'E' && delta\nbravo $x '\nE\n",
		"alfa <<-E\n\tbravo\n\tE\n",
		"alfa <<E | bravo\n$(delta)\nE\n",
		"alfa <<\\E\ndelta \"\nE\n",
		"alfa <<E; bravo <<F\nx\nE\ny\nF\n",
	};

	if (draw(2))
		buf_add(b, pick_odd(odd_heredocs));
	else
		buf_adds(b, PICK(some));
}

static void odd_compound(struct buf *b, unsigned int depth)
{
	struct span text = pick_odd(odd_compounds);
	size_t open = 0;

	while (text.data[open] != '\f')
		open++;
	buf_add(b, (struct span){ text.data, open });
	list(b, depth + 1);
	buf_add(b, span_from(text, open + 1));
}

static void compound(struct buf *b, unsigned int depth)
{
	static const char *const open[] = { "(", "{ ", "if ", "f() { ", "( " };
	static const char *const close[] = { ")", "; }", "; then alfa; fi",
					     "; }; f", "\n)" };
	size_t which = draw(5);

	buf_adds(b, open[which]);
	list(b, depth + 1);
	buf_adds(b, close[which]);
}

static void list(struct buf *b, unsigned int depth)
{
	static const char *const joins[] = {
		";",  " && ", " || ",   " | ",  "\n",  " & ",
		"; ", "&&",   " # x\n", " |& ", "|\n", " &&\n"
	};
	size_t count = 1 + draw(depth ? 2 : 4);

	while (count--) {
		if (depth < DEPTH_MAX && !draw(8))
			compound(b, depth);
		else if (depth < DEPTH_MAX && !draw(24))
			odd_compound(b, depth);
		else if (!depth && !draw(10))
			heredoc(b);
		else
			command(b, depth);
		if (count && is_odd())
			buf_add(b, pick_odd(odd_joins));
		else if (count)
			buf_adds(b, PICK(joins));
	}
}

static void damage(struct buf *b)
{
	static const char bytes[] = " \n;&|<>(){}$`'\"\\#!=*?-~0[]\t\r^%,+@:";
	autobuf struct buf made = { 0 };
	size_t times = 1 + draw(3);

	while (times-- && b->len) {
		size_t at = draw(b->len);
		size_t skip = draw(3) ? 1 : 0;

		if (b->data[at] == PLACE || b->data[at] == '/')
			continue;
		buf_reset(&made);
		buf_add(&made, (struct span){ b->data, at });
		if (draw(3))
			buf_addc(&made, bytes[draw(sizeof(bytes) - 1)]);
		buf_add(&made, span_from(buf_span(b), at + skip));
		buf_reset(b);
		buf_add(b, buf_span(&made));
	}
}

static void print_one(const struct buf *b, const char *dir)
{
	size_t i;

	for (i = 0; i < b->len; i++)
		if (b->data[i] == PLACE)
			(void)fputs(dir, stdout);
		else
			(void)putchar(b->data[i]);
	(void)putchar(END);
}

int main(int argc, char **argv)
{
	uint64_t count = 0;

	if (argc != 4 || num_read(&state, span_of(argv[1]), UINT32_MAX) < 0 ||
	    num_read(&count, span_of(argv[2]), UINT32_MAX) < 0)
		die(EXIT_MISUSE, "usage: strings SEED COUNT DIR");
	while (count--) {
		autobuf struct buf b = { 0 };

		list(&b, 0);
		if (!draw(3))
			damage(&b);
		print_one(&b, argv[3]);
	}
	return EXIT_ALLOW;
}
