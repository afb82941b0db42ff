/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_RUN_H
#define CHOCK_PROBE_RUN_H

/*
 * run - another program, quietly, as a shell would start it
 *
 * What cannot be had here may be just what a library uses to start programs:
 * by fork(2) and execve(2) a program starts wherever anything can.
 */

#include <stddef.h>

/*
 * run_quietly - run @argv, of which the first is a path, to its end
 *
 * It reads and writes nothing.  The first line that it says on standard error
 * is put into @text, of @room bytes; so is why it could not be started.
 *
 * Returns its exit status, 128 and a signal's number if it died of one, or
 * -errno.
 */
int run_quietly(const char *const *argv, char *text, size_t room);

#endif /* CHOCK_PROBE_RUN_H */
