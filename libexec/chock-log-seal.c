/* SPDX-License-Identifier: ISC */
/*
 * chock-log-seal - sign the head of a log
 *
 * Composes chock-log-verify, which says what is whole, and ssh-keygen, which
 * signs.  See chock-log-seal(1), chock-log(5).
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/child.h"
#include "base/dir.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/place.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "log/logfile.h"
#include "log/seal.h"
#include "log/signature.h"
#include "log/stamp.h"
#include "record/json.h"
#include "record/record.h"

/* A path, an id and the reason, each as JSON. */
#define VERDICT_MAX ((size_t)65536)

static const char *session;
static const char *key;
static bool require_card;

static const struct opt_table options = {
	"chock-log-seal",
	"[--key FILE] [--require-card] [--session ID] LOG...",
	"sign the head of a log",
	(const struct opt[]){
		{ 0, "key", "FILE",
		  "sign by the key in FILE (default: a key of chock's own)",
		  .str = &key },
		{ 0, "require-card", NULL,
		  "sign by a key that is on a FIDO token only",
		  .flag = &require_card },
		{ 0, "session", "ID",
		  "the session's id (default: LOG's name without .jsonl)",
		  .str = &session },
		{ .name = NULL },
	},
};

/* ---- the key ------------------------------------------------------------ */

/* Chock's own key, which is made if it is not there. */
static void find_own_key(struct buf *path)
{
	autoclose int fd = -1;
	struct why why = { 0 };

	if (place_data(path, &why) < 0)
		die_why(&why);
	buf_adds(path, "/keys");
	if (file_mkdirs(buf_str(path), 0700, &why) < 0) {
		(void)place_blame_data(&why);
		die_why(&why);
	}
	fd = dir_open_own(buf_str(path), 077);
	if (fd < 0) {
		errno = -fd;
		die_errno(EXIT_MISUSE, "cannot keep a key in '%s'",
			  buf_str(path));
	}
	buf_adds(path, "/log");
	if (!access(buf_str(path), F_OK))
		return;
	if (signature_make_key(buf_str(path), &why) < 0)
		die_why(&why);
	warn("made the key '%s'; who checks its seals wants '%s.pub'",
	     buf_str(path), buf_str(path));
}

/* ---- one log ------------------------------------------------------------ */

/* Puts the record that chock-log-verify has of @log into @line. */
static void ask_verdict(struct buf *line, const char *log)
{
	autobuf struct buf program = { 0 };
	const char *argv[] = {
		"chock-log-verify", "--json", "--", log, NULL, NULL, NULL
	};
	struct child child = { .argv = argv,
			       .in_fd = -1,
			       .err_fd = STDERR_FILENO };
	struct why why = { 0 };
	int r;

	if (session) {
		argv[2] = "--session";
		argv[3] = session;
		argv[4] = "--";
		argv[5] = log;
	}
	if (place_program(&program, argv[0], &why) < 0)
		die_why(&why);
	child.program = buf_str(&program);
	r = child_run_read(&child, line, VERDICT_MAX, &why);
	if (r < 0)
		die_why(&why);
	/* It has said why. */
	if (r != EXIT_ALLOW && r != EXIT_DENY)
		_exit(r);
}

/* Whether the verdict in @record lets @log be sealed; says why not. */
static bool may_seal(const struct record *record, const char *log)
{
	const struct record_value *verdict = record_get(record, "verdict");
	const char *word = value_string(verdict);
	const char *reason = value_string(record_get(record, "why"));

	if (value_is_true(record_get(record, "running"))) {
		warn("cannot seal '%s': its session runs", log);
		return false;
	}
	if (value_is(verdict, "whole") || value_is(verdict, "sealed"))
		return true;
	if (value_is(verdict, "unsealed")) {
		warn("'%s': %s; it gets a new one", log, reason ? reason : "");
		return true;
	}
	warn("cannot seal '%s': it is %s: %s", log, word ? word : "",
	     reason ? reason : "");
	return false;
}

static void read_seal(struct seal *seal, const struct record *record)
{
	const char *head = value_string(record_get(record, "head"));
	int64_t count = 0;

	if (value_int(&count, record_get(record, "count")) < 0 || count < 0 ||
	    value_bytes(&seal->session, record_get(record, "session")) < 0 ||
	    !head || strlen(head) != SHA256_HEX)
		die(EXIT_SYSTEM, "cannot read what chock-log-verify said");
	seal->count = (uint64_t)count;
	memcpy(seal->head, head, sizeof(seal->head));
	stamp_put(seal->time, stamp_now());
}

/* Signs @text, and looks at the signature as who checks it will. */
static bool sign(struct buf *bytes, struct signature *signature,
		 const struct buf *text)
{
	autoclose int fd = memfd_create("signature", MFD_CLOEXEC);
	autobuf struct buf own_key = { 0 };
	const char *key_path = key;
	struct why why = { 0 };

	if (!key) {
		find_own_key(&own_key);
		key_path = buf_str(&own_key);
	}

	if (signature_make(bytes, buf_span(text), key_path, &why) < 0)
		goto refused;
	if (fd < 0 || file_write(fd, buf_span(bytes)) < 0)
		die_errno(EXIT_SYSTEM, "cannot check the signature");
	if (signature_check(signature, fd, buf_span(text), NULL, &why) < 0)
		goto refused;
	if (require_card && !signature->token) {
		(void)why_set(&why, EACCES,
			      "the key '%s' is on no FIDO token: it is %s",
			      key_path, buf_str(&signature->key));
		goto refused;
	}
	return true;
refused:
	if (why.errnum != EACCES && why.errnum != EBADMSG)
		die_why(&why);
	warn("%s", why.text);
	return false;
}

/*
 * The seal first: who is killed in between leaves one that is not signed, which
 * is a no, and which the next seal takes the place of.
 */
static void put(const char *log, const struct buf *text,
		const struct buf *signature)
{
	autologfile struct logfile file = LOGFILE_CLOSED;
	autofree char *dir = NULL;
	autofree char *seal_name = NULL;
	autofree char *signature_name = NULL;
	struct why why = { 0 };

	if (logfile_find(&file, log, &why) < 0)
		die_why(&why);
	dir = alloc_text("/proc/self/fd/%d", file.dir_fd);
	seal_name = alloc_text("%s%s", buf_str(&file.stem), LOGFILE_SEAL);
	signature_name =
		alloc_text("%s%s", buf_str(&file.stem), LOGFILE_SIGNATURE);
	if (file_put(dir, seal_name, buf_span(text), &why) < 0 ||
	    file_put(dir, signature_name, buf_span(signature), &why) < 0)
		die_why(&why);
}

static void tell(const char *log, const struct seal *seal,
		 const struct signature *signature)
{
	autobuf struct buf out = { 0 };

	json_open(&out);
	json_str(&out, "log", span_of(log));
	json_str(&out, "session", buf_span(&seal->session));
	json_num(&out, "count", (int64_t)seal->count);
	json_str(&out, "head", span_of(seal->head));
	json_str(&out, "time", span_of(seal->time));
	json_str(&out, "key", buf_span(&signature->key));
	json_close_line(&out);
	print(&out);
}

/* Returns whether @log is sealed now. */
static bool seal_log(const char *log)
{
	autosignature struct signature signature = { 0 };
	autorecord struct record record = { 0 };
	autoseal struct seal seal = { 0 };
	autobuf struct buf line = { 0 };
	autobuf struct buf text = { 0 };
	autobuf struct buf bytes = { 0 };
	struct why why = { 0 };

	ask_verdict(&line, log);
	if (line.len)
		line.len--;
	if (record_read(&record, buf_span(&line), &why) < 0)
		die_why(&why);
	if (!may_seal(&record, log))
		return false;
	read_seal(&seal, &record);
	seal_put(&text, &seal);
	if (!sign(&bytes, &signature, &text))
		return false;
	put(log, &text, &bytes);
	tell(log, &seal, &signature);
	return true;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);
	bool sealed = true;
	int i;

	if (argc - first < 1)
		opt_misuse(&options);
	for (i = first; i < argc; i++)
		sealed &= seal_log(argv[i]);
	return sealed ? EXIT_ALLOW : EXIT_DENY;
}
