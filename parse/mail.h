/* SPDX-License-Identifier: MIT */
/*
 * Mails as mail programs save them (.eml, mbox): headers, parts, and bodies in
 * quoted-printable or base64. What is no text gives way to empty lines, so that
 * places in what is left are places in the file; only behind a base64 body
 * whose text has more lines than its code they are later.
 */
#ifndef PARSE_MAIL_H
#define PARSE_MAIL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"

/* Does a mail begin here whose text has to be decoded or taken out of parts? */
bool mail_looks(struct slice head);

/* Without headers: quoted-printable as it was pasted, "00:00 0=20", "...=" at the edge. */
bool mail_looks_encoded(struct slice head);

/* Without headers: base64, three whole lines of one length at least. It is not decoded: it may be anything. */
bool mail_looks_base64(struct slice head);

/*
 * The text of all mails in it: of each the parts that are shown, and with
 * `attachments` those that are attached, too, if they are text. Of the alternatives of
 * one text only the plain one. -1 with `e`: what claims to be base64 is not.
 * O(n) and at most as long as the input, and the lines it had.
 */
int mail_decode(struct slice bytes, bool attachments, struct arena *a, struct slice *ret, struct err *e);

/* What was pasted without its headers. */
struct slice mail_decode_quoted_printable(struct slice bytes, struct arena *a);

#endif
