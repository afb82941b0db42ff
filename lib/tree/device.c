/* SPDX-License-Identifier: ISC */
#include "tree/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/span.h"
#include "base/why.h"

#define NUMBER_MAX ((uint64_t)1 << 20) /* of majors and minors, mkdev(3) */
#define HUB "09"                       /* bDeviceClass */

/* ---- what sysfs says ---------------------------------------------------- */

/* The one line in @name of @dir_fd; none where it has none. */
static struct span read_line(struct buf *line, int dir_fd, const char *name)
{
	struct why why = { 0 };

	buf_reset(line);
	if (file_read_path(line, dir_fd, name, DEVICE_TEXT_MAX, &why) < 0)
		buf_reset(line);
	if (line->len && line->data[line->len - 1] == '\n')
		buf_cut(line, line->len - 1);
	return buf_span(line);
}

/* What the line KEY=... of the uevent in @dir_fd says. */
static struct span read_event(struct buf *event, int dir_fd, const char *name,
			      const char *key)
{
	struct span rest = read_line(event, dir_fd, name);

	while (rest.len) {
		struct span line = span_cut(&rest, '\n');

		if (span_starts(line, key))
			return span_from(line, strlen(key));
	}
	return rest;
}

/* "189:3" */
static bool read_number(dev_t *number, int dir_fd)
{
	autobuf struct buf line = { 0 };
	struct span text = read_line(&line, dir_fd, "dev");
	const char *colon = text.len ? memchr(text.data, ':', text.len) : NULL;
	uint64_t high, low;
	size_t len;

	if (!colon)
		return false;
	len = (size_t)(colon - text.data);
	if (num_read(&high, (struct span){ text.data, len }, NUMBER_MAX) < 0 ||
	    num_read(&low, span_from(text, len + 1), NUMBER_MAX) < 0)
		return false;
	*number = makedev((unsigned int)high, (unsigned int)low);
	return true;
}

/* A name below /dev, as devtmpfs makes them: none that leads elsewhere. */
static bool is_plain(struct span name)
{
	return name.len && *name.data != '/' &&
	       !memchr(name.data, '\0', name.len) &&
	       !memmem(name.data, name.len, "..", 2);
}

/* ---- what is found ------------------------------------------------------ */

/* Takes over what @device has. */
static int add(struct devices *devices, const struct device *device,
	       struct why *why)
{
	struct device *new;

	if (devices->count == DEVICES_MAX) {
		free(device->id);
		free(device->product);
		free(device->path);
		return why_set(why, E2BIG, "there are more than %d devices",
			       DEVICES_MAX);
	}
	devices->devices = alloc_array(devices->devices, devices->count,
				       sizeof(*devices->devices));
	new = &devices->devices[devices->count++];
	*new = *device;
	return 0;
}

/* What a device is called. */
struct identity {
	const char *bus;
	struct span id;
	struct span product; /* none but of usb */
};

/* The node of the device that @dir_fd is of. */
static int add_node(struct devices *devices, int dir_fd,
		    const struct identity *identity, struct why *why)
{
	struct span product = identity->product;
	struct device device = { .bus = identity->bus };
	autobuf struct buf event = { 0 };
	struct span name = read_event(&event, dir_fd, "uevent", "DEVNAME=");

	if (!is_plain(name) || !read_number(&device.number, dir_fd))
		return 0;
	device.id = alloc_copy(identity->id.data, identity->id.len);
	device.product = product.len ? alloc_copy(product.data, product.len)
				     : NULL;
	device.path = alloc_text("/dev/%.*s", (int)name.len, name.data);
	return add(devices, &device, why);
}

static int add_usb(struct devices *devices, int dir_fd, struct why *why)
{
	autobuf struct buf vendor = { 0 };
	autobuf struct buf product = { 0 };
	autobuf struct buf class = { 0 };

	if (!read_line(&vendor, dir_fd, "idVendor").len ||
	    !read_line(&product, dir_fd, "idProduct").len ||
	    span_is(read_line(&class, dir_fd, "bDeviceClass"), HUB))
		return 0;
	return add_node(devices, dir_fd,
			&(struct identity){ "usb", buf_span(&vendor),
					    buf_span(&product) },
			why);
}

/* From the tty upwards: its port, the interface, the device. */
static int add_tty(struct devices *devices, int dir_fd, struct why *why)
{
	autoclose int at_fd =
		openat(dir_fd, "device", O_PATH | O_DIRECTORY | O_CLOEXEC);
	autobuf struct buf line = { 0 };
	int up, i;

	for (i = 0; at_fd >= 0 && i < DEVICE_PARENTS_MAX; i++) {
		if (read_line(&line, at_fd, "idVendor").len) {
			if (!read_line(&line, at_fd, "serial").len)
				return 0;
			return add_node(
				devices, dir_fd,
				&(struct identity){ .bus = "tty.serial",
						    .id = buf_span(&line) },
				why);
		}
		up = openat(at_fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		(void)close(at_fd);
		at_fd = up;
	}
	return 0;
}

/* Connectors, which are in that directory too, have no node. */
static int add_gpu(struct devices *devices, int dir_fd, struct why *why)
{
	autobuf struct buf event = { 0 };
	struct span place =
		read_event(&event, dir_fd, "device/uevent", "PCI_SLOT_NAME=");

	if (!place.len)
		return 0;
	return add_node(devices, dir_fd,
			&(struct identity){ .bus = "gpu", .id = place }, why);
}

/* A directory of cards that are called by their places on the bus. */
static int add_nvidia(struct devices *devices, int dir_fd, const char *place,
		      struct why *why)
{
	static const char key[] = "Device Minor:";
	autobuf struct buf event = { 0 };
	struct span text = read_event(&event, dir_fd, "information", key);
	struct device device = { .bus = "gpu" };
	uint64_t minor_number;

	while (text.len && (*text.data == ' ' || *text.data == '\t'))
		text = span_from(text, 1);
	while (text.len && (text.data[text.len - 1] == ' '))
		text.len--;
	if (num_read(&minor_number, text, NUMBER_MAX) < 0)
		return 0;
	device.id = alloc_copy(place, strlen(place));
	device.path = alloc_text("/dev/nvidia%u", (unsigned int)minor_number);
	device.number = makedev(DEVICE_NVIDIA, (unsigned int)minor_number);
	return add(devices, &device, why);
}

/* ---- where they are ----------------------------------------------------- */

typedef int add_found(struct devices *devices, int dir_fd, struct why *why);

static const struct place {
	const char *dir;
	add_found *add; /* NULL: of NVIDIA's driver */
} places[] = {
	{ "sys/bus/usb/devices", add_usb },
	{ "sys/class/tty", add_tty },
	{ "sys/class/drm", add_gpu },
	{ "proc/driver/nvidia/gpus", NULL },
};

static void close_dir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static int look(struct devices *devices, int root_fd, const struct place *place,
		struct why *why)
{
	autoclose int fd =
		openat(root_fd, place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir __attribute__((cleanup(close_dir))) = fd < 0 ? NULL
							      : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir && errno != ENOENT && errno != ENOTDIR)
		return why_sys(why, errno, "cannot read '/%s'", place->dir);
	if (dir)
		(void)take_fd(&fd);
	while (dir && !r && (errno = 0, entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		autoclose int found_fd =
			openat(dirfd(dir), entry->d_name,
			       O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (found_fd < 0) /* unplugged */
			continue;
		r = place->add
			    ? place->add(devices, found_fd, why)
			    : add_nvidia(devices, found_fd, entry->d_name, why);
	}
	if (dir && !r && errno)
		r = why_sys(why, errno, "cannot read '/%s'", place->dir);
	return r;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct device *)a)->path,
		      ((const struct device *)b)->path);
}

int devices_find(struct devices *devices, int root_fd, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; i < sizeof(places) / sizeof(*places) && !r; i++)
		r = look(devices, root_fd, &places[i], why);
	if (devices->count)
		qsort(devices->devices, devices->count,
		      sizeof(*devices->devices), compare);
	return r;
}

void devices_drop(struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++) {
		free(devices->devices[i].id);
		free(devices->devices[i].product);
		free(devices->devices[i].path);
	}
	free(devices->devices);
	*devices = (struct devices){ 0 };
}

/* ---- who may have them -------------------------------------------------- */

#define CAPS 2 /* words of a set, _LINUX_CAPABILITY_U32S_3 */
#define DAC \
	((uint32_t)1 << CAP_DAC_OVERRIDE | (uint32_t)1 << CAP_DAC_READ_SEARCH)

static int look_without(const char *path)
{
	return faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) < 0 ? -errno
								      : 0;
}

int device_check(const char *path, struct why *why)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct had[CAPS], less[CAPS];
	int r;

	if (syscall(SYS_capget, &header, had) < 0)
		return why_sys(why, errno, "cannot read capabilities");
	memcpy(less, had, sizeof(less));
	less[0].effective &= ~DAC;
	if (syscall(SYS_capset, &header, less) < 0)
		return why_sys(why, errno, "cannot lay capabilities down");
	r = look_without(path);
	if (syscall(SYS_capset, &header, had) < 0)
		return why_sys(why, errno, "cannot take capabilities up");
	return r < 0 ? why_sys(why, -r, "cannot open '%s'", path) : 0;
}
