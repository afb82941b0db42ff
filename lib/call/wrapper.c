/* SPDX-License-Identifier: ISC */
#include "call/wrapper.h"

#include <string.h>

/*
 * The options are those of coreutils 9.1, util-linux 2.38, findutils 4.9,
 * procps 4.0, GNU time 1.9, sudo 1.9, busybox 1.35, bash 5.2 and dash 0.5.12.
 * One that is not here makes the call unparsed, so that a newer version's
 * cannot hide what it runs.
 */
static const struct wrapper wrappers[] = {
	{ "env", WRAPS_ENV, 0, "i0v", "uCS", "",
	  "ignore-environment null debug list-signal-handling block-signal "
	  "default-signal ignore-signal",
	  "unset chdir=C split-string=S", NULL },
	{ "nohup noglob nocorrect - builtin busybox toybox", WRAPS_WORDS, 0, "",
	  "", "", "", "", NULL },
	{ "nice", WRAPS_WORDS, 0, "0123456789", "n", "", "", "adjustment",
	  NULL },
	{ "timeout", WRAPS_WORDS, 1, "v", "ks", "",
	  "preserve-status foreground verbose", "kill-after signal", NULL },
	{ "stdbuf", WRAPS_WORDS, 0, "", "ioe", "", "", "input output error",
	  NULL },
	{ "setsid", WRAPS_WORDS, 0, "cfw", "", "", "ctty fork wait", "", NULL },
	{ "ionice", WRAPS_WORDS, 0, "t", "cnpPu", "", "ignore",
	  "class classdata pid pgid uid", NULL },
	{ "chrt", WRAPS_WORDS, 1, "abdfimorpRv", "TPD", "",
	  "all-tasks batch deadline fifo idle max other rr pid reset-on-fork "
	  "verbose",
	  "sched-runtime sched-period sched-deadline", NULL },
	{ "taskset", WRAPS_WORDS, 1, "apc", "", "", "all-tasks pid cpu-list",
	  "", NULL },
	{ "linux32 linux64 i386 i486 i586 i686 x86_64 uname26", WRAPS_WORDS, 0,
	  "vBFILRSXZ3", "", "",
	  "verbose 32bit fdpic-funcptrs short-inode addr-compat-layout "
	  "addr-no-randomize whole-seconds sticky-timeouts read-implies-exec "
	  "mmap-page-zero 3gb 4gb uname-2.6",
	  "", NULL },
	{ "setarch", WRAPS_EITHER, 0, "vBFILRSXZ3", "p", "",
	  "verbose 32bit fdpic-funcptrs short-inode addr-compat-layout "
	  "addr-no-randomize whole-seconds sticky-timeouts read-implies-exec "
	  "mmap-page-zero 3gb 4gb uname-2.6",
	  "pid", "setarch, which an architecture may follow" },
	{ "xargs", WRAPS_INPUT, 0, "0oprtx", "adEILnPs", "eil",
	  "null open-tty interactive no-run-if-empty verbose exit show-limits "
	  "eof replace=i max-lines",
	  "arg-file delimiter max-args max-procs max-chars process-slot-var=v",
	  NULL },
	{ "time", WRAPS_WORDS, 0, "apqv", "f", "",
	  "append portability quiet verbose", "format", NULL },
	{ "command", WRAPS_LOOKUP, 0, "pvV", "", "", "", "", NULL },
	{ "exec", WRAPS_WORDS, 0, "cl", "a", "", "", "", NULL },
	{ "flock", WRAPS_LOCK, 1, "Fnosuxe", "Ewc", "",
	  "no-fork nonblock nb close shared unlock exclusive verbose",
	  "conflict-exit-code timeout wait command=c", NULL },
	{ "watch", WRAPS_STRING, 0, "bcCegprtx", "nq", "d",
	  "beep color no-color errexit chgexit precise no-rerun no-title "
	  "exec=x differences",
	  "interval equexit", NULL },
	{ "script", WRAPS_SCRIPT, 1, "aefq", "cIOBTmEo", "t",
	  "append return flush force quiet timing",
	  "command=c log-in log-out log-io log-timing logging-format echo "
	  "output-limit",
	  "script, which writes a file" },
	{ "sh ash bash dash ksh ksh93 mksh rbash yash zsh bash-static "
	  "dash-static zsh-static zsh5 rzsh lksh rksh oksh loksh pdksh posh "
	  "hush bosh static-sh",
	  WRAPS_SHELL, 0, "acefhlnuvxC", "oO", "",
	  "login noprofile norc posix restricted verbose noediting", "", NULL },
	{ "fish csh tcsh bsd-csh elvish nu xonsh pwsh osh ysh rc es scsh",
	  WRAPS_SHELL, 0, "cefilnvx", "", "", "", "",
	  "a shell of another language" },
	{ "find", WRAPS_FINDER, 0, "", "", "", "", "", NULL },
	{ "git", WRAPS_GIT, 0, "pPhv", "Cc", "",
	  "paginate no-pager no-replace-objects no-lazy-fetch no-advice bare "
	  "literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs "
	  "no-optional-locks version=v help=h html-path man-path info-path",
	  "git-dir=g work-tree=w namespace exec-path=x config-env=c super-prefix "
	  "attr-source",
	  NULL },
	/* What these run, they run as somebody else or somewhere else. */
	{ "sudo", WRAPS_ENV, 0, "AbBEeHKklnPSsiVv", "ugpCrtTDRUh", "",
	  "askpass background preserve-env edit login non-interactive "
	  "preserve-groups stdin shell reset-timestamp set-home list bell",
	  "user group prompt close-from role type command-timeout chdir "
	  "chroot other-user host",
	  "sudo, which runs it as somebody else" },
	{ "doas", WRAPS_WORDS, 0, "nsL", "uC", "", "", "",
	  "doas, which runs it as somebody else" },
	{ "chroot", WRAPS_WORDS, 1, "", "", "", "skip-chdir", "groups userspec",
	  "chroot, which runs it in another tree" },
	{ "unshare", WRAPS_WORDS, 0, "muinpUCTfrc", "RwSG", "",
	  "mount uts ipc net pid user cgroup time fork map-root-user "
	  "map-current-user map-auto mount-proc keep-caps kill-child",
	  "propagation map-user map-group map-users map-groups root wd "
	  "setuid setgid setgroups monotonic boottime",
	  "unshare, which runs it in other namespaces" },
	{ "nsenter", WRAPS_WORDS, 0, "aFZ", "tSG", "muinpUCTrw",
	  "all mount uts ipc net pid user cgroup time root wd no-fork "
	  "preserve-credentials follow-context",
	  "target setuid setgid", "nsenter, which runs it elsewhere" },
	{ "su runuser", WRAPS_SCRIPT, 0, "lmpfP", "cgGsuw", "",
	  "login preserve-environment fast pty",
	  "command=c session-command=c group supp-group shell user "
	  "whitelist-environment",
	  "a program that runs others as somebody else" },
	{ "parallel sem prlimit setpriv strace ltrace gdb gdbserver valgrind perf rlwrap "
	  "unbuffer expect dbus-run-session fakeroot proot bwrap firejail "
	  "capsh start-stop-daemon systemd-run sg entr chronic faketime "
	  "eatmydata numactl schedtool torsocks proxychains proxychains4 "
	  "catchsegv softlimit setuidgid chpst cgexec ld.so choom uclampset "
	  "coresched enosys setpgid runcon ssh-agent gpg-agent xvfb-run "
	  "dbus-launch systemd-inhibit systemd-cat systemd-nspawn pkexec gosu "
	  "su-exec tini dumb-init catatonit logsave cpulimit trickle tsocks "
	  "ifne pee mispipe lckdo zrun rr heaptrack lldb hyperfine envdir "
	  "envuidgid setlock pgrphack execlineb inotifyd cttyhack tcpsvd "
	  "udpsvd runsv daemonize watchexec nodemon reflex npx bunx uvx "
	  "pipx nix-shell direnv dotenv envchain fakechroot pseudo xterm",
	  WRAPS_UNKNOWN, 0, "", "", "", "", "",
	  "a program that runs others in its own way" },
	{ "ssh at batch crontab screen tmux docker podman socat run-parts",
	  WRAPS_NOTHING, 0, "", "", "", "", "",
	  "a program that runs others, but not here and now" },
};

bool listed(const char *list, struct span word)
{
	const char *end = list + strlen(list);
	const char *at = list;

	/* Thousands of words are looked for, of which few are there. */
	if (!word.len || memchr(word.data, ' ', word.len))
		return false;
	while ((at = memmem(at, (size_t)(end - at), word.data, word.len))) {
		bool begins = at == list || at[-1] == ' ';

		at += word.len;
		if (begins && (at == end || *at == ' '))
			return true;
	}
	return false;
}

bool listed_begin(const char *list, struct span word)
{
	while (word.len && *list) {
		size_t len = strcspn(list, " ");

		if (word.len <= len && !memcmp(list, word.data, word.len))
			return true;
		list += len + (list[len] ? 1 : 0);
	}
	return false;
}

const struct wrapper *wrapper_find(struct span name)
{
	size_t i;

	for (i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (listed(wrappers[i].names, name))
			return &wrappers[i];
	/* The loader of programs, by whatever version. */
	if (span_starts(name, "ld-linux") || span_starts(name, "ld-musl"))
		return wrapper_find(span_of("ld.so"));
	return NULL;
}

/* Whether @list has the long option @name; @letter is what it stands for. */
static bool find_long(const char *list, struct span name, size_t *letter)
{
	while (*list) {
		size_t len = strcspn(list, " ");
		const char *is = memchr(list, '=', len);
		size_t name_len = is ? (size_t)(is - list) : len;

		if (name_len == name.len && len &&
		    !memcmp(list, name.data, name_len)) {
			*letter = is ? (unsigned char)is[1] : 0;
			return true;
		}
		list += len + (list[len] ? 1 : 0);
	}
	return false;
}

static void doubt(struct wrapped *wrapped, struct span option)
{
	if (!wrapped->unsure)
		wrapped->wrong = option;
	wrapped->unsure = true;
}

/* What is left of @word from @skip on, as a word. */
static struct shell_word word_from(const struct shell_word *word, size_t skip)
{
	struct shell_word rest = *word;

	rest.text = span_from(word->text, skip);
	return rest;
}

static void read_long(struct wrapped *wrapped, const struct wrapper *wrapper,
		      const struct shell_word *words, size_t count)
{
	const struct shell_word *word = &words[wrapped->next];
	struct span name = span_from(word->text, 2);
	const char *is = memchr(name.data, '=', name.len);
	size_t letter = 0;

	if (is)
		name.len = (size_t)(is - name.data);
	wrapped->next++;
	if (find_long(wrapper->long_flags, name, &letter)) {
		wrapped->flag[letter] = true;
	} else if (!find_long(wrapper->long_valued, name, &letter)) {
		doubt(wrapped, word->text);
	} else if (is) {
		wrapped->value[letter] = word_from(word, name.len + 3);
	} else if (wrapped->next < count) {
		wrapped->value[letter] = words[wrapped->next++];
	}
}

static void read_short(struct wrapped *wrapped, const struct wrapper *wrapper,
		       const struct shell_word *words, size_t count)
{
	const struct shell_word *word = &words[wrapped->next++];
	bool lost = false;
	size_t i;

	for (i = 1; i < word->text.len; i++) {
		unsigned char letter = (unsigned char)word->text.data[i];
		bool plain = letter && letter < OPTION_LETTERS;

		if (plain && strchr(wrapper->flags, letter)) {
			wrapped->flag[letter] = true;
			continue;
		}
		/* Behind one that is not known, arguments are not either. */
		if (lost)
			continue;
		if (!plain || (!strchr(wrapper->attached, letter) &&
			       !strchr(wrapper->valued, letter))) {
			doubt(wrapped, word->text);
			lost = true;
			continue;
		}
		/* To some shells the next letters are flags, to others not. */
		if (wrapper->form == WRAPS_SHELL && i + 1 < word->text.len)
			doubt(wrapped, word->text);
		if (strchr(wrapper->attached, letter) || i + 1 < word->text.len)
			wrapped->value[letter] = word_from(word, i + 1);
		else if (wrapped->next < count)
			wrapped->value[letter] = words[wrapped->next++];
		return;
	}
}

void wrapper_options(struct wrapped *wrapped, const struct wrapper *wrapper,
		     const struct shell_word *words, size_t count)
{
	*wrapped = (struct wrapped){ .next = 1 };
	while (wrapped->next < count) {
		const struct shell_word *word = &words[wrapped->next];

		if (word->text.len < 2 || *word->text.data != '-')
			break;
		if (span_is(word->text, "--")) {
			wrapped->next++;
			break;
		}
		if (!word->known)
			doubt(wrapped, word->text);
		if (span_starts(word->text, "--"))
			read_long(wrapped, wrapper, words, count);
		else
			read_short(wrapped, wrapper, words, count);
	}
}
