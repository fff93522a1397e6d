#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast hugecov is, beside what people use today.

usage: bench.py [--gate | --counts] [--json FILE] [--rounds N] [NAME...]

Every figure is a ratio within one run (commands alternate, medians) or an instruction count (callgrind); milliseconds
are printed for orientation only, since a shared machine moves by half within minutes.
--counts runs the instruction counts only; --gate compares both with bench/limits.json and fails beyond them.
Environment: HUGECOV (the tool), BENCH (folder of the built generators and peers).
"""
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.environ.get('HUGECOV', os.path.join(HERE, '..', 'hugecov'))
BENCH = os.environ.get('BENCH', os.path.join(HERE, '..', 'build', 'release', 'bench'))
GAWK_SUM = '/^AnonHugePages/ { s += $2 } END { print s }'


class Row:
    def __init__(self, name, unit, goal, what):
        self.name, self.unit, self.goal, self.what = name, unit, goal, what
        self.value = self.low = self.high = None
        self.peers, self.note = {}, ''


def tool(name):
    return os.path.join(BENCH, name)


def timed(command, stdout=None):
    """(wall seconds, user seconds, system seconds, peak KiB) of one whole process."""
    out = stdout or subprocess.DEVNULL
    start = time.perf_counter()
    p = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    wall = time.perf_counter() - start
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in (0, 1):
        raise RuntimeError('%s: exit %d' % (' '.join(command), p.returncode))
    return wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss


def alternate(commands, rounds):
    """Runs {name: command} in turn, `rounds` times; {name: [(wall, user, system, peak)]}."""
    results = {name: [] for name in commands}
    for name in commands:
        timed(commands[name])
    for _ in range(rounds):
        for name, command in commands.items():
            results[name].append(timed(command))
    return results


def ratios(results, name, base):
    values = [a[0] / b[0] for a, b in zip(results[name], results[base])]
    return statistics.median(values), min(values), max(values)


def against_cat(row, ours, path, peers, rounds):
    commands = {'cat': ['cat', *path] if isinstance(path, list) else ['cat', path], 'hugecov': ours}
    commands.update({k: v for k, v in peers.items() if shutil.which(v[0])})
    r = alternate(commands, rounds)
    row.value, row.low, row.high = ratios(r, 'hugecov', 'cat')
    row.peers = {k: round(ratios(r, k, 'cat')[0], 2) for k in commands if k not in ('cat', 'hugecov')}
    cpu = statistics.median((a[1] + a[2]) / (b[1] + b[2]) for a, b in zip(r['hugecov'], r['cat']))
    row.note = 'cat %.1f ms, CPU time %.2f' % (1e3 * statistics.median(x[0] for x in r['cat']), cpu)
    return r


def instructions(command):
    with tempfile.NamedTemporaryFile() as f:
        p = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + f.name, *command],
                           capture_output=True, text=True)
    m = re.search(r'Collected : (\d+)', p.stderr)
    if not m:
        raise RuntimeError('callgrind: ' + p.stderr[-300:])
    return int(m.group(1))


class Live:
    """A process of vmagen, ended with the block."""

    def __init__(self, *args):
        self.p = subprocess.Popen([tool('vmagen'), *args], stdout=subprocess.PIPE, text=True)
        self.pid = self.p.stdout.readline().split()[0]
        self.smaps = '/proc/%s/smaps' % self.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.p.kill()
        self.p.wait()


class Bench:
    def __init__(self, folder, rounds):
        self.folder, self.rounds, self.files = folder, rounds, {}

    def smaps(self, n, *options):
        key = (n, *options)
        if key not in self.files:
            path = os.path.join(self.folder, 'smaps-%d%s' % (n, ''.join(options).replace(' ', '')))
            with open(path, 'wb') as f:
                subprocess.run([tool('smapsgen'), '-n', str(n), *options], stdout=f, check=True)
            self.files[key] = path
        return self.files[key]

    # ---- instruction counts ----

    def parse_instructions(self):
        row = Row('parse', 'instructions a byte', 4.0, 'saved smaps of 65,000 mappings, all fields kept')
        path = self.smaps(65000)
        row.value = instructions([tool('parse'), path]) / os.path.getsize(path)
        return row

    def parse_sets(self):
        row = Row('parse-older', 'worst ratio to the 6.18 field set', 1.15,
                  'field sets of 4.14, 5.10, 6.6 and with ProtectionKey')
        base = self.smaps(20000)
        unit = instructions([tool('parse'), base]) / os.path.getsize(base)
        for name, options in (('4.14', ['-f', '414']), ('5.10', ['-f', '510']),
                              ('6.6', ['-f', '66']), ('pkeys', ['-p'])):
            path = self.smaps(20000, *options)
            row.peers[name] = round(instructions([tool('parse'), path]) / os.path.getsize(path) / unit, 3)
        row.value = max(row.peers.values())
        return row

    def parse_worst(self):
        row = Row('parse-worst', 'instructions a byte', 15.0, 'field sets that change with every mapping')
        path = os.path.join(self.folder, 'worst')
        records = [re.split(r'(?m)^(?=[0-9a-f]+-[0-9a-f]+ )', open(self.smaps(20000, *o)).read())[1:]
                   for o in ([], ['-f', '414'])]
        with open(path, 'w') as f:
            for i, pair in enumerate(zip(*records)):
                f.write(pair[i % 2])
        row.value = instructions([tool('parse'), path]) / os.path.getsize(path)
        return row

    def text_instructions(self):
        row = Row('report-text', 'instructions a byte', 8.0, 'hugecov report of 65,000 saved mappings, whole process')
        path = self.smaps(65000)
        row.value = instructions([TOOL, 'report', path]) / os.path.getsize(path)
        return row

    def json_instructions(self):
        row = Row('report-json', 'instructions a byte written', 12.0,
                  'the JSON of 65,000 mappings, less the reading of them')
        path = self.smaps(65000)
        out = os.path.join(self.folder, 'out.json')
        whole = instructions([TOOL, 'report', '--format', 'json', '--output', out, path])
        less = instructions([TOOL, 'report', '--format', 'json', '--vmas', 'none', path])
        row.value = (whole - less) / os.path.getsize(out)
        return row

    # ---- ratios within one run ----

    def live(self):
        row = Row('live', 'x cat', 1.05, 'live process, 10,000 mappings: report --top 20')
        with Live('-n', '10000', '-f', '-H', '64') as p:
            against_cat(row, [TOOL, 'report', '--top', '20', p.pid], p.smaps, {
                'gawk': ['gawk', GAWK_SUM, p.smaps], 'mawk': ['mawk', GAWK_SUM, p.smaps],
                'pmap -X': ['pmap', '-X', p.pid],
                'smemstat': ['smemstat', '-p', p.pid]}, self.rounds)
        return row

    def live_edge(self):
        """The mapping of a large heap falls on the edge of the kernel's page: cat walks it twice."""
        row = Row('live-edge', 'x cat', 0.60, 'live process, 4 GiB heap whose record falls on the page edge')
        best = None
        for front in range(10, 22):
            with Live('-n', str(front), '-M', '512') as p:
                double = statistics.median(timed(['cat', p.smaps])[0] for _ in range(5)) / statistics.median(
                    timed([tool('parse'), p.smaps])[0] for _ in range(5))
            if best is None or double > best[0]:
                best = (double, front)
        with Live('-n', str(best[1]), '-M', '4096') as p:
            against_cat(row, [TOOL, 'report', p.pid], p.smaps, {}, self.rounds)
        row.note += ', %d mappings in front' % best[1]
        return row

    def live_user_share(self):
        row = Row('live-user', '% of CPU time in user space', 15.0, 'one refresh of 10,000 live mappings')
        with Live('-n', '10000', '-f', '-H', '64') as p:
            shares = []
            for _ in range(3 * self.rounds):
                _, user, system, _ = timed([TOOL, 'report', '--top', '20', p.pid])
                shares.append((user, user + system))
        row.value = 100 * sum(u for u, _ in shares) / sum(t for _, t in shares)
        return row

    def saved(self):
        row = Row('saved', 'x cat', 2.8, 'saved 65,000 mappings: report, text')
        path = self.smaps(65000)
        table = '/^[0-9a-f]+-/ { n = $6 } /^Rss/ { r[n] += $2 } /^AnonHugePages/ { h[n] += $2 } END { for (i in r) print i, r[i], h[i] }'
        against_cat(row, [TOOL, 'report', path], path,
                    {'mawk': ['mawk', GAWK_SUM, path], 'gawk table': ['gawk', table, path],
                                                       # to a pipe: with /dev/null grep stops at the first hit
                                                       'grep -c': ['sh', '-c', 'grep -c AnonHugePages "$0" | cat',
                                                                   path]}, self.rounds)
        return row

    def saved_million(self):
        row = Row('saved-1M', 'x cat', 3.0, 'saved million mappings: report, text')
        path = self.smaps(1000000)
        r = against_cat(row, [TOOL, 'report', path], path, {}, max(5, self.rounds // 2))
        small = self.smaps(65000)
        a = statistics.median(timed([TOOL, 'report', small])[3] for _ in range(3))
        b = statistics.median(x[3] for x in r['hugecov'])
        row.note += ', %.0f bytes a mapping' % ((b - a) * 1024 / 935000)
        return row

    def memory(self):
        row = Row('memory', 'bytes a mapping', 200, 'peak resident memory, a million against 65,000 mappings')
        a, b = self.smaps(65000), self.smaps(1000000)
        row.value = (timed([TOOL, 'report', b])[3] - timed([TOOL, 'report', a])[3]) * 1024 / 935000
        return row

    def json(self):
        row = Row('json', 'x cJSON tree', 1 / 15, 'JSON of 65,000 mappings: time of the writer')
        path = self.smaps(65000)
        commands = {'all': [TOOL, 'report', '--format', 'json', path],
                    'none': [TOOL, 'report', '--format', 'json', '--vmas', 'none', path],
                    'cJSON': [tool('cjson_tree'), '65000']}
        r = alternate(commands, self.rounds)
        values = [(a[0] - b[0]) / c[0] for a, b, c in zip(r['all'], r['none'], r['cJSON'])]
        row.value, row.low, row.high = statistics.median(values), min(values), max(values)
        row.note = 'peak %.1f MiB above the table' % ((r['all'][0][3] - r['none'][0][3]) / 1024)
        return row

    def match(self):
        row = Row('match', 'x without --match', 1.10, '--match over 65,000 mappings')
        path = self.smaps(65000)
        r = alternate({'plain': [TOOL, 'report', '--top', '1', path],
                       'match': [TOOL, 'report', '--top', '1', '--match', '.', path]}, self.rounds)
        row.value, row.low, row.high = ratios(r, 'match', 'plain')
        return row

    def diff(self):
        row = Row('diff', 'x cat of both', 3.2, 'diff of 65,000 and 65,000 mappings, 10 % changed')
        a, b = self.smaps(65000), self.smaps(65000, '-d', '10')
        against_cat(row, [TOOL, 'diff', a, b], [a, b], {'diff': ['diff', '--speed-large-files', a, b]},
                    max(5, self.rounds // 2))
        return row

    def startup(self):
        row = Row('start-up', 'x an empty C program', 2.0, 'hugecov --version, and report of a small saved file')
        path = self.smaps(25)
        r = alternate({'empty': [tool('empty')], 'hugecov': [TOOL, 'report', path],
                       'version': [TOOL, '--version'], 'mawk': ['mawk', GAWK_SUM, path]},
                      10 * self.rounds)
        row.value, row.low, row.high = ratios(r, 'hugecov', 'empty')
        row.peers = {k: round(ratios(r, k, 'empty')[0], 2) for k in ('version', 'mawk')}
        return row

    def watch(self):
        row = Row('watch', '% of one CPU', 2.5, 'watch of 10,000 mappings, once a second')
        with Live('-n', '10000', '-f', '-H', '64') as p:
            wall, user, system, _ = timed([TOOL, 'watch', '--batch', '--interval', '1s', '--iterations', '15', p.pid])
            row.value = 100 * (user + system) / wall
            if shutil.which('smemstat'):
                wall, user, system, _ = timed(['smemstat', '-p', p.pid, '1', '15'])
                row.peers['smemstat'] = round(100 * (user + system) / wall, 2)
        return row

    def contend(self):
        row = Row('contend', 'x unwatched', 0.94,
                  "the target's mmap rate while watched once a second (higher is better)")
        rates = []
        p = subprocess.Popen(['taskset', '-c', '0', tool('vmagen'), '-n', '10000',
                              '-f', '-H', '64', '-c', 'mmap', '-i', '1000'],
                             stdout=subprocess.PIPE, text=True)
        try:
            pid = p.stdout.readline().split()[0]
            rate = lambda: float(p.stdout.readline().split()[2])
            rate()
            for _ in range(7):
                alone = (rate() + rate()) / 2
                w = subprocess.Popen(['taskset', '-c', '1', TOOL, 'watch', '--batch', '--interval', '1s', pid],
                                     stdout=subprocess.DEVNULL)
                rate()
                rates.append((rate() + rate()) / 2 / alone)
                w.terminate()
                w.wait()
                rate()
        finally:
            p.kill()
            p.wait()
        row.value, row.low, row.high = statistics.median(rates), min(rates), max(rates)
        return row


COUNTS = ['parse_instructions', 'parse_sets', 'parse_worst', 'text_instructions', 'json_instructions']
RATIOS = ['live', 'live_edge', 'live_user_share', 'saved', 'saved_million',
          'memory', 'json', 'match', 'diff', 'startup', 'watch', 'contend']


def show(row):
    met = row.value >= row.goal if row.name == 'contend' else row.value <= row.goal
    spread = ' (%.2f-%.2f)' % (row.low, row.high) if row.low is not None else ''
    print('%-12s %8.3f %-34s goal %.3g %s%s' % (row.name, row.value, row.unit + spread,
                                                row.goal, 'met' if met else 'MISSED', ''))
    print('             %s%s%s' % (row.what, '; ' + row.note if row.note else '',
                                   '; ' + ', '.join('%s %s' % p for p in row.peers.items()) if row.peers else ''),
          flush=True)


def gate(rows):
    limits = json.load(open(os.path.join(HERE, 'limits.json')))
    bad = 0
    for row in rows:
        limit = limits.get(row.name)
        if limit is None:
            continue
        over = row.value < limit if row.name == 'contend' else row.value > limit
        print('%s - %s %.3f, limit %.3f' % ('not ok' if over else 'ok', row.name, row.value, limit))
        bad += over
    return bad


def main(argv):
    rounds, out, names, counts, gated = 9, None, [], False, False
    it = iter(argv)
    for a in it:
        if a == '--rounds':
            rounds = int(next(it))
        elif a == '--json':
            out = next(it)
        elif a in ('--counts', '--gate'):
            counts, gated = counts or a == '--counts', gated or a == '--gate'
        else:
            names.append(a)
    rows = []
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix='hugecov-bench-') as folder:
        bench = Bench(folder, rounds)
        for name in COUNTS + ([] if counts else RATIOS):
            if names and name not in names:
                continue
            try:
                row = getattr(bench, name)()
            except RuntimeError as e:
                print('%-12s could not be measured: %s' % (name, e), flush=True)
                if gated:
                    return 1
                continue
            rows.append(row)
            show(row)
    if out:
        with open(out, 'w') as f:
            json.dump([vars(r) for r in rows], f, indent=1)
            f.write('\n')
    return 1 if gated and gate(rows) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
