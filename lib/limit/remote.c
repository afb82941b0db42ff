/* SPDX-License-Identifier: ISC */
#include "limit/remote.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

/* By the numbers of linux/magic.h and fs/, see statfs(2). */
const char *remote_type(const struct statfs *fs)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} types[] = {
		{ 0x6969, "nfs" },        { 0xff534d42, "cifs" },
		{ 0xfe534d42, "smb3" },   { 0x65735546, "fuse" },
		{ 0x01021997, "9p" },     { 0x00c36400, "ceph" },
		{ 0x5346414f, "afs" },    { 0x6b414653, "afs" },
		{ 0x73757245, "coda" },   { 0x0bd00bd0, "lustre" },
		{ 0x47504653, "gpfs" },   { 0x20030528, "orangefs" },
		{ 0x786f4256, "vboxsf" }, { 0x0187, "autofs" },
		{ 0x19830326, "beegfs" }, { 0xbacbacbc, "vmhgfs" },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if ((uint32_t)fs->f_type == types[i].magic)
			return types[i].name;
	return NULL;
}
