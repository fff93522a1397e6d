/* SPDX-License-Identifier: MIT */
#include "report/readings_json.h"

void json_readings(struct json *j, const struct readings *r)
{
	json_key(j, "readings");
	json_array(j);
	for (size_t i = 0; i < r->n; i++) {
		json_break(j);
		json_object(j);
		json_kv_str(j, "id", r->at[i].id);
		json_kv_slice(j, "text", r->at[i].text);
		json_key(j, "evidence");
		json_raw(j, r->at[i].evidence); /* written by the reading itself */
		json_object_end(j);
	}
	json_array_end(j);
}
