/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_LAYERS_TREE_H
#define CHOCK_PROBE_LAYERS_TREE_H

/*
 * layers-tree - the trials of the layers that the tree of a sandbox is made
 * of
 *
 * They build one in which nothing is granted, and go into it.
 */

struct trial;

int trial_mountns(struct trial *trial);
int trial_proc(struct trial *trial);

/* What a run can have in its tree, if it asks for it. */
int trial_device(struct trial *trial);
int trial_tty(struct trial *trial);

#endif /* CHOCK_PROBE_LAYERS_TREE_H */
