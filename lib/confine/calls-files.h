/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_CALLS_FILES_H
#define CHOCK_CONFINE_CALLS_FILES_H

/*
 * calls-files - what ioctl(2) can do to file systems, by number
 *
 * A file system takes its own requests through any file or directory of it,
 * one that is open to read too, and some act on more than that file: btrfs
 * makes a snapshot of all that is below a directory, in which nothing is
 * covered any more, and fscrypt locks every file of a key.  Neither the mount
 * tree nor Landlock holds that (Documentation/userspace-api/landlock.rst,
 * LANDLOCK_ACCESS_FS_IOCTL_DEV, is about devices alone).  So of the requests
 * whose type, the second byte, is a file system's, those pass that programs
 * make of files (ioctl_getflags(2), ioctl_ficlone(2) and the like), and all
 * others have the answer of a file system that does not know them.
 *
 * Types are from the kernel's Documentation/userspace-api/ioctl/
 * ioctl-number.rst.  No device that is in use has one of these.  NILFS and
 * OCFS2 share theirs with devices, so that their own numbers are named.
 *
 * Only confine/calls.h includes this.
 */

#include <linux/fiemap.h>
#include <linux/fs.h>

#define TYPE_EXT 'f'       /* ext4 and others, fscrypt.h, fsverity.h */
#define TYPE_XFS 'X'       /* XFS; FIFREEZE, FITHAW and FITRIM of fs.h */
#define TYPE_BTRFS 0x94    /* btrfs.h; FICLONE and its kin of fs.h */
#define TYPE_CEPH 0x97     /* fs/ceph/ioctl.h */
#define TYPE_BCACHEFS 0xbc /* fs/bcachefs/bcachefs_ioctl.h, Linux 6.7 */
#define TYPE_CIFS 0xcf     /* fs/smb/client/cifs_ioctl.h */
#define TYPE_F2FS 0xf5     /* f2fs.h */

#define NILFS_BITS 0xfff0U
#define NILFS 0x6e80U             /* all of nilfs2_api.h: 'n', from 0x80 on */
#define OCFS2_REFLINK 0x40186f04U /* of fs/ocfs2/ocfs2_ioctl.h: two paths */

#endif /* CHOCK_CONFINE_CALLS_FILES_H */
