/* SPDX-License-Identifier: MIT */
/* The peer of the JSON writer: 65,000 mappings of 24 numbers as a cJSON tree, printed. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 65000;
	cJSON *list = cJSON_CreateArray();
	char key[16];

	for (int i = 0; i < n; i++) {
		cJSON *v = cJSON_CreateObject();

		for (int k = 0; k < 24; k++) {
			snprintf(key, sizeof(key), "Field_%02d", k);
			cJSON_AddNumberToObject(v, key, (i * 31 + k * 17) % 100000);
		}
		cJSON_AddStringToObject(v, "name", "/usr/lib/x86_64-linux-gnu/libc.so.6");
		cJSON_AddItemToArray(list, v);
	}
	char *text = cJSON_PrintUnformatted(list);
	if (!text)
		return 1;
	fputs(text, stdout);
	return 0;
}
