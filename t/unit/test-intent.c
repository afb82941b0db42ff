/* SPDX-License-Identifier: ISC */
/* What an apply writes down is read back, and who applies is not cut off. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "failing.h"
#include "scratch.h"
#include "tap.h"
#include "workspace/intent.h"

#define ID1 "1111111111111111111111111111111111111111"
#define ID2 "2222222222222222222222222222222222222222"
#define FIRST "{\"from\":\"" ID1 "\",\"to\":\"" ID2 "\",\"work\":\"" ID2 "\"}\n"
#define SECOND "{\"files\":true,\"head_lock\":\"1:2:3\",\"branch_lock\":\"\"}\n"

static struct why why;

static int take(struct intent *intent, const char *text)
{
	why = (struct why){ 0 };
	return intent_take(intent, span_of(text), &why);
}

static int take_text(const char *text)
{
	autointent struct intent intent = INTENT_CLOSED;

	return take(&intent, text);
}

static void what_is_whole_counts(void)
{
	autointent struct intent none = INTENT_CLOSED;
	autointent struct intent begun = INTENT_CLOSED;
	autointent struct intent files = INTENT_CLOSED;
	autointent struct intent also = INTENT_CLOSED;

	ok(!take(&also, "{\"also\":true}\n" SECOND) && also.also &&
		   !also.to.len && !also.files,
	   "one of other branches says nothing else");
	ok(!take(&none, "{\"also\":true}") && !none.also,
	   "nor anything with half a line");
	ok(!take(&none, "") && !none.to.len && !none.files, "nothing is begun");
	ok(!take(&none, "{\"from\":\"" ID1) && !none.to.len,
	   "nor is it by half a line");
	ok(!take(&begun, FIRST "{\"files\":tr") &&
		   span_is(buf_span(&begun.from), ID1) &&
		   span_is(buf_span(&begun.to), ID2) &&
		   span_is(buf_span(&begun.work), ID2) && !begun.files,
	   "a first line says what, and half a second one nothing");
	ok(!take(&files, FIRST SECOND) && files.files &&
		   span_is(buf_span(&files.head), "1:2:3") && !files.branch.len,
	   "a second line says which locks");
}

static void what_is_none_is_damaged(void)
{
	ok(take_text("\n") == -EBADMSG, "an empty line");
	ok(take_text("x\n") == -EBADMSG, "what is no record");
	ok(take_text("{\"from\":\"\",\"to\":\"" ID1 "\"}\n") == -EBADMSG,
	   "a word that is missing");
	ok(take_text("{\"from\":\"\",\"to\":\"--all\",\"work\":\"" ID1
		     "\"}\n") == -EBADMSG,
	   "an id that git would take for an option");
	ok(take_text("{\"from\":\"main\",\"to\":\"" ID1 "\",\"work\":\"" ID1
		     "\"}\n") == -EBADMSG,
	   "a name of a reference");
	ok(take_text(FIRST "{}\n") == -EBADMSG, "a second line of nothing");
}

/* What another process finds while this one has the journal. */
static int other(const struct space *space)
{
	autointent struct intent intent = INTENT_CLOSED;
	struct why lost = { 0 };
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(-intent_open(&intent, space, &lost));
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)
		       ? -WEXITSTATUS(status)
		       : 1;
}

static void one_that_is_held_is_alive(void)
{
	struct space space = { .dir = scratch_path };
	struct project project = { .head = { 0 } };
	struct effect effect = { .commits = 1 };
	autointent struct intent intent = INTENT_CLOSED;
	autointent struct intent second = INTENT_CLOSED;
	autointent struct intent found = INTENT_CLOSED;

	buf_adds(&effect.from, ID1);
	buf_adds(&effect.to, ID2);
	buf_adds(&project.git_dir, scratch_path);
	buf_adds(&project.common_dir, scratch_path);
	buf_adds(&project.branch, "branch");
	ok(!intent_there(&space), "there is none");
	ok(!intent_begin(&intent, &space, &effect, span_of(ID2), &why) &&
		   intent_there(&space) == 1,
	   "one is made");
	ok(intent_begin(&second, &space, &effect, span_of(ID2), &why) ==
		   -EAGAIN,
	   "and no other beside it");
	ok(other(&space) == -EAGAIN, "nobody takes it for dead");
	ok(!file_put(scratch_path, "HEAD.lock", span_of(""), &why) &&
		   !intent_files(&intent, &space, &project, &why) &&
		   intent.head.len && !intent.branch.len,
	   "a lock is marked, and one that is not there is not");
	intent_close(&intent);
	ok(intent_open(&found, &space, &why) == 1 && found.files &&
		   span_is(buf_span(&found.to), ID2) && found.head.len,
	   "what is let go of without an end is found, with all of it");
	ok(intent_begin(&second, &space, &effect, span_of(ID2), &why) < 0,
	   "and stands in the way of another");
	found.keep = true;
	ok(!intent_end(&found, &space, &why) && intent_there(&space) == 1,
	   "it stays where it is to be gone on with");
	found.keep = false;
	ok(!intent_end(&found, &space, &why) && !intent_there(&space),
	   "and is gone at the end");
	buf_drop(&effect.from);
	buf_drop(&effect.to);
	buf_drop(&project.git_dir);
	buf_drop(&project.common_dir);
	buf_drop(&project.branch);
}

static void one_that_cannot_be_locked_goes(void)
{
	const struct space space = { .dir = scratch_path };
	struct effect effect = { .commits = 1 };
	autointent struct intent intent = INTENT_CLOSED;
	struct why lost = { 0 };
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(failing_call(SYS_flock, BPF_JGE, 0, ENOLCK)
			      ? 255
			      : -intent_begin(&intent, &space, &effect,
					      span_of(ID2), &lost));
	ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		   WEXITSTATUS(status) == ENOLCK && !intent_there(&space),
	   "one that cannot be locked is not left behind");
}

int main(void)
{
	scratch_enter();
	what_is_whole_counts();
	what_is_none_is_damaged();
	one_that_cannot_be_locked_goes();
	one_that_is_held_is_alive();
	ok(scratch_leave(), "nothing is left behind");
	return tap_end();
}
