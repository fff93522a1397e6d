/* SPDX-License-Identifier: MIT */
/* The two encodings of a mail's text. Between the files of mails only. */
#ifndef PARSE_MAIL_BODY_H
#define PARSE_MAIL_BODY_H

#include <stdbool.h>

#include "base/out.h"

/* It goes on in the next line. A = in front would be written =3D: "=====" is a rule of a table. */
bool mail_qp_breaks(struct slice line);
/* Quoted-printable: what is no escape stays as it is. Keeps the number of lines. */
void mail_qp(struct out *o, struct slice body);
int mail_base64_digit(char c); /* 0 to 63; -1: none */
/* NULL, or what is wrong, with *ret_at where; what came before it is written then. */
const char *mail_base64(struct out *o, struct slice body, const char **ret_at);

#endif
