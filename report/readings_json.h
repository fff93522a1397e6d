/* SPDX-License-Identifier: MIT */
/* The member `readings` of a document: [{id,text,evidence}]. Key included. */
#ifndef REPORT_READINGS_JSON_H
#define REPORT_READINGS_JSON_H

#include "base/json.h"
#include "model/readings.h"

void json_readings(struct json *j, const struct readings *r);

#endif
