/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_ALLOC_H
#define CHOCK_BASE_ALLOC_H

/*
 * alloc - memory, or the end of the program
 *
 * Our programs are small, and every input that they read is bounded, so a
 * refused allocation means that the machine is out of memory.  There is
 * nothing better to do then than to say so and leave with EXIT_SYSTEM: a
 * program that ends permits nothing.
 */

#include <stddef.h>

/* alloc_zero - @count objects of @size bytes, all zero; the caller frees */
void *alloc_zero(size_t count, size_t size) __attribute__((malloc));

/* alloc_resize - realloc(3) that does not fail */
void *alloc_resize(void *old, size_t size);

/*
 * alloc_array - make sure that an array has room for one more element
 *
 * @array has @count elements of @size bytes.  Returns the array, moved if it
 * had to be: it has room for a power of two of elements, so the caller keeps
 * no capacity.
 */
void *alloc_array(void *array, size_t count, size_t size);

/* alloc_copy - a copy of @len bytes at @data with a NUL put behind */
char *alloc_copy(const char *data, size_t len);

/* alloc_text - a string made by @fmt */
char *alloc_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* CHOCK_BASE_ALLOC_H */
