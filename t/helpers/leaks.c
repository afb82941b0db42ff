/* SPDX-License-Identifier: ISC */
/*
 * leaks - no search for leaks at the end of a helper that runs in a sandbox
 *
 * LeakSanitizer traces its own process for that, which the sandbox's filter
 * kills, and then waits for ever.  The sandbox passes no environment, so the
 * option is compiled in.  Without sanitizers nobody calls this.
 */

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
