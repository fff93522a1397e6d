# SPDX-License-Identifier: MIT
"""Every form of every command, run with something failing: for test_faults.py and test_alloc_faults.py.

A run must end with status 2, one error line and no file, or, when what failed was not needed, with status 0 and
whole output: never by a signal, with a report of a sanitizer, or not at all. HARD=1 tries each point, the default
the first and the last ones and a spread of those between. ONLY=WORD takes the forms with that word.
"""
import concurrent.futures
import contextlib
import difflib
import io
import json
import os
import pty
import queue
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios

import tap

TOP = os.environ['TOP']
FIXTURES = os.path.join(TOP, 'tests/fixtures')
EACH = bool(os.environ.get('HARD'))
WORKERS = os.cpu_count() or 1


def say(ok, name, detail=''):
    tap.say(ok, name, ascii(str(detail)).replace('\\n', '\n'))


# ---- what is run ----

class Form:
    """A command line. shape: text, json, ndjson, snap (a snapshot is written), screen (on a terminal).

    still: what is read does not move, and two runs print the same.
    """

    def __init__(self, name, *args, shape='text', still=True, stdin=None):
        self.name, self.args, self.shape, self.still, self.stdin = name, args, shape, still, stdin


def fixture(*parts):
    return os.path.join(FIXTURES, *parts)


def prepare(tool, tmp, pid):
    """What the forms read: a small process saved, a report, a recording, a budget, two sets."""
    def run(*args):
        subprocess.run([tool, *args], check=True, capture_output=True, stdin=subprocess.DEVNULL)

    for name in ('dir', 'a.tar', 'a.tar.zst', 'a.tar.gz', 'a.tar.xz'):
        run('snap', pid, '-o', os.path.join(tmp, name))
    run('report', '--format', 'json', '--output', os.path.join(tmp, 'report.json'), fixture('malloc128/before.txt'))
    with open(os.path.join(tmp, 'budget.json'), 'w') as f:
        f.write('{"schema":"hugecov.budget/1","rules":[{"name":"a","require":"rss_kb >= 0","select":{"class":"anon"},"severity":"fail"}]}')
    for name in ('set', 'set2'):
        shutil.copytree(fixture('set'), os.path.join(tmp, name))
    shutil.copy(os.path.join(tmp, 'set/proc/1201/smaps'), os.path.join(tmp, 'set2/proc/1202/smaps'))
    shutil.rmtree(os.path.join(tmp, 'set2/proc/1203'))
    run('watch', '--root', fixture('set'), '--batch', '--iterations', '2', '--interval',
        '100ms', '--record', os.path.join(tmp, 'run.ndjson'), '1201')
    # the THP files of a live machine are some hundred: a snapshot of few is the same code
    few = os.path.join(tmp, 'few')
    shutil.copytree(os.path.join(tmp, 'dir'), few)
    for name in os.listdir(os.path.join(few, 'sys/kernel/mm/transparent_hugepage')):
        if name.startswith('hugepages-') and name != 'hugepages-2048kB':
            shutil.rmtree(os.path.join(few, 'sys/kernel/mm/transparent_hugepage', name))
    with open(os.path.join(tmp, 'two.txt'), 'wb') as f:
        for name in ('before', 'after'):
            with open(fixture('malloc128', name + '.txt'), 'rb') as g:
                f.write(g.read())


def of_files():
    a, b = fixture('malloc128/before.txt'), fixture('malloc128/after.txt')
    perf = [fixture('perf/hugetlbfs-%s.txt' % w) for w in ('before', 'after')]
    counters = [fixture('kernel-6.18/16-loss-%s.%s' % (w, kind)) for kind in ('meminfo', 'vmstat')
                for w in ('before', 'after')]
    rollups = [fixture('kernel-6.18/16-loss-%s.smaps_rollup' % w) for w in ('before', 'after')]
    results = [os.path.join(fixture('lkp-result'), name) for name in sorted(os.listdir(fixture('lkp-result')))]
    robot = fixture('lkp/radixsort.txt')
    for shape in ('text', 'json', 'csv'):
        yield Form('report %s' % shape, 'report', '--format', shape, a, shape=shape)
        yield Form('diff %s' % shape, 'diff', '--format', shape, a, b, shape=shape)
        yield Form('report of a raw result %s' % shape, 'report', '--format', shape, results[0], shape=shape)
        yield Form('diff of raw results %s' % shape, 'diff', '--format', shape, *results, shape=shape)
    yield Form('report --output', 'report', '--format', 'json', '--output', 'x.json', a, shape='json')
    yield Form('report -', 'report', '--format', 'json', '-', shape='json', stdin=b)
    yield Form('report of meminfo', 'report', '--format', 'json', counters[0], shape='json')
    yield Form('report with system files', 'report', fixture('kernel-6.18/16-loss-after.smaps'),
               counters[1], counters[3])
    yield Form('report of a rollup', 'report', '--format', 'json', rollups[0], shape='json')
    yield Form('report --match', 'report', '--match', 'heap', '--all', fixture('kernel-6.18/01-aligned.smaps'))
    yield Form('report perf-stat', 'report', '--format', 'json', perf[0], shape='json')
    yield Form('report perf-stat CSV', 'report', fixture('perf/p61-real-default.csv'))
    yield Form('report perf-stat JSON', 'report', fixture('perf/p61-real-default.jsonl'))
    yield Form('report lkp', 'report', '--format', 'json', robot, shape='json')
    yield Form('report lkp text', 'report', robot)
    yield Form('report lat_mem_rd', 'report', fixture('lkp/lat_mem_rd.txt'))
    yield Form('diff perf-stat', 'diff', '--format', 'json', *perf, shape='json')
    yield Form('diff of vmstat', 'diff', *counters[2:])
    yield Form('diff of rollups', 'diff', '--format', 'json', *rollups, shape='json')
    yield Form('diff of runs', 'diff', '--before', a, a, '--after', b, b)
    yield Form('diff of runs json', 'diff', '--format', 'json', '--before', a, a, '--after', b, b, shape='json')
    yield Form('check of a robot table', 'check', '--require', 'meminfo.AnonHugePages.percent >= -90%', robot)
    yield Form('help', 'report', '--help')
    yield Form('version', '--version')
    for shape in ('text', 'json', 'junit', 'github', 'markdown'):
        yield Form('check %s' % shape, 'check', '--format', shape, '--require', 'rss_kb >= 0', a, shape=shape)
    yield Form('check --baseline', 'check', '--format', 'json', '--baseline',
               a, '--require', 'rss_kb >= 0', b, shape='json')
    yield Form('check --update-budget', 'check', '--format', 'json', '--update-budget', 'new.json', a)
    yield Form('check --self-test', 'check', '--self-test', '--require', 'coverage >= 90%')


def of_saved(tmp):
    def at(name):
        return os.path.join(tmp, name)

    a = fixture('malloc128/before.txt')
    yield Form('report of a report', 'report', at('report.json'))
    yield Form('report --split', 'report', '--split', '--format', 'json', at('two.txt'), shape='json')
    yield Form('report of a snapshot', 'report', '--format', 'json', at('few'), shape='json')
    yield Form('report of a snapshot as text', 'report', '--all', at('few'))
    yield Form('report --rollup of a snapshot', 'report', '--rollup', '--format', 'json', at('few'), shape='json')
    for kind in ('tar', 'tar.gz', 'tar.xz', 'tar.zst'):
        yield Form('report of %s' % kind, 'report', '--format', 'json', at('a.' + kind), shape='json')
    yield Form('report of saved processes', 'report', '--format', 'json', at('set'), shape='json')
    yield Form('report of saved processes as text', 'report', at('set'))
    for shape in ('text', 'json', 'csv'):
        yield Form('diff of sets %s' % shape, 'diff', '--format', shape, at('set'), at('set2'), shape=shape)
    yield Form('watch of a recording', 'watch', '--batch', at('run.ndjson'))
    yield Form('watch of a recording json', 'watch', '--batch', '--format', 'json', at('run.ndjson'), shape='ndjson')
    yield Form('watch of a recording on screen', 'watch', '--iterations', '2',
               at('run.ndjson'), shape='screen', still=False)
    yield Form('check --budget', 'check', '--budget', at('budget.json'), a)
    yield Form('check of a set', 'check', '--baseline', at('set'), '--require', 'rss_kb >= 0', at('set2'))
    for kind in ('folder', 'file.tar', 'file.tar.zst'):
        yield Form('snap --root -o %s' % kind, 'snap', '--root', at('few'),
                   '--all-pids', '-o', kind, shape='snap', still=False)


def of_processes(tmp, pid):
    def at(name):
        return os.path.join(tmp, name)

    few = ('--root', at('few'))
    yield Form('report self', 'report', '--format', 'json', 'self', shape='json', still=False)
    yield Form('report self text', 'report', '--match', '^/x', '--all', 'self', still=False)
    yield Form('report --rollup', 'report', '--rollup', 'self', still=False)
    yield Form('report --each', 'report', '--each', 'self', fixture('malloc128/before.txt'), still=False)
    yield Form('report of two', 'report', 'self', pid, still=False)
    yield Form('diff live', 'diff', '--output', 'x.txt', at('few'), 'self', still=False)
    yield Form('check of a process', 'check', '--require', 'rss_kb >= 0', pid, still=False)
    yield Form('check of a command', 'check', '--require', 'rss_kb >= 0', '--',
               'sh', '-c', 'sleep 0.1; true', still=False)
    yield Form('watch', 'watch', '--batch', '--iterations', '2', '--interval', '100ms', pid, still=False)
    yield Form('watch json', 'watch', *few, '--batch', '--iterations', '1',
               '--format', 'json', pid, shape='ndjson', still=False)
    yield Form('watch --record', 'watch', *few, '--batch', '--iterations', '1',
               '--record', 'x.ndjson', pid, shape='ndjson', still=False)
    yield Form('watch on screen', 'watch', '--iterations', '2', '--interval', '100ms', pid, shape='screen', still=False)
    yield Form('snap -o folder', 'snap', 'self', '-o', 'folder', shape='snap', still=False)
    yield Form('snap of two', 'snap', '--root', at('set'), '1201', '1202', '-o', 'two', shape='snap', still=False)


def forms(tmp, pid):
    for part in (of_files(), of_saved(tmp), of_processes(tmp, pid)):
        for form in part:
            if os.environ.get('ONLY', '') in form.name:
                yield form


# ---- running it ----

class End:
    """How a run ended: status (None: it hung), both outputs, and the files that it left."""

    def __init__(self, status, out, err, folder):
        self.status, self.out = status, out
        # libarchive and curses say that themselves before they call exit()
        self.err = re.sub(r'^(Fatal Internal Error in libarchive: .*|"\?", line 0, col 0: Out of memory)\n',
                          '', err.decode('utf-8', 'replace'))
        self.files = {}
        for d, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(d, name)
                with open(path, 'rb') as f:
                    self.files[os.path.relpath(path, folder)] = f.read()
            if d != folder and not names:
                self.files[os.path.relpath(d, folder) + '/'] = b''

    def shown(self):
        """Both outputs and files, without the time of day."""
        return re.sub(rb'\d{4}-\d\d-\d\dT[\d:.]+Z?', b'TIME',
                      self.out + b''.join(self.files[k] for k in sorted(self.files)))


class Bench:
    """A folder to run in, and one for the counts."""

    def __init__(self, tmp, i):
        self.out, self.counts = os.path.join(tmp, 'out%d' % i), os.path.join(tmp, 'counts%d' % i)

    def run(self, command, form, env):
        shutil.rmtree(self.out, ignore_errors=True)
        os.mkdir(self.out)
        open(self.counts, 'wb').close()
        run = self.on_screen if form.shape == 'screen' else self.on_pipes
        status, out, err = run([*command, *form.args], form, dict(os.environ, **env))
        with open(self.counts, 'rb') as f:
            data = f.read()
        return End(status, out, err, self.out), struct.unpack('%dQ' % (len(data) // 8), data)

    def on_pipes(self, command, form, env):
        with open(form.stdin or '/dev/null', 'rb') as source:
            try:
                p = subprocess.run(command, stdin=source, capture_output=True, env=env, cwd=self.out, timeout=60)
            except subprocess.TimeoutExpired as e:
                return None, e.stdout or b'', e.stderr or b''
        return p.returncode, p.stdout, p.stderr

    def on_screen(self, command, form, env):
        """On a terminal where q was pressed before. What stands on it is nobody's concern here, but its modes are."""
        ours, theirs = pty.openpty()
        before = termios.tcgetattr(theirs)
        if 'ASAN_OPTIONS' in env:  # curses keeps what it has until the end
            env['ASAN_OPTIONS'] += ':detect_leaks=0'
        os.write(ours, b'q')
        p = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE,
                             env=dict(env, TERM='xterm-256color'), cwd=self.out)
        out = b''
        with concurrent.futures.ThreadPoolExecutor(1) as one:
            reader = one.submit(drain, ours)
            try:
                err = p.communicate(timeout=60)[1]
            except subprocess.TimeoutExpired:
                p.kill()
                err, p.returncode = p.communicate()[1], None
            if termios.tcgetattr(theirs) != before:
                err += b'\nSanitizer of the test: the terminal is left in another mode'
            os.close(theirs)
            out = reader.result()
        os.close(ours)
        return p.returncode, out, err


def drain(fd):
    out = b''
    with contextlib.suppress(OSError):  # EIO: the other end is closed
        while piece := os.read(fd, 65536):
            out += piece
    return out


# ---- judging it ----

def not_json(form, end):
    if form.shape not in ('json', 'ndjson'):
        return None
    texts = [end.out] if end.out else []
    texts += [data for name, data in end.files.items() if name.endswith('json')]
    for text in texts:
        for line in text.splitlines() if form.shape == 'ndjson' and text.count(b'\n{') else [text]:
            try:
                json.loads(line)
            except ValueError as e:
                if not (form.shape == 'ndjson' and text == end.out):  # lines for people, beside the recording
                    return 'no JSON: %s' % e
    return None


def below(name):
    """The name of a file of a snapshot from proc/ or sys/ on, without the number of the process."""
    return re.sub(r'^[^/]+/(proc/\d+/)?', '', name)


def untold_files(form, end, whole):
    """Files that a snapshot lacks and whose lack it does not tell."""
    manifest = next((data for name, data in end.files.items() if name.endswith('manifest.json')), None)
    if form.shape != 'snap' or not manifest:
        return None
    unread = [u['file'] for u in json.loads(manifest)['unread']]
    if any(u.endswith('/smaps') for u in unread):  # then nothing of that process is there
        unread += [below(n) for n in whole.files if '/proc/' in n]
    lacking = {below(n) for n in whole.files} - {below(n) for n in end.files}
    missing = [n for n in lacking if not n.endswith('/') and not any(u.endswith(n) or n.startswith(u) for u in unread)]
    return 'not in the snapshot, and untold: %s' % missing if missing else None


def left_behind(form, end, whole):
    """After status 2 nothing stays, but what was whole before only the summary could not be told; a recording of whole ticks."""
    if not end.files or 'standard output' in end.err:
        return None
    if form.shape == 'snap' and {below(n) for n in end.files} == {below(n) for n in whole.files}:
        data = end.files.get('file.tar')
        return None if not data or members(data) == members(whole.files['file.tar']) else 'half an archive'
    with contextlib.suppress(ValueError):
        for name, data in end.files.items():
            if name == 'new.json' and json.loads(data) or name.endswith('.ndjson') and [json.loads(l) for l in data.splitlines()] is not None:
                return None
    return 'left behind: %s' % sorted(end.files)[:5]


def members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return len(t.getnames())


# Ends that are nobody's fault here: (status, what standard error says, why).
KNOWN = (
    (127, r'out of memory\n',
     'the loader of glibc ends the program itself where a unique symbol of libstdc++ finds no memory (do_lookup_unique)'),
    (-11, r'crash: \S*/libc\.so\S*\n\S*/libtinfo\.so',
     'libtinfo 6.4 compares names that it could not copy (_nc_setupterm, _nc_tiparm)'),
    (-11, r'crash: \S*/libtinfo\.so\S*\n\S*/libc\.so',
     'libtinfo 6.4 fills a list that it could not make, while it frees its own (_nc_free_tparm)'),
    (-11, r'crash: \S*/libzstd\.so\S*\n\S*/libarchive\.so', 'libzstd 1.5 frees what it could not make, for libarchive'),
    (-11, r'crash: \S*/libarchive\.so',
     'libarchive 3.6 does not check all it allocates: the entry of archive_read_new(), the list of archive_read_open(), filters'),
)


def is_known(form, end):
    """A library that fell over its own missing check; the file that was to be written is not there even so."""
    named = [a for a in form.args if a in end.files]
    return not named and any(end.status == status and re.match(text, end.err) for status, text, _ in KNOWN)


def fault_of(form, end, whole, strict):
    """What is wrong with the end of a run in which something failed; None when nothing is."""
    if is_known(form, end):
        return None
    errors = [line for line in end.err.split('\n') if line.startswith('hugecov: ')]
    if end.status is None:
        return 'it hangs'
    if end.status not in (0, 2) or 'Sanitizer' in end.err or 'runtime error' in end.err:
        return 'status %d' % end.status
    if end.status == 2:
        return 'not one error line' if len(errors) != 1 or not end.err.startswith('hugecov: ') else left_behind(form, end, whole)
    if strict and errors:
        return 'status 0 with an error line'
    if not end.out and not end.files:
        return 'status 0 without output'
    # What is missing may be told and passed over; without a locale text is ASCII.
    if form.still and end.shown() not in (whole.shown(), whole.in_c) and not errors:
        return 'status 0 with other output:\n%s' % difference(whole, end)
    if form.shape == 'snap' and set(n.split('/')[0] for n in end.files) != set(n.split('/')[0] for n in whole.files):
        return 'other files: %s' % sorted(end.files)[:5]
    return not_json(form, end) or untold_files(form, end, whole)


def difference(whole, end):
    a, b = (x.shown().decode('utf-8', 'replace').splitlines() for x in (whole, end))
    return '\n'.join(difflib.unified_diff(a, b, lineterm='', n=0))[:1500]


# ---- all of it ----

def points(n):
    """Of 1..n: each, or the first and the last ones and a spread of those between."""
    if EACH:
        return list(range(1, n + 1))
    some = set(range(1, min(n, 12) + 1)) | {max(1, n - i) for i in range(4)}
    return sorted(some | set(range(1, n + 1, max(1, n // 16)))) if n else []


@contextlib.contextmanager
def sleeper():
    """The number of a process that is small and stands still."""
    p = subprocess.Popen(['sleep', '100000'])
    try:
        yield str(p.pid)
    finally:
        p.kill()
        p.wait()


class Lab:
    def __init__(self, tool, tmp):
        self.tool, self.tmp, self.faults, self.wrong = tool, tmp, 0, 0
        self.benches = queue.SimpleQueue()
        for i in range(WORKERS):
            self.benches.put(Bench(tmp, i))
        self.pool = concurrent.futures.ThreadPoolExecutor(WORKERS)

    def run(self, form, env_of, *which):
        bench = self.benches.get()
        try:
            return bench.run([self.tool], form, env_of(bench.counts, *which))
        finally:
            self.benches.put(bench)

    def sweep(self, form, kind, n, whole, env_of, strict):
        """Each point of one kind; env_of(counts, kind, point) is the environment that makes it fail."""
        wrong, met, told = [], 0, 0
        ends = self.pool.map(lambda i: (i, *self.run(form, env_of, kind, i)), points(n))
        for i, end, numbers in ends:
            met += numbers[-1] > 0 if numbers else 0
            told += end.status == 2
            why = fault_of(form, end, whole, strict)
            if why:
                wrong.append('%s:%d: %s: %s' % (kind, i, why, end.err[:1200]))
        self.faults += met
        self.wrong += len(wrong)
        if n:
            say(not wrong and met, '%s: %s fails, %d of %d points, %d told' % (form.name, kind, met, n, told),
                '%d wrong\n' % len(wrong) + '\n'.join(wrong[:int(os.environ.get('SHOW', '3'))]))


def main(tool, kinds, env_of, strict, more=None):
    """kinds(numbers) is what the counts of a run without a fault say: {kind: points}. more(lab) is tried at the end."""
    with tempfile.TemporaryDirectory(prefix='hugecov-faults.') as tmp, sleeper() as pid:
        prepare(tool, tmp, pid)
        lab = Lab(tool, tmp)
        for form in forms(tmp, pid):
            whole, numbers = lab.run(form, env_of, '', 0)
            again, _ = lab.run(form, env_of, '', 0)
            whole.in_c = lab.run(form, lambda *which: dict(env_of(*which), LC_ALL='C'), '', 0)[0].shown()
            if whole.status != 0 or form.still and whole.shown() != again.shown():
                say(False, '%s: the run without a fault' % form.name,
                    (whole.status, whole.err, difference(whole, again)))
                continue
            for kind, n in kinds(numbers).items():
                lab.sweep(form, kind, n, whole, env_of, strict(kind))
        if more:
            more(lab)
    print('# %d faults, %d ends were wrong' % (lab.faults, lab.wrong))
    sys.exit(tap.failed())
