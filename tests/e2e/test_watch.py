#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov watch without a screen: lines, NDJSON, recordings and their replay, what is no target, how it ends.

The target is a tree that the test itself writes: --root makes it deterministic.
"""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from mini_schema import validate
from tap import failed, say, skip

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
FIX = os.path.join(TOP, 'tests/fixtures/kernel-6.18')
HEADER = 'time      rss MiB  huge  could  cover  not-allowed misplaced not-deliv  events'
SCHEMAS = {'hugecov.%s/1' % n: json.load(open(os.path.join(TOP, 'schemas/hugecov.%s-1.json' % n)))
           for n in ('report', 'tick', 'snapshot')}


def command(args):
    """Full looks at every tick, unless a test is about something else: builds with sanitizers are slow."""
    return [HUGECOV, 'watch', *([] if '--max-cpu' in args else ['--max-cpu', '100']), *map(str, args)]


def run(*args, **more):
    return subprocess.run(command(args), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, **more)


class Tree:
    """A root with one process, 7, whose files the test changes. Written aside and renamed: no look sees half a file."""

    def __init__(self, folder, smaps):
        self.root = folder
        for d in ('proc/7', 'sys/kernel/mm/transparent_hugepage'):
            os.makedirs(os.path.join(folder, d))
        self.put('sys/kernel/mm/transparent_hugepage/enabled', 'always [madvise] never\n')
        self.put('sys/kernel/mm/transparent_hugepage/hpage_pmd_size', '2097152\n')
        self.put('proc/7/stat', '7 (demo) S ' + '0 ' * 18 + '5000 0\n')
        self.put('proc/7/status', 'Name:\tdemo\nPid:\t7\nTHP_enabled:\t1\n')
        self.copy('16-loss-before.vmstat', 'proc/vmstat')
        self.copy('16-loss-before.meminfo', 'proc/meminfo')
        self.smaps(smaps)

    def put(self, name, text):
        path = os.path.join(self.root, name)
        with open(path + '.new', 'w') as f:
            f.write(text)
        os.rename(path + '.new', path)

    def copy(self, fixture, name):
        with open(os.path.join(FIX, fixture), encoding='latin-1') as f:
            self.put(name, f.read())

    def smaps(self, fixture):
        self.copy(fixture, 'proc/7/smaps')


def lines_of(text):
    return [json.loads(l) for l in text.splitlines()]


def faults(docs):
    """What does not fit the schemas of the project."""
    return [f for d in docs for f in validate(d, SCHEMAS[d['schema']])]


class Watch:
    """A running watch whose lines are read one by one."""

    def __init__(self, *args, **more):
        self.p = subprocess.Popen(command(args), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, **more)

    def line(self):
        return self.p.stdout.readline()

    def end(self, sig=None):
        if sig:
            self.p.send_signal(sig)
        out, err = self.p.communicate(timeout=30)
        return out, err, self.p.returncode


def batch(folder):
    t = Tree(os.path.join(folder, 'batch'), '16-loss-before.smaps')
    p = run('--batch', '-i', '50ms', '--iterations', 3, '--root', t.root, 7)
    rows = p.stdout.splitlines()
    say(p.returncode == 0 and not p.stderr and rows[0] == HEADER and len(rows) == 4, 'a header and a line a tick', p)
    say(all(re.fullmatch(r'\d\d:\d\d:\d\d     16\.1  16\.0   16\.0 100\.0%          0\.0       0\.0       0\.0', r)
            for r in rows[1:]), 'the numbers of the fixture', p.stdout)
    p = run('--batch', '-i', '50ms', '--iterations', 1, '--root', t.root, '--kb', 7)
    say(re.search(r'16,436 +16,384 +16,384 100\.0% +0 +0 +0$', p.stdout, re.M), '--kb', p.stdout)
    p = run('-i', '50ms', '--iterations', 1, '--root', t.root, 7)
    say(p.returncode == 0 and p.stdout.startswith(HEADER), 'without a terminal it is a batch', p)
    out = os.path.join(folder, 'lines.txt')
    p = run('-i', '50ms', '--iterations', 2, '--root', t.root, '-o', out, 7)
    say(p.returncode == 0 and not p.stdout and len(open(out).read().splitlines()) == 3, '--output', p)
    p = run('-i', '50ms', '--iterations', 1, '--root', t.root, '--match', 'nothing like it', 7)
    say(p.returncode == 0 and '    0.0   0.0    0.0      - ' in p.stdout, '--match', p)

    w = Watch('--batch', '-i', '50ms', '--root', t.root, 7)
    rows = [w.line(), w.line()]
    t.smaps('16-loss-after.smaps')
    while '-' not in rows[-1].split('%')[-1] and len(rows) < 200:
        rows.append(w.line())
    say(rows[-1].rstrip().endswith('-4 huge'), 'lost huge pages are said in the line', rows[-1])
    t.copy('16-loss-after.vmstat', 'proc/vmstat')
    while 'host: split' not in rows[-1] and len(rows) < 400:
        rows.append(w.line())
    say('host: split' in rows[-1], 'splits of the host are rates', rows[-1])
    os.rename(os.path.join(t.root, 'proc/7/stat'), os.path.join(t.root, 'proc/7/gone'))
    out, err, status = w.end()
    say(status == 3 and 'process 7 (demo) has ended; its last state is shown' in err,
        'the target ends: said, status 3', (err, status))
    say(re.search(r'15\.0   8\.0   14\.0  57\.1% .*ended$', out.splitlines()[-1]),
        'its last state is the last line', out[-200:])
    os.rename(os.path.join(t.root, 'proc/7/gone'), os.path.join(t.root, 'proc/7/stat'))
    w = Watch('--batch', '-i', '50ms', '--root', t.root, 7)
    w.line(), w.line()
    t.put('proc/7/stat', '7 (other) S ' + '0 ' * 18 + '6000 0\n')
    say(w.end()[2] == 3, 'another process with its number is not the target')
    t.put('proc/7/stat', '7 (demo) Z ' + '0 ' * 18 + '5000 0\n')
    p = run('--batch', '--root', t.root, 7)
    say(p.returncode == 2 and 'is a zombie' in p.stderr and not p.stdout, 'a zombie from the start', p)
    t.put('proc/7/stat', '7 (demo) S ' + '0 ' * 18 + '5000 0\n')
    for sig in (signal.SIGINT, signal.SIGTERM):
        w = Watch('--batch', '-i', '50ms', '--root', t.root, 7)
        w.line(), w.line()
        out, err, status = w.end(sig)
        say(status == -sig and not err and (not out or out.endswith('\n')),
            '%s ends it between two lines' % sig.name, (status, err, out[-100:]))
    w = Watch('--batch', '-i', '50ms', '--root', t.root, 7)
    w.line()
    w.p.stdout.close()
    err = w.p.stderr.read()
    say(w.p.wait(timeout=30) == -signal.SIGPIPE and not err, 'a closed pipe is quiet', err)
    w.p.stderr.close()
    if os.path.exists('/dev/full'):
        with open('/dev/full', 'w') as full:
            p = subprocess.run([HUGECOV, 'watch', '-i', '50ms', '--root', t.root, '7'],
                               stdout=full, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, timeout=60)
        say(p.returncode == 2 and 'No space left' in p.stderr, 'a full disk ends it', p)


def exec_and_policy(folder):
    t = Tree(os.path.join(folder, 'exec'), '01-aligned.smaps')
    w = Watch('--format', 'json', '-i', '50ms', '--root', t.root, 7)
    docs = [json.loads(w.line()), json.loads(w.line())]
    t.put('proc/7/status', 'Name:\trenamed\nPid:\t7\nTHP_enabled:\t1\n')
    t.put('proc/7/stat', '7 (renamed) S ' + '0 ' * 18 + '5000 0\n')
    while docs[-1]['schema'] != 'hugecov.report/1' and len(docs) < 200:
        docs.append(json.loads(w.line()))
    say(docs[-1]['process']['comm'] == 'renamed' and not docs[-1]['tick']['exec'],
        'another name is no exec, and a whole report', docs[-1]['tick'])
    t.smaps('20-header-page.smaps')
    docs.append(json.loads(w.line()))
    while not docs[-1]['tick']['exec'] and len(docs) < 400:
        docs.append(json.loads(w.line()))
    say(docs[-1]['tick']['exec'] and docs[-1]['schema'] == 'hugecov.report/1',
        'an exec is said, with a whole report', docs[-1]['tick'])
    t.put('sys/kernel/mm/transparent_hugepage/enabled', 'always madvise [never]\n')
    docs.append(json.loads(w.line()))
    while docs[-1]['schema'] != 'hugecov.report/1' and len(docs) < 600:
        docs.append(json.loads(w.line()))
    say(docs[-1]['system']['policy'] == 'never', 'another policy is a whole report')
    w.end(signal.SIGTERM)


def cheap_looks(folder):
    """Where there are no page tables to ask, sums come between full looks; without sums the counters only."""
    t = Tree(os.path.join(folder, 'cheap'), '16-loss-before.smaps')
    t.copy('16-loss-before.smaps_rollup', 'proc/7/smaps_rollup')
    args = ('--format', 'json', '-i', '50ms', '--max-cpu', '0.1', '--iterations', 60, '--root', t.root, 7)
    docs = lines_of(run(*args).stdout)
    looks = [d['tick']['look'] for d in docs]
    say(not faults(docs), 'they fit their schemas', faults(docs)[:5])
    say(looks[0] == 'full' and 'rollup' in looks and 'scan' not in looks and looks.count('full') < 40,
        'sums between full looks', looks)
    say(all(d['tick']['rollup'] == {'rss_kb': 17940, 'huge_kb': 16384} for d in docs if d['tick']['look'] == 'rollup'),
        'the sums of smaps_rollup', [d['tick']['rollup'] for d in docs])
    os.unlink(os.path.join(t.root, 'proc/7/smaps_rollup'))
    looks = [d['tick']['look'] for d in lines_of(run(*args).stdout)]
    say(set(looks) == {'full', 'counters'}, 'counters between full looks', looks)
    p = run('--batch', '-i', '50ms', '--max-cpu', '0.1', '--iterations', 20, '--root', t.root, 7)
    say(re.search(r'  as \d+ ticks? before$', p.stdout, re.M), 'and the lines say so', p.stdout)


def ndjson(folder):
    t = Tree(os.path.join(folder, 'ndjson'), '16-loss-before.smaps')
    p = run('--format', 'json', '-i', '50ms', '--iterations', 4, '--root', t.root, 7)
    docs = lines_of(p.stdout)
    say(p.returncode == 0 and [d['schema'] for d in docs] == ['hugecov.report/1'] + ['hugecov.tick/1'] * 3,
        'one report, then ticks', p.stderr)
    say(not faults(docs), 'they fit their schemas', faults(docs)[:5])
    say([d['tick']['n'] for d in docs] == [1, 2, 3, 4]
        and all(d['tick']['look'] == 'full' and d['tick']['target'] == 'runs' for d in docs), 'they are counted')
    say(all(d['vmas'] == [] and d['gone'] == [] and d['vmstat'] == {} for d in docs[1:]),
        'nothing changed: nothing is in them', docs[1])
    w = docs[0]['totals']['waterfall']
    say(docs[1]['totals']['waterfall'] == w and docs[1]['totals']['huge_kb'] == docs[0]['totals']['huge_kb'],
        'totals are in each')
    plain = json.loads(subprocess.run([HUGECOV, 'report', '--format', 'json', '--pid', '7', t.root],
                                      capture_output=True, text=True).stdout)
    say(plain['vmas'] == docs[0]['vmas'] and plain['findings'] == docs[0]['findings'],
        'the report is that of hugecov report')


def selected(folder):
    """What is not selected is in no line, and changes of it neither."""
    t = Tree(os.path.join(folder, 'selected'), '16-loss-before.smaps')
    rec = os.path.join(folder, 'selected.ndjson')
    w = Watch('--format', 'json', '-i', '60ms', '--class', 'file', '--record', rec, '--root', t.root, 7)
    docs = [json.loads(w.line()), json.loads(w.line())]
    t.smaps('16-loss-after.smaps')
    docs += [json.loads(w.line()) for _ in range(3)]
    os.rename(os.path.join(t.root, 'proc/7/stat'), os.path.join(t.root, 'proc/7/gone'))
    out, err, status = w.end()
    docs += lines_of(out)
    say(all(v['class'] == 'file' for d in docs for v in d['vmas']) and docs[0]['vmas']
        and not any(d['gone'] for d in docs[1:] if d['schema'] == 'hugecov.tick/1'),
        'of the selected mappings only', [d['gone'] for d in docs[1:]])
    say(docs[-1]['tick']['target'] == 'ended' and docs[-1]['schema'] == 'hugecov.tick/1' and not faults(docs),
        'the last line says that the target has ended', docs[-1]['tick'])
    p = run('--batch', rec)
    say(p.returncode == 0 and p.stdout.rstrip().endswith('ended'), 'and so does the replay', p)


def recording(folder):
    t = Tree(os.path.join(folder, 'record'), '16-loss-before.smaps')
    rec = os.path.join(folder, 'run.ndjson')
    w = Watch('--batch', '-i', '60ms', '--record', rec, '--root', t.root, 7)
    live = [w.line()]
    for smaps in ('16-loss-after.smaps', '01-aligned.smaps', '16-loss-before.smaps'):
        live += [w.line(), w.line()]
        t.smaps(smaps)
        live += [w.line(), w.line(), w.line()]
    t.copy('16-loss-after.vmstat', 'proc/vmstat')
    live += [w.line(), w.line()]
    out, err, status = w.end(signal.SIGTERM)
    live += out.splitlines(True)
    p = run('--batch', rec)
    say(p.returncode == 0 and not p.stderr and p.stdout == ''.join(live), 'a replay prints the lines of the recording',
        ''.join(live) + '----\n' + p.stdout + p.stderr)
    whole = open(rec).read()
    n = whole.count('\n')
    p = run('--format', 'json', rec)
    docs, again = lines_of(whole), lines_of(p.stdout)
    say(not faults(docs) and not faults(again), 'both fit their schemas', (faults(docs) + faults(again))[:5])
    say(len(again) == n and [d['tick'] for d in again] == [d['tick'] for d in docs], 'and as JSON its ticks', p.stderr)
    say([d['totals']['waterfall'] for d in again] == [d['totals']['waterfall'] for d in docs], 'with equal sums')
    p = run('--batch', '--iterations', 2, rec)
    say(p.returncode == 0 and len(p.stdout.splitlines()) == 3, '--iterations ends a replay too', p)

    cut = os.path.join(folder, 'cut.ndjson')
    for keep, name in ((len(whole) - 40, 'a cut last line is left out, and said'),
                       (len(whole) - 1, 'a lost newline is no loss')):
        open(cut, 'w').write(whole[:keep])
        p = run('--batch', cut)
        rows = len(p.stdout.splitlines()) - 1
        if keep == len(whole) - 1:
            say(p.returncode == 0 and rows == n and not p.stderr, name, p)
        else:
            say(p.returncode == 0 and rows == n - 1 and 'last line of the recording is cut' in p.stderr, name, p)
    part = whole.split('\n')
    part[3] = part[3][:200]
    open(cut, 'w').write('\n'.join(part))
    p = run('--batch', cut)
    say(p.returncode == 2 and len(p.stdout.splitlines()) == 4 and 'cut.ndjson:4:' in p.stderr,
        'a damaged line in between: its place, status 2', p.stderr)
    open(cut, 'w').write(part[0][:5000])
    p = run('--batch', cut)
    say(p.returncode == 2 and not p.stdout and 'without one whole line' in p.stderr, 'not one whole line', p)
    p = run('--batch', '--record', cut, rec)
    say(p.returncode == 2 and 'is a recording already' in p.stderr, 'a replay is not recorded', p)

    limit = os.path.join(folder, 'limit.ndjson')
    p = run('--batch', '-i', '50ms', '--iterations', 40, '--record', limit,
            '--record-limit', '64kB', '--root', t.root, 7)
    text = open(limit).read()
    say(p.returncode == 0 and len(p.stdout.splitlines()) == 41 and 'reached the size of --record-limit' in p.stderr,
        '--record-limit is said, watching goes on', p.stderr)
    say(0 < len(text) <= 65536 and text.endswith('\n') and lines_of(text), 'and ends with a whole line', len(text))
    if os.path.exists('/dev/full'):
        p = run('--batch', '-i', '50ms', '--iterations', 2, '--record', '/dev/full', '--root', t.root, 7)
        say(p.returncode == 2 and 'No space left' in p.stderr and len(p.stdout.splitlines()) == 3,
            'a full disk: said, status 2, watching goes on', p)
    os.symlink(limit, os.path.join(folder, 'link.ndjson'))
    p = run('--batch', '--iterations', 1, '--record', os.path.join(folder, 'link.ndjson'), '--root', t.root, 7)
    say(p.returncode == 2 and 'symbolic link' in p.stderr, 'a recording follows no link', p)
    kept = os.path.join(folder, 'kept')
    open(kept, 'w').write('of somebody')
    os.link(kept, os.path.join(folder, 'hard.ndjson'))
    p = run('--batch', '--iterations', 1, '--record', os.path.join(folder, 'hard.ndjson'), '--root', t.root, 7)
    say(p.returncode == 2 and 'hard link' in p.stderr and not p.stdout and open(kept).read() == 'of somebody',
        'nor a hard link', p)
    os.unlink(kept)
    p = run('--batch', '--iterations', 1, '--record', os.path.join(folder, 'hard.ndjson'), '--root', t.root, 7)
    say(p.returncode == 0 and lines_of(open(os.path.join(folder, 'hard.ndjson')).read()),
        'a file of one name is written anew', p)
    p = run('--batch', '--iterations', 1, '--record', folder, '--root', t.root, 7)
    say(p.returncode == 2 and folder in p.stderr and not p.stdout, 'a folder is no recording', p)
    p = run('--batch', '--iterations', 1, '--record', os.path.join(folder, 'no/where.ndjson'), '--root', t.root, 7)
    say(p.returncode == 2 and 'No such file' in p.stderr and not p.stdout, 'a recording that cannot be made', p)
    return docs


def many(folder, docs):
    """Thousands of samples need no more memory than hundreds."""
    peak = {}
    for n in (300, 6000):
        path = os.path.join(folder, 'many.ndjson')
        with open(path, 'w') as f:
            f.write(json.dumps(docs[0]) + '\n')
            for i in range(2, n + 1):
                d = docs[1 + i % (len(docs) - 1)]
                d['tick']['n'], d['tick']['elapsed_ns'] = i, i * 1000000000
                f.write(json.dumps(d) + '\n')
        pid = os.posix_spawn(HUGECOV, [HUGECOV, 'watch', '--batch', '--output', os.path.join(folder, 'many.txt'), path],
                             os.environ)
        _, status, usage = os.wait4(pid, 0)
        rows = len(open(os.path.join(folder, 'many.txt')).read().splitlines()) - 1
        say(status == 0 and rows == n, '%d samples are replayed' % n, (status, rows))
        peak[n] = usage.ru_maxrss
    if 'asan' in HUGECOV or 'faults' in HUGECOV:
        skip('memory is flat', 'the sanitizer keeps what is freed')
    else:
        say(peak[6000] <= peak[300] + 512, 'memory is flat', peak)


def no_target(folder):
    smaps = os.path.join(TOP, 'tests/fixtures/malloc128/before.txt')
    p = subprocess.run([HUGECOV, 'watch', 'before.txt'], cwd=os.path.dirname(smaps),
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)
    say(p.returncode == 2 and not p.stdout and p.stderr
        == 'hugecov: before.txt is a saved smaps file. watch takes a PID or a recording made\nwith --record. To look at it: hugecov report before.txt\n', 'a saved smaps file: a sentence, not a screen', p)
    report = os.path.join(folder, 'report.json')
    subprocess.run([HUGECOV, 'report', '--format', 'json', '--output', report, smaps])
    names = {'empty': '', 'text': 'hello\n', 'json': '{"a":1}\n'}
    for name, text in names.items():
        open(os.path.join(folder, name), 'w').write(text)
    for arg, word in ((report, 'is a saved report'), (os.path.join(FIX, 'system/meminfo'), 'is a saved meminfo file'),
                      (folder, 'is a directory'), (os.path.join(folder, 'empty'), 'no recording'),
                      (os.path.join(folder, 'text'), 'no recording'),
                      (os.path.join(folder, 'json'), 'no recording'), ('-', 'no standard input'),
                      ('/no/such/file', 'o such file'),
                      (2 ** 22 + 7, 'there is no process')):
        p = run(arg)
        say(p.returncode == 2 and not p.stdout and word in p.stderr and '\x1b' not in p.stderr,
            'no target: %s' % os.path.basename(str(arg)), p)
    if os.path.exists('/proc/2/comm') and open('/proc/2/comm').read() == 'kthreadd\n':
        p = run(2)
        say(p.returncode == 2 and 'is a kernel thread' in p.stderr, 'a kernel thread', p)
    else:
        skip('a kernel thread', 'none is to be seen here')
    for args, word in ((['--max-cpu', '0', 1], '--max-cpu'), (['--record-limit', '1MiB', os.getpid()], '--record'),
                       ([], 'what shall be watched'), ([1, 2], 'unexpected')):
        p = run(*args)
        say(p.returncode == 2 and word in p.stderr and not p.stdout, 'bad usage: %s' % ' '.join(map(str, args)), p)
    if os.geteuid() == 0:
        # setpriv keeps its rights up to the exec: the tool may lie where nobody may look.
        nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
        p = subprocess.run([*nobody, *command([os.getpid(), '--iterations', 1])],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        say(p.returncode == 2 and 'permission denied' in p.stderr and not p.stdout, 'not your process', p)
    else:
        skip('not your process', 'needs root to become somebody else')


def terminals(folder):
    """A terminal that cannot show a screen gets lines without escape codes."""
    t = Tree(os.path.join(folder, 'dumb'), '16-loss-before.smaps')
    for env, name in (({'TERM': 'dumb'}, 'TERM=dumb'), ({}, 'no TERM'),
                      ({'TERM': 'no-such-terminal'}, 'an unknown TERM')):
        pid, fd = pty.fork()
        if pid == 0:
            e = {k: v for k, v in os.environ.items() if k != 'TERM'}
            os.execve(HUGECOV, [HUGECOV, 'watch', '-i', '50ms', '--iterations', '2', '--root', t.root, '7'],
                      {**e, **env})
        out = b''
        while True:
            try:
                got = os.read(fd, 4096)
            except OSError:
                break
            if not got:
                break
            out += got
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(fd)
        text = out.decode()
        say(status == 0 and HEADER in text and '\x1b' not in text and len(text.splitlines()) >= 3,
            '%s: as a batch, no escape codes' % name, (status, text))


def main():
    folder = tempfile.mkdtemp(prefix='hugecov-test-')
    try:
        batch(folder)
        exec_and_policy(folder)
        cheap_looks(folder)
        ndjson(folder)
        selected(folder)
        many(folder, recording(folder))
        no_target(folder)
        terminals(folder)
    finally:
        shutil.rmtree(folder)
    return failed()


if __name__ == '__main__':
    sys.exit(main())
