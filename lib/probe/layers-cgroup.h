/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_LAYERS_CGROUP_H
#define CHOCK_PROBE_LAYERS_CGROUP_H

/*
 * layers-cgroup - the trial of a cgroup of a sandbox's own
 *
 * One is made, somebody is born in it, and it is gone again.
 */

struct trial;

int trial_cgroup(struct trial *trial);

#endif /* CHOCK_PROBE_LAYERS_CGROUP_H */
