/* SPDX-License-Identifier: ISC */
/* What costs least to start: a program that ends.  Linked as chock-spawn is. */

int main(void)
{
	return 0;
}
