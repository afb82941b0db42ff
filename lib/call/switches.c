/* SPDX-License-Identifier: ISC */
/* Options by which programs that are no wrappers run others. */
#include <string.h>

#include "call/running.h"
#include "call/wrapper.h"

struct switches {
	const char *names;
	const char *longs;   /* any beginning of one counts */
	const char *letters; /* wherever in a bundle they are */
	bool command;        /* what follows one is a command */
	bool input;          /* without a word it runs what it reads */
	bool always;         /* what its words and its input say can run more */
};

static const struct switches switches[] = {
	{ "tar bsdtar gtar",
	  "to-command use-compress-program checkpoint-action info-script "
	  "new-volume-script rsh-command rmt-command files-from",
	  "IFT", true, false, false },
	{ "install ginstall cpio sdiff diff3 sort split",
	  "strip-program rsh-command diff-program compress-program filter", "",
	  true, false, false },
	{ "less more most pager", "lesskey-file lesskey-src lesskey-content",
	  "k", false, false, false },
	{ "groff troff nroff pic tbl", "", "U", false, false, false },
	{ "tex latex pdftex pdflatex xelatex lualatex luatex xetex latexmk",
	  "shell-escape enable-write18 enable-pipes lua", "e", false, false,
	  false },
	{ "aria2c",
	  "on-bt-download-complete on-download-complete "
	  "on-download-error on-download-pause on-download-start "
	  "on-download-stop",
	  "", true, false, false },
	{ "rsync", "rsh rsync-path", "e", true, false, false },
	{ "scp sftp", "", "SoFDb", true, false, false },
	{ "man", "pager preprocessor html", "PH", true, false, false },
	{ "rg", "pre hostname-bin", "", true, false, false },
	{ "ag ack", "pager", "", true, false, false },
	{ "fd fdfind", "exec exec-batch", "xX", true, false, false },
	{ "zip", "unzip-command", "T", true, false, false },
	{ "go", "exec toolexec vettool", "", true, false, false },
	{ "cargo", "config", "", false, false, false },
	{ "make gmake", "eval file makefile", "fE", false, false, false },
	{ "gcc cc g++ c++ clang clang++ cpp gfortran",
	  "wrapper fplugin specs fuse-ld ld-path Xclang load", "", false, false,
	  false },
	{ "wget", "use-askpass execute config", "e", false, false, false },
	{ "tcpdump", "", "z", true, false, false },
	{ "nc ncat netcat", "exec sh-exec lua-exec", "ec", true, false, false },
	{ "vi vim nvim ex view rvim vimdiff ed red emacs emacsclient nano joe "
	  "sqlite3 sqlite psql mysql mariadb lftp ftp m4 gm4 dc gnuplot expect "
	  "octave julia R Rscript ghci runghc runhaskell ocaml erl elixir iex "
	  "jshell groovy kotlin scala swipl guile racket sbcl clisp telnet "
	  "mail mailx mutt rails rake ipython ipython3 bpython",
	  "", "", false, false, true },
	{ "ip", "batch", "b", false, false, false },
	{ "ruby irb", "", "erSI", false, true, false },
	{ "node nodejs deno bun", "eval print require import loader", "epr",
	  false, true, false },
	{ "php", "run process-code", "rBRE", false, true, false },
	{ "lua luajit tclsh wish", "", "e", false, true, false },
	{ "perl", "", "eEMmdIx", false, true, false },
	{ "awk gawk mawk nawk", "file exec include load source", "fEile", false,
	  false, false },
	{ "sed gsed", "file", "f", false, false, false },
};

static bool is_python(struct span name)
{
	return span_starts(name, "python") || span_starts(name, "pypy");
}

static bool is_switch(const struct switches *row, struct span text)
{
	size_t dashes = span_starts(text, "--") ? 2 : 1;
	struct span name = span_from(text, dashes);
	const char *is = name.len ? memchr(name.data, '=', name.len) : NULL;
	size_t i;

	if (is)
		name.len = (size_t)(is - name.data);
	/* go and gcc have their long ones behind a single dash. */
	if ((dashes == 2 || name.len > 2) && listed_begin(row->longs, name))
		return true;
	for (i = 0; dashes == 1 && i < name.len; i++)
		if (name.data[i] && strchr(row->letters, name.data[i]))
			return true;
	return false;
}

/* The first word of tar is letters, with a dash or without. */
static bool is_bundle(const struct switches *row,
		      const struct shell_word *words, size_t index)
{
	return index == 1 && span_is(span_of(row->names), "tar bsdtar gtar") &&
	       strpbrk(words[1].text.data, row->letters);
}

/* Says what one switch can run, and asks for as much as is written of it. */
static void take_switch(const struct running *run, const struct switches *row,
			const struct shell_word *words, size_t count,
			size_t index)
{
	struct span text = words[index].text;
	const char *is = memchr(text.data, '=', text.len);

	running_switch(run, words->text, text);
	if (is && row->command) {
		struct span said =
			span_from(text, (size_t)(is + 1 - text.data));

		/* tar --checkpoint-action=exec=COMMAND */
		if (span_starts(said, "exec="))
			said = span_from(said, strlen("exec="));
		running_string(run, said);
	}
	if (span_starts(span_of(row->names), "fd "))
		running_words(run, words + index + 1, count - index - 1);
	else if (row->command && !is && index + 1 < count)
		running_string(run, words[index + 1].text);
}

bool running_input(struct span file)
{
	return span_is(file, "-") || span_starts(file, "/dev/") ||
	       span_starts(file, "/proc/");
}

static void check_row(const struct running *run, const struct switches *row,
		      struct span name, const struct shell_word *words,
		      size_t count)
{
	bool word = false;
	size_t i;

	for (i = 1; i < count; i++) {
		struct span text = words[i].text;
		bool option = span_starts(text, "-") && text.len > 1;

		word = word || (!option && !running_input(text)) ||
		       listed("--version --help -v -V", text);
		if (running_option(&words[i]))
			running_written(run, &words[i], 1);
		if (option ? is_switch(row, text) : is_bundle(row, words, i))
			take_switch(run, row, words, count, i);
	}
	if (row->always)
		running_unparsed(run, "%.*s, which can run programs",
				 (int)(name.len < 20 ? name.len : 20),
				 name.data);
	else if (row->input && !word)
		running_unparsed(run, "an interpreter that reads its input");
}

/* ---- those with a command of theirs that runs a program ----------------- */

static const struct {
	const char *names;
	const char *commands;
} runners[] = {
	{ "npm pnpm yarn bun", "exec x dlx create init" },
	{ "bundle bundler", "exec" },
	{ "poetry pipenv hatch pdm rye", "run shell" },
	{ "uv", "run tool x" },
	{ "conda mamba micromamba", "run" },
	{ "mise asdf", "exec x" },
	{ "rbenv pyenv nodenv goenv", "exec" },
	{ "rustup", "run" },
	{ "opam stack cabal dune guix", "exec shell" },
	{ "nix", "shell develop run -c --command" },
	{ "mix", "cmd run eval" },
	{ "deno", "eval run repl task x" },
	{ "ip", "exec" },
};

/* Its command alone is read as one; where options stand between, any word may
 * be the program. */
static void check_runner(const struct running *run, const char *commands,
			 const struct shell_word *words, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++) {
		if (running_option(&words[i]))
			running_written(run, &words[i], 1);
		if (!listed(commands, words[i].text))
			continue;
		if (i == 1 && count > 2 && !span_starts(words[2].text, "-") &&
		    listed("exec run cmd", words[1].text)) {
			running_words(run, words + 2, count - 2);
			return;
		}
		running_switch(run, words->text, words[i].text);
		running_any(run, words + i + 1, count - i - 1);
		return;
	}
}

/* NAME=VALUE of make in which no program can be. */
static bool is_flag(struct span text)
{
	size_t len = 0;
	size_t i;

	while (len < text.len && text.data[len] != '=')
		len++;
	for (i = len + 1; i < text.len; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			break;
	if (i >= text.len)
		return true;
	text.len = len;
	return listed("V VERBOSE DESTDIR PREFIX prefix bindir libdir BUILD "
		      "CONFIG DEBUG VERSION TEST TESTS",
		      text);
}

/* What is behind the = of make, or the +! of a pager. */
static void run_value(const struct running *run, struct span text)
{
	size_t at = 0;

	while (at < text.len && text.data[at] != '=' && text.data[at] != '!')
		at++;
	if (at < text.len)
		running_string(run, span_from(text, at + 1));
}

/* Words that are no switches, and make one run another all the same. */
static void check_words(const struct running *run, struct span name,
			const struct shell_word *words, size_t count)
{
	static const char modules[] =
		"timeit code pdb bdb asyncio idlelib IPython ptpython";
	bool python = is_python(name);
	bool less = listed("less more most pager", name);
	bool gcc = listed("gcc cc g++ c++ clang clang++ cpp gfortran ld", name);
	bool make = listed("make gmake", name);
	bool go = span_is(name, "go");
	size_t i;

	for (i = 1; i < count; i++) {
		struct span text = words[i].text;
		bool found = false;

		if (python && span_starts(text, "-m"))
			found = listed(modules,
				       text.len > 2    ? span_from(text, 2)
				       : i + 1 < count ? words[i + 1].text
						       : text);
		else if (less)
			found = span_starts(text, "+");
		else if (gcc)
			found = span_starts(text, "-B") ||
				span_starts(text, "@");
		else if (make)
			found = memchr(text.data, '=', text.len) &&
				!span_starts(text, "-") && !is_flag(text);
		else if (go)
			found = memmem(text.data, text.len, "extld", 5);
		if (found)
			running_switch(run, words->text, text);
		if (found && (make || less))
			run_value(run, text);
	}
}

void running_switches(const struct running *run, struct span name,
		      const struct shell_word *words, size_t count)
{
	static const struct switches python = {
		.names = "python", .longs = "", .letters = "c", .input = true
	};
	size_t i;

	check_words(run, name, words, count);
	for (i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		if (listed(runners[i].names, name))
			check_runner(run, runners[i].commands, words, count);
	if (is_python(name))
		check_row(run, &python, name, words, count);
	for (i = 0; i < sizeof(switches) / sizeof(*switches); i++)
		if (listed(switches[i].names, name))
			check_row(run, &switches[i], name, words, count);
	if (listed("awk gawk mawk nawk sed gsed", name))
		running_script(run, name, words, count);
}
