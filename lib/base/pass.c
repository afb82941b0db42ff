/* SPDX-License-Identifier: ISC */
#include "base/pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Room for one descriptor, aligned as its header has to be. */
union room {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int pass_send_bytes(int socket_fd, struct span bytes, int fd)
{
	struct iovec text = { (void *)bytes.data, bytes.len };
	union room room = { { 0 } };
	struct msghdr message = { .msg_iov = &text, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		room.header.cmsg_level = SOL_SOCKET;
		room.header.cmsg_type = SCM_RIGHTS;
		room.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&room.header), &fd, sizeof(fd));
		message.msg_control = &room;
		message.msg_controllen = sizeof(room);
	}
	do
		sent = sendmsg(socket_fd, &message,
			       MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int pass_send(int socket_fd, unsigned char byte, int fd)
{
	const struct span bytes = { (const char *)&byte, 1 };

	return pass_send_bytes(socket_fd, bytes, fd);
}

int pass_receive_bytes(int socket_fd, void *bytes, size_t size, int *fd)
{
	struct iovec text = { bytes, size };
	union room room = { { 0 } };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &room,
				  .msg_controllen = sizeof(room) };
	const struct cmsghdr *header;
	ssize_t got;

	*fd = -1;
	do
		got = recvmsg(socket_fd, &message,
			      MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got < 0 ? -errno : 0;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET &&
	    header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return (int)got;
}

int pass_receive(int socket_fd, unsigned char *byte, int *fd)
{
	return pass_receive_bytes(socket_fd, byte, 1, fd);
}
