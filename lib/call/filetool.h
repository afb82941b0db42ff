/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_FILETOOL_H
#define CHOCK_CALL_FILETOOL_H

/*
 * filetool - what a tool that reads or writes a file comes to besides its call
 *
 * The tools are read_file, list_directory, find_files and search_files, which
 * read, and write_file and edit_file, which write.  call.TOOL covers what is
 * in the project.  A path outside is fs.read.PATH or fs.write.PATH as well.
 */

struct call;
struct record_value;
struct why;

/*
 * filetool_read - add the question about the path that @args name, if any
 *
 * A relative path is below cwd, and that, or the path without one, below the
 * project.  Without a path it is cwd itself.  @projects are the names of the
 * project's directory, up to a NULL; without one every absolute path is
 * outside.  Does nothing for a tool that is none of the above.
 *
 * Returns 0, or -EINVAL for a path that has ".." in it or starts with "~":
 * where it leads, only who follows it knows.
 */
int filetool_read(struct call *call, const struct record_value *args,
		  const char *const *projects, struct why *why);

#endif /* CHOCK_CALL_FILETOOL_H */
