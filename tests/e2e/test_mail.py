#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and dumps in mails as mail programs save them read like the files they were."""
import base64
import email.policy
import json
import os
import quopri
import subprocess
import tempfile
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

from tap import say as ok

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']
HEADERS = {'From': 'robot <robot@example.com>', 'To': 'someone <someone@example.com>',
           'Date': 'Thu, 31 Oct 2024 10:00:00 +0800',
           'Subject': 'a table', 'Message-ID': '<1@example.com>'}


def fixture(name):
    with open(os.path.join(TOP, 'tests/fixtures', name), encoding='utf-8') as f:
        return f.read()


def body(text, how='quoted-printable', charset='utf-8', sub='plain', name=None):
    m = MIMEText('', sub, charset)
    if how != 'base64':
        del m['Content-Transfer-Encoding']
        m['Content-Transfer-Encoding'] = how
        m.set_payload(quopri.encodestring(text.encode(charset)).decode())
    else:
        m.set_payload(base64.encodebytes(text.encode(charset)).decode())
    if name:
        m.add_header('Content-Disposition', 'attachment', filename=name)
    return m


def parts(*list_of, sub='mixed'):
    m = MIMEMultipart(sub)
    for p in list_of:
        m.attach(p)
    return m


def html(text):
    return '<html><body><pre>\n%s</pre></body></html>' % text.replace('&',
                                                                      '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def saved(m, policy=email.policy.default):
    for name, value in HEADERS.items():
        m[name] = value
    return m.as_bytes(policy=policy)


def forms(text):
    config, image = body('CONFIG_X=y\n' * 50, 'base64', name='config'), MIMEApplication(b'\0\1\2' * 500)
    plain = {how: body(text, how) for how in ('quoted-printable', 'base64')}
    yield 'quoted-printable', saved(body(text))
    yield 'quoted-printable, CR LF', saved(body(text), email.policy.SMTP)
    yield 'quoted-printable of Latin-1', saved(body(text, charset='latin-1'))
    yield 'base64', saved(body(text, 'base64'))
    yield 'base64, CR LF', saved(body(text, 'base64'), email.policy.SMTP)
    yield 'beside a configuration and an image', saved(parts(plain['quoted-printable'], config, image))
    yield 'as text and as HTML', saved(parts(plain['base64'], body(html(text), sub='html'), sub='alternative'))
    yield 'as HTML and as text', saved(parts(body(html(text), sub='html'), body(text), sub='alternative'))
    yield 'two forms beside an image', saved(parts(parts(body(text), body(html(text), 'base64', sub='html'),
                                                         sub='alternative'), image))
    yield 'attached', saved(parts(body('see below\n'), body(text, 'base64', name='table.txt')))
    yield 'attached, of no known type, beside an image', saved(parts(body('see below\n'),
                                                                     image, MIMEApplication(text.encode())))
    yield 'in an mbox', b'From mboxrd@z Thu Jan  1 00:00:00 1970\n' + saved(body(text))


def report(data, *args, path='-'):
    p = subprocess.run([TOOL, 'report', '--format', 'json', *args, path], input=data, capture_output=True)
    return p, json.loads(p.stdout) if p.returncode == 0 else None


def tables(doc):
    """What a document says, without where it was read."""
    if not doc:
        return None
    for t in doc.get('tables') or []:
        t.pop('line', None)
    return {k: v for k, v in doc.items() if k not in ('source', 'headlines')}


def same(kind, text, wanted, what=tables):
    for name, data in forms(text):
        p, doc = report(data)
        ok(what(doc) == wanted, '%s, %s' % (kind, name), p.stderr or p.stdout[:600])


def refusals():
    text = fixture('lkp/radixsort.txt')
    good = saved(body(text, 'base64'))
    begin = good.index(b'\n\n') + 2
    row = good[:begin].count(b'\n') + 1
    p, _ = report(good[:begin] + b'!' + good[begin:])
    ok(p.returncode == 2 and p.stderr.startswith(b'hugecov: standard input:%d:1: this is not base64' % row)
       and b'Save the text' in p.stderr, 'what is no base64 is refused', p.stderr)
    p, _ = report(good[:-200].rstrip(b'=\n')[:-1])
    ok(p.returncode == 2 and b'cut here' in p.stderr, 'base64 that was cut is refused', p.stderr)
    p, _ = report(base64.encodebytes(text.encode()))
    ok(p.returncode == 2 and b'base64 -d FILE' in p.stderr, 'base64 without its mail: what to do', p.stderr)
    p, _ = report(saved(body(text)), '--strict')
    ok(p.returncode == 2 and b'standard input:1:1: ' in p.stderr, '--strict wants the table alone', p.stderr)
    # Places are those of the file that was saved.
    smaps = fixture('kernel-6.18/01-aligned.smaps').replace('Rss:                   4 kB',
                                                            'Rss:                   x kB', 1)
    data = saved(body(smaps))
    at = data.index(b'x kB')
    p, _ = report(data)
    ok(p.returncode == 2 and b':%d:24: a number is due here' % (data[:at].count(b'\n') + 1) in p.stderr,
       'a fault has its place in the mail', p.stderr)


def pasted():
    smaps = fixture('kernel-6.18/01-aligned.smaps')
    _, wanted = report(smaps.encode())
    p, doc = report(quopri.encodestring(smaps.encode()))
    ok(tables(doc) == tables(wanted), 'smaps pasted as quoted-printable', p.stderr or p.stdout[:300])
    p, doc = report(saved(parts(body('see below\n'), body(smaps, 'base64', name='smaps'))), '--kind', 'smaps')
    ok(tables(doc) == tables(wanted), '--kind is found in what is attached', p.stderr)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a mail.eml')
        with open(path, 'wb') as f:
            f.write(saved(body(smaps, 'base64')))
        p, doc = report(None, path=path)
        ok(tables(doc) == tables(wanted) and doc['source']['path'] == path, 'from a file', p.stderr)
        p = subprocess.run([TOOL, 'check', '--require', 'huge_kb >= 8192', path], capture_output=True)
        ok(p.returncode == 0, 'check reads it', p.stderr)
        p = subprocess.run([TOOL, 'diff', path, os.path.join(TOP, 'tests/fixtures/kernel-6.18/01-aligned.smaps')],
                           capture_output=True)
        ok(p.returncode == 0 and b'nothing changed' in p.stdout, 'diff reads it', p.stderr + p.stdout)


def main():
    for kind, name in (('a robot table', 'lkp/radixsort.txt'), ('latencies', 'lkp/lat_mem_rd.txt'),
                       ('perf stat', 'perf/p61-real-default.txt')):
        text = fixture(name)
        same(kind, text, tables(report(text.encode())[1]))
    smaps = fixture('kernel-6.18/11-flags-and-advice.smaps')
    same('smaps', smaps, tables(report(smaps.encode())[1]))
    refusals()
    pasted()


main()
