/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_DOCTOR_H
#define CHOCK_DOCTOR_H

/*
 * chock-doctor - what its parts share
 */

#include <stdbool.h>

struct buf;

/*
 * doctor_widened - put what policies give up of the hardening behind @out
 *
 * They are those that a run in the working directory would find.  With @json
 * as fields of an object that is open, else as lines: none where nothing is
 * given up.
 */
void doctor_widened(struct buf *out, bool json);

/*
 * doctor_gaps - put what each driver does not hold behind @out
 *
 * With @json as the field gaps of an object that is open, else as lines.
 */
void doctor_gaps(struct buf *out, bool json);

#endif /* CHOCK_DOCTOR_H */
