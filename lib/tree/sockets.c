/* SPDX-License-Identifier: ISC */
#include "tree/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Takes over @owned_path. */
static void add(struct sockets *sockets, char *owned_path)
{
	sockets->paths = alloc_array(sockets->paths, sockets->count,
				     sizeof(*sockets->paths));
	sockets->paths[sockets->count++] = owned_path;
}

/* ---- what listens in our network namespace ------------------------------ */

/* The next word of @line, and no blank before it. */
static struct span next_word(struct span *line)
{
	struct span word;

	while (line->len && *line->data == ' ')
		*line = span_from(*line, 1);
	word = *line;
	word.len = 0;
	while (line->len && *line->data != ' ') {
		*line = span_from(*line, 1);
		word.len++;
	}
	return word;
}

/*
 * "00000000e030e241: 00000002 00000000 00010000 0001 01 62632 /run/x": each
 * connection that was taken has the path as well, so that only those count
 * that listen (flag 00010000), and datagram sockets (type 0002).  A path is
 * all of the rest, blanks too.
 */
static void add_line(struct sockets *sockets, struct span line)
{
	struct span words[7];
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		words[i] = next_word(&line);
	line = span_from(line, 1);
	if (!line.len || *line.data != '/')
		return;
	if (span_is(words[3], "00010000") || span_is(words[4], "0002"))
		add(sockets, alloc_copy(line.data, line.len));
}

static int add_listening(struct sockets *sockets, struct why *why)
{
	autobuf struct buf text = { 0 };
	struct span rest;
	int r = file_read_path(&text, AT_FDCWD, "/proc/net/unix",
			       SOCKETS_BYTES_MAX, why);

	if (r == -ENOENT)
		return 0;
	rest = buf_span(&text);
	while (!r && rest.len)
		add_line(sockets, span_cut(&rest, '\n'));
	return r;
}

/* ---- what is known to listen anywhere ----------------------------------- */

static const char *const of_machine[] = {
	"/run/docker.sock",
	"/run/containerd/containerd.sock",
	"/run/podman/podman.sock",
	"/run/crio/crio.sock",
	"/run/buildkit/buildkitd.sock",
	"/run/libvirt/libvirt-sock",
	"/run/libvirt/virtqemud-sock",
	"/run/dbus/system_bus_socket",
	"/run/systemd/private",
	"/run/systemd/notify",
	"/run/snapd.socket",
	"/run/lxd.socket",
	"/run/incus/unix.socket",
	"/var/lib/lxd/unix.socket",
	"/var/lib/incus/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket",
	"/run/pcscd/pcscd.comm",
	"/run/cups/cups.sock",
	"/tmp/.X11-unix/X0",
	"/tmp/.X11-unix/X1",
};

/* In XDG_RUNTIME_DIR. */
static const char *const of_session[] = {
	"bus",
	"systemd/private",
	"systemd/notify",
	"docker.sock",
	"podman/podman.sock",
	"containerd/containerd.sock",
	"buildkit/buildkitd.sock",
	"libvirt/libvirt-sock",
	"gnupg/S.gpg-agent",
	"gnupg/S.gpg-agent.ssh",
	"gnupg/S.gpg-agent.extra",
	"gnupg/S.gpg-agent.browser",
	"keyring/control",
	"keyring/ssh",
	"keyring/pkcs11",
	"gcr/ssh",
	"ssh-agent",
	"ssh-agent.socket",
	"openssh_agent",
	"wayland-0",
	"wayland-1",
	"pipewire-0",
	"pulse/native",
	"at-spi/bus_0",
};

static const char *const of_home[] = {
	".gnupg/S.gpg-agent",
	".gnupg/S.gpg-agent.ssh",
	".gnupg/S.gpg-agent.extra",
	".gnupg/S.gpg-agent.browser",
	".docker/run/docker.sock",
	".docker/desktop/docker.sock",
	".local/share/containers/podman/machine/podman.sock",
	".colima/default/docker.sock",
	".lima/default/sock/docker.sock",
	".rd/docker.sock",
	".1password/agent.sock",
	".bitwarden-ssh-agent.sock",
};

/* Variables that name one, and what may stand before the path. */
static const char *const of_variables[][2] = {
	{ "SSH_AUTH_SOCK", "" },
	{ "DOCKER_HOST", "unix://" },
	{ "CONTAINER_HOST", "unix://" },
	{ "BUILDKIT_HOST", "unix://" },
	{ "DBUS_SESSION_BUS_ADDRESS", "unix:path=" },
	{ "DBUS_SYSTEM_BUS_ADDRESS", "unix:path=" },
	{ "TMUX", "" },
	{ "WAYLAND_DISPLAY", "" },
	{ "GPG_AGENT_INFO", "" },
};

static void add_in(struct sockets *sockets, const char *dir,
		   const char *const *names, size_t count)
{
	size_t i;

	for (i = 0; dir && *dir == '/' && i < count; i++)
		add(sockets, alloc_text("%s/%s", dir, names[i]));
}

/* In three of them more stands behind the path, after a comma or colon. */
static void add_variable(struct sockets *sockets, const char *name,
			 const char *before)
{
	const char *value = getenv(name);
	size_t len = strlen(before);

	if (!value || strncmp(value, before, len) != 0 || value[len] != '/')
		return;
	value += len;
	add(sockets, alloc_copy(value, strcspn(value, ",;:")));
}

static void add_known(struct sockets *sockets)
{
	unsigned int uid = getuid();
	size_t i;

	for (i = 0; i < COUNT(of_machine); i++)
		add(sockets, alloc_copy(of_machine[i], strlen(of_machine[i])));
	for (i = 0; i < COUNT(of_variables); i++)
		add_variable(sockets, of_variables[i][0], of_variables[i][1]);
	add_in(sockets, getenv("XDG_RUNTIME_DIR"), of_session,
	       COUNT(of_session));
	add_in(sockets, getenv("HOME"), of_home, COUNT(of_home));
	add(sockets, alloc_text("/tmp/tmux-%u/default", uid));
}

int sockets_find(struct sockets *sockets, struct why *why)
{
	add_known(sockets);
	return add_listening(sockets, why);
}
