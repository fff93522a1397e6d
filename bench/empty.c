/* SPDX-License-Identifier: MIT */
/* What a process costs that does nothing: the unit of the start-up figure. */
int main(void)
{
	return 0;
}
