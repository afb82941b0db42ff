/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_DEVICE_H
#define CHOCK_TREE_DEVICE_H

/*
 * device - devices by what they are, and never by the name of a node
 *
 * A path such as /dev/ttyUSB0 is whatever was plugged in first.  Sysfs says
 * what is behind it (the kernel's Documentation/ABI, sysfs-bus-usb and
 * sysfs-class-drm; Documentation/core-api/kobject.rst for uevent):
 *
 *	usb         the vendor's and the product's number, four digits each;
 *	            hubs are left out, for they are the way to other devices
 *	tty.serial  the serial number of the USB device that a tty is of
 *	gpu         the place of a graphics card on the PCI bus: its own card
 *	            and render nodes, and the node of its own that NVIDIA's
 *	            driver has for it
 *
 * Invariants
 *   - An all-zero struct has none.
 *   - Every node is a character device below /dev.
 */

#include <stddef.h>
#include <sys/types.h>

struct why;

#define DEVICES_MAX 4096     /* nodes */
#define DEVICE_TEXT_MAX 4096 /* bytes of what sysfs says of one thing */
#define DEVICE_PARENTS_MAX 8 /* above a tty, up to its USB device */
#define DEVICE_NVIDIA 195    /* Documentation/admin-guide/devices.txt */

#define autodevices __attribute__((cleanup(devices_drop)))

struct device {
	const char *bus; /* "usb", "tty.serial" or "gpu" */
	char *id;        /* owned; VENDOR, a serial number or a PCI address */
	char *product;   /* owned; of usb, else NULL */
	char *path;      /* owned; of the node */
	dev_t number;    /* of the node */
};

struct devices {
	struct device *devices; /* owned; sorted by path */
	size_t count;
};

/*
 * devices_find - all that can be told apart
 *
 * @root_fd is the directory that has sys and proc.  One device may have
 * several nodes.  Returns 0, also where there is no sysfs, -E2BIG, or another
 * -errno.
 */
int devices_find(struct devices *devices, int root_fd, struct why *why);

/*
 * device_check - whether the caller may read and write the node @path
 *
 * By its mode and its lists alone: what a capability of the caller's opens,
 * it would not open inside.  Returns 0 or -errno.
 */
int device_check(const char *path, struct why *why);

/* devices_drop - release them; good as new afterwards */
void devices_drop(struct devices *devices);

#endif /* CHOCK_TREE_DEVICE_H */
