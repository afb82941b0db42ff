/* SPDX-License-Identifier: ISC */
/* Devices are found by what sysfs says of them, in a tree that is drawn. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/span.h"
#include "scratch.h"
#include "tap.h"
#include "tree/device.h"

#define USB "sys/devices/pci0/usb1"
#define LONG 5000

static struct devices devices;
static struct why why;
static bool drawn = true;

static void draw_dir(const char *path)
{
	struct why ignored = { 0 };
	autofree char *full = alloc_text("%s/%s", scratch_path, path);

	drawn = drawn && !file_mkdirs(full, 0755, &ignored);
}

static void draw(const char *dir, const char *name, const char *text)
{
	autofree char *path = alloc_text("%s/%s", dir, name);
	autoclose int fd = -1;

	draw_dir(dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	drawn = drawn && fd >= 0 && !file_write(fd, span_of(text));
}

static void link_to(const char *text, const char *path)
{
	drawn = drawn && !symlink(text, path);
}

static void draw_usb(const char *dir, const char *vendor, const char *class,
		     const char *number, const char *uevent)
{
	draw(dir, "idVendor", vendor);
	draw(dir, "idProduct", "6018\n");
	draw(dir, "bDeviceClass", class);
	draw(dir, "dev", number);
	draw(dir, "uevent", uevent);
}

static void draw_all(void)
{
	draw_usb(USB, "1d6b\n", "09\n", "189:0\n", "DEVNAME=bus/usb/001/001\n");
	draw_usb(USB "/1-1", "1d50\n", "00\n", "189:3\n",
		 "MAJOR=189\nDEVNAME=bus/usb/001/004\nDEVTYPE=usb_device\n");
	draw(USB "/1-1", "serial", "A B.1\n");
	draw_usb(USB "/1-2", "1d50\n", "00\n", "189:4\n",
		 "DEVNAME=../../etc/passwd\n");
	draw(USB "/1-1/1-1:1.0/ttyACM0/tty/ttyACM0", "dev", "166:0\n");
	draw(USB "/1-1/1-1:1.0/ttyACM0/tty/ttyACM0", "uevent",
	     "DEVNAME=ttyACM0\n");
	link_to("../../../ttyACM0",
		USB "/1-1/1-1:1.0/ttyACM0/tty/ttyACM0/device");
	draw_dir("sys/bus/usb/devices");
	link_to("../../../devices/pci0/usb1", "sys/bus/usb/devices/usb1");
	link_to("../../../devices/pci0/usb1/1-1", "sys/bus/usb/devices/1-1");
	link_to("../../../devices/pci0/usb1/1-2", "sys/bus/usb/devices/1-2");
	link_to("../../../devices/pci0/usb1/1-1/1-1:1.0",
		"sys/bus/usb/devices/1-1:1.0");
	draw("sys/class/tty/ttyS0", "dev", "4:64\n");
	draw("sys/class/tty/ttyS0", "uevent", "DEVNAME=ttyS0\n");
	draw_dir("sys/devices/platform/serial");
	link_to("../../../devices/platform/serial",
		"sys/class/tty/ttyS0/device");
	link_to("../../devices/pci0/usb1/1-1/1-1:1.0/ttyACM0/tty/ttyACM0",
		"sys/class/tty/ttyACM0");
}

static void draw_card(const char *name, const char *number, const char *place)
{
	autofree char *dir = alloc_text("sys/class/drm/%s", name);
	autofree char *device = alloc_text("%s/device", dir);
	autofree char *uevent = alloc_text("DEVNAME=dri/%s\n", name);
	autofree char *slot = alloc_text("DRIVER=x\nPCI_SLOT_NAME=%s\n", place);

	draw(dir, "dev", number);
	draw(dir, "uevent", uevent);
	draw(device, "uevent", slot);
}

static void draw_cards(void)
{
	draw_card("card0", "226:0\n", "0000:01:00.0");
	draw_card("renderD128", "226:128\n", "0000:01:00.0");
	draw_card("card1", "226:1\n", "0000:02:00.0");
	draw_dir("sys/class/drm/card0-DP-1");
	draw("proc/driver/nvidia/gpus/0000:02:00.0", "information",
	     "Model: \t\t X\nDevice Minor: \t 7\n");
}

static int find(void)
{
	autoclose int root_fd = open(scratch_path, O_PATH | O_CLOEXEC);

	devices_drop(&devices);
	return devices_find(&devices, root_fd, &why);
}

/* Whether the node at @path is there, of that device and with that number. */
static bool has(const char *path, const char *bus, const char *id, dev_t number)
{
	const struct device *device = devices.devices;
	const struct device *end = device + devices.count;

	for (; device < end; device++)
		if (!strcmp(device->path, path))
			return !strcmp(device->bus, bus) &&
			       !strcmp(device->id, id) &&
			       device->number == number;
	return false;
}

static void try_tree(void)
{
	ok(!find() && devices.count == 6, "what cannot be told apart is none");
	ok(has("/dev/bus/usb/001/004", "usb", "1d50", makedev(189, 3)) &&
		   !strcmp(devices.devices[0].product, "6018"),
	   "a USB device by its vendor and product");
	ok(!has("/dev/bus/usb/001/001", "usb", "1d6b", makedev(189, 0)),
	   "a hub is none");
	ok(has("/dev/ttyACM0", "tty.serial", "A B.1", makedev(166, 0)),
	   "a tty by the serial number of its USB device");
	ok(!has("/dev/ttyS0", "tty.serial", "", makedev(4, 64)),
	   "one without a serial number is none");
	ok(has("/dev/dri/card0", "gpu", "0000:01:00.0", makedev(226, 0)) &&
		   has("/dev/dri/renderD128", "gpu", "0000:01:00.0",
		       makedev(226, 128)),
	   "both nodes of a card by its place");
	ok(has("/dev/dri/card1", "gpu", "0000:02:00.0", makedev(226, 1)) &&
		   has("/dev/nvidia7", "gpu", "0000:02:00.0", makedev(195, 7)),
	   "and of another one those that are its own");
}

static void try_bad(void)
{
	static char long_text[LONG];

	memset(long_text, 'x', sizeof(long_text) - 1);
	draw(USB "/1-1", "idVendor", long_text);
	draw("sys/class/drm/card0", "dev", "226\n");
	draw("sys/class/drm/card1", "dev", "226:4294967296\n");
	draw("proc/driver/nvidia/gpus/0000:02:00.0", "information", "");
	ok(!find() && devices.count == 1 &&
		   has("/dev/dri/renderD128", "gpu", "0000:01:00.0",
		       makedev(226, 128)),
	   "what sysfs says badly is not there");
}

static void try_many(void)
{
	char name[32], number[32];
	int i;

	for (i = 0; i < DEVICES_MAX - 1; i++) {
		(void)snprintf(name, sizeof(name), "card9%d", i);
		(void)snprintf(number, sizeof(number), "226:%d\n", i);
		draw_card(name, number, "0000:03:00.0");
	}
	ok(!find() && devices.count == DEVICES_MAX, "as many as the bound");
	draw_card("cardx", "226:1\n", "0000:03:00.0");
	ok(find() == -E2BIG, "and no more");
}

static void try_check(void)
{
	draw("nodes", "mine", "");
	drawn = drawn && !chmod("nodes/mine", 0600);
	ok(!device_check("nodes/mine", &why), "who may read and write may");
	drawn = drawn && !chmod("nodes/mine", 0400);
	ok(device_check("nodes/mine", &why) == -EACCES,
	   "who may only read has no device");
	ok(device_check("nodes/none", &why) == -ENOENT, "nor who has no node");
}

int main(void)
{
	scratch_enter();
	ok(!find() && !devices.count, "without a sysfs there are none");
	draw_all();
	draw_cards();
	try_tree();
	try_bad();
	try_many();
	try_check();
	ok(drawn, "all was drawn");
	devices_drop(&devices);
	ok(scratch_leave(), "what it made is removed");
	return tap_end();
}
