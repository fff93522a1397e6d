#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile moments: full disks, closed descriptors, targets at the edges, little memory.

HARD=1 reads all of the large ones and tries more sizes of memory.
"""
import contextlib
import json
import os
import resource
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from tap import failed, say, skip

HUGECOV, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
HELPER = os.path.join(BUILD, 'tests/helpers/moments')
BEFORE, AFTER = (os.path.join(TOP, 'tests/fixtures/malloc128', f) for f in ('before.txt', 'after.txt'))
HARD = bool(os.environ.get('HARD'))


def run(*args, **more):
    return subprocess.run([HUGECOV, *map(str, args)],
                          **{'capture_output': True, 'text': True, 'stdin': subprocess.DEVNULL, 'timeout': 120, **more})


def one_error(p):
    """Status 2 and one error line; further lines may show the place and what to try."""
    lines = [line for line in p.stderr.split('\n') if line.startswith('hugecov: ')]
    return p.returncode == 2 and len(lines) == 1 and p.stderr.startswith('hugecov: ')


@contextlib.contextmanager
def target(*words, **more):
    p = subprocess.Popen([HELPER, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
    try:
        line = p.stdout.readline().split()
        yield int(line[1]) if line[:1] == ['ready'] else None
    finally:
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()


def has(command):
    return run(command, '--help').returncode == 0


def commands():
    """Every command in every format, on what does not move."""
    for form in ('text', 'json', 'csv'):
        yield 'report', '--format', form, BEFORE
        yield 'diff', '--format', form, BEFORE, AFTER
        yield 'report', '--format', form, os.path.join(TOP, 'tests/fixtures/perf/p61-real-default.txt')
        yield 'report', '--format', form, os.path.join(TOP, 'tests/fixtures/lkp/radixsort.txt')
    if has('check'):
        for form in ('text', 'json', 'junit', 'github', 'markdown'):
            yield 'check', '--format', form, '--require', 'rss_kb >= 0', BEFORE
    for form in ('text', 'json'):
        yield 'watch', '--batch', '--iterations', '1', '--format', form, str(os.getpid())
    yield 'report', '--help'


# ---- where output goes ----

def descriptors():
    wrong = {k: [] for k in ('full', 'output', 'out', 'in', 'err', 'pipe', 'ignored')}
    n = 0
    for args in commands():
        n += 1
        whole = run(*args)
        if whole.returncode != 0:
            say(False, 'as it should be: %s' % ' '.join(args), whole)
            continue
        with open('/dev/full', 'w') as full:
            p = run(*args, capture_output=False, stdout=full, stderr=subprocess.PIPE)
        if not one_error(p) or 'No space left' not in p.stderr:
            wrong['full'].append((args, p))
        if args[-1] != '--help':
            p = run(*args[:1], '--output', '/dev/full', *args[1:])
            if not one_error(p) or 'No space left' not in p.stderr or p.stdout:
                wrong['output'].append((args, p))
        line = ['bash', '-c', 'exec "$@" %s', 'bash', HUGECOV, *args]
        for key, close in (('out', '>&-'), ('in', '<&-'), ('err', '2>&-')):
            p = subprocess.run([line[0], '-c', line[2] % close, *line[3:]],
                               capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if not one_error(p) if key == 'out' else (p.returncode != 0 or p.stderr
                                                      or len(p.stdout) < len(whole.stdout) // 2):
                wrong[key].append((args, p))
        for key, ignore in (('pipe', signal.SIG_DFL), ('ignored', signal.SIG_IGN)):
            r, w = os.pipe()
            os.close(r)
            old = signal.signal(signal.SIGPIPE, ignore)
            p = run(*args, capture_output=False, stdout=w, stderr=subprocess.PIPE, restore_signals=False)
            signal.signal(signal.SIGPIPE, old)
            os.close(w)
            if p.returncode not in (0, -signal.SIGPIPE) or p.stderr:
                wrong[key].append((args, p))
    for key, what in (('full', 'standard output is a full disk'), ('output', '--output on a full disk'),
                      ('out', 'standard output is closed'),
                      ('in', 'standard input is closed'), ('err', 'standard error is closed'),
                      ('pipe', 'a closed pipe is quiet'),
                      ('ignored', 'a closed pipe is quiet, SIGPIPE being ignored')):
        say(not wrong[key], '%s: %d commands' % (what, n), wrong[key][:2])


def planted(tmp):
    """Another user's links in a shared directory are not written through."""
    victim = os.path.join(tmp, 'victim')
    with open(victim, 'w') as f:
        f.write('precious')
    link = os.path.join(tmp, 'link')
    ways = [('report', '--output', link, BEFORE), ('diff', '--output', link, BEFORE, AFTER),
            ('snap', '--force', '-o', link + '.tar', 'self'),
            ('snap', '--force', '-o', link, 'self'),
            ('watch', '--batch', '--iterations', '1', '--record', link, str(os.getpid()))]
    if has('check'):
        ways += [('check', '--output', link, '--require', 'rss_kb >= 0', BEFORE)]
        if '--update-budget' in run('check', '--help').stdout:
            ways += [('check', '--update-budget', link, BEFORE), ('check', '--update-budget', '--budget', link, BEFORE)]
    wrong = []
    for to in (victim, tmp, os.path.join(tmp, 'not-there')):
        for way in ways:
            for name in (link, link + '.tar'):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(name)
                os.symlink(to, name)
            before = sorted(os.listdir(tmp))
            p = run(*way)
            if p.returncode == 0 or open(victim).read() != 'precious' or sorted(os.listdir(tmp)) != before or not os.path.islink(link):
                wrong.append((way, to, p, os.listdir(tmp)))
    say(not wrong, 'planted links are not followed: %d ways' % (3 * len(ways)), wrong[:2])


def commas(tmp):
    """A locale with a decimal comma changes no number of any format."""
    made = None
    if shutil.which('localedef'):
        # Only what it is about: the whole of de_DE takes seconds to make.
        source = os.path.join(tmp, 'comma')
        with open(source, 'w') as f:
            f.write(''.join('%s\ncopy "POSIX"\nEND %s\n' % (c, c)
                            for c in ('LC_CTYPE', 'LC_COLLATE', 'LC_TIME', 'LC_MONETARY', 'LC_MESSAGES', 'LC_PAPER',
                                      'LC_NAME', 'LC_ADDRESS', 'LC_TELEPHONE', 'LC_MEASUREMENT', 'LC_IDENTIFICATION')))
            f.write('LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n')
        made = subprocess.run(['localedef', '-c', '-i', source, '-f', 'UTF-8', os.path.join(tmp, 'comma.UTF-8')],
                              capture_output=True)
    env = dict(os.environ, LC_ALL='comma.UTF-8', LOCPATH=tmp)
    probe = subprocess.run(['bash', '-c', 'printf "%.1f" 1,5'], env=env, capture_output=True, text=True)
    if not made or probe.stdout != '1,5':
        return skip('a locale with a decimal comma', 'none can be made here')
    wrong = []
    for args in commands():
        if args[0] == 'watch':
            continue
        want, p = run(*args), run(*args, env=env)
        # the two ran in different seconds
        untimed = [re.sub(r'\d{4}-\d\d-\d\dT[\d:.]+Z?', 'TIME', x.stdout) for x in (p, want)]
        if untimed[0] != untimed[1] or p.returncode != want.returncode:
            wrong.append((args, p.stdout[:300]))
    say(not wrong, 'a locale with a decimal comma', wrong[:2])


# ---- targets ----

def unsound(doc):
    """What does not hold in a report, or None."""
    if doc['source']['notes'].get('torn') or not doc['source']['complete']:
        return None
    for name, w in doc['totals']['waterfall'].items():
        parts = [w[k] for k in ('subslot_kb', 'policy_loss_kb', 'alignment_loss_kb', 'delivery_loss_kb', 'huge_kb')]
        if w['rss_kb'] is not None and sum(parts) != w['rss_kb']:
            return 'the waterfall of %s' % name
    end = 0
    for v in doc['vmas'] or []:
        start, end_here = int(v['start'], 16), int(v['end'], 16)
        if start < end or end_here <= start:
            return 'the mapping at %s' % v['start']
        end = end_here
    if doc['vmas'] is None: # not asked for
        return None
    if doc['totals']['vmas'] != len(doc['vmas']) or doc['totals']['size_kb'] != sum((int(v['end'], 16) - int(v['start'], 16)) // 1024 for v in doc['vmas']):
        return 'the totals'
    return None


def extremes(tmp):
    with target('many', 65000) as pid:
        p = run('report', '--format', 'json', '--vmas', 'all' if HARD else 'none', pid)
        doc = json.loads(p.stdout) if p.returncode == 0 else None
        limit = int(open('/proc/sys/vm/max_map_count').read())
        say(doc and doc['totals']['vmas'] > min(64000, limit - 1000) and doc['totals']['rss_kb'] > 0
            and not unsound(doc), 'a process of 65,000 mappings', p.stderr or doc and doc['totals'])
        p = run('report', pid)
        say(p.returncode == 0 and p.stdout.count('\n') < 200, 'its text is short', p.stdout[-500:])
    with target('vast') as pid:
        p = run('report', '--format', 'json', pid)
        doc = json.loads(p.stdout) if p.returncode == 0 else None
        vast = [v for v in doc['vmas'] if v['smaps'].get('Size') == 1 << 30] if doc else []
        say(len(vast) == 1 and vast[0]['thp']['rss_kb'] == 0
            and not [f for f in doc['findings'] if f['start'] == vast[0]['start']] and not unsound(doc),
            '1 TiB of PROT_NONE is no finding', p.stderr or vast)
        say(run('report', pid).returncode == 0, 'nor an error')
    with target('long', cwd=tmp) as pid:
        if pid is None:
            skip('a name of 4,000 bytes', 'the file cannot be made here')
        else:
            p = run('report', '--format', 'json', pid)
            names = [v['name'] for v in json.loads(p.stdout)['vmas']
                     if 'nnnn' in (v['name'] or '')] if p.returncode == 0 else []
            say(len(names) == 1 and len(names[0]) >= 4000, 'a name of 4,000 bytes', (p.stderr, names))
            p = run('report', '--all', pid)
            say(p.returncode == 0 and max(map(len, p.stdout.split('\n'))) <= 120, 'does not widen text', p.stdout[:300])
    with target('zombie') as pid:
        p = run('report', pid)
        say(p.returncode == 0 and 'zombie' in p.stdout + p.stderr, 'a zombie', p)
    kernel = [d for d in os.listdir('/proc') if d.isdigit() and os.path.exists('/proc/%s/stat' % d)
              and int(open('/proc/%s/stat' % d).read().rsplit(')', 1)[1].split()[6]) & 0x200000]
    if not kernel:
        return skip('a kernel thread', 'none is seen here')
    p = run('report', kernel[0])
    say(p.returncode == 0 and 'kernel thread' in p.stdout + p.stderr, 'a kernel thread', p)


def elsewhere(tmp):
    """What this machine has none of: the hugetlb pool and swap in use, and pages of 64 kB. Numbers by hand."""
    doc = json.loads(run('report', '--format', 'json',
                         os.path.join(TOP, 'tests/fixtures/forms/hugetlb-and-swap.smaps')).stdout)
    pool, shared, anon, shmem = doc['vmas']
    t, falls = doc['totals'], doc['totals']['waterfall']
    say([v['class'] for v in doc['vmas']] == ['hugetlb', 'hugetlb', 'anon', 'shmem']
        and t['hugetlb_kb'] == 8192 and pool['thp']['rss_kb'] is None and t['rss_kb'] == 14336,
        'hugetlb stands outside all sums', (t, pool))
    say(falls['anon'] == dict(rss_kb=12288, subslot_kb=0, policy_loss_kb=0,
                              alignment_loss_kb=0, delivery_loss_kb=4096, huge_kb=8192, share=8192 / 12288,
                              coverage=8192 / 12288, delivered=8192 / 12288), 'what is swapped is not resident', falls)
    say(t['swap_kb'] == 10240 and doc['source']['complete']
        and [f for f in doc['findings'] if f['id'] == 'undelivered'
             and 'swapped' in f['message'] + f['advice'] + json.dumps(f['evidence'])],
        'swap is a suspect', doc['findings'])
    doc = json.loads(run('report', '--format', 'json',
                         os.path.join(TOP, 'tests/fixtures/forms/arm64-64k-pages.smaps')).stdout)
    s, anon = doc['system'], doc['totals']['waterfall']['anon']
    say((s['page_kb'], s['pmd_kb'], s['pmd_source']) == (64, 524288, 'page-size')
        and anon['huge_kb'] == anon['rss_kb'] == 1048576, '64 kB pages: huge ones of 512 MiB', (s['pmd_kb'], anon))


# ---- little memory ----

def memory(tmp):
    """From too little to start to plenty: an error line or all of it."""
    many = os.path.join(tmp, 'many')
    with target('many', 20000 if HARD else 6000) as pid:
        with open('/proc/%d/smaps' % pid) as f, open(many, 'w') as g:
            g.write(f.read())
    wrong, counts = [], {}
    for args in (('report', many), ('report', '--format', 'json', '--output', os.path.join(tmp, 'out'), many),
                 ('diff', many, many), ('snap', '-o', os.path.join(tmp, 'x.tar.xz'), 'self')):
        whole = None
        for mb in (8, 12, 16, 20, 24, 28, 32, 48, 64, 96, 128, 192) if HARD else (8, 12, 16, 20, 26, 40, 192):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (mb << 20, mb << 20))
            if run('--version', preexec_fn=limit).returncode != 0:
                continue # not even the loader
            p = run(*args, preexec_fn=limit)
            left = [f for f in os.listdir(tmp) if f not in ('many', 'out', 'x.tar.xz')]
            if p.returncode == 0:
                counts['done'] = counts.get('done', 0) + 1
            elif one_error(p):
                counts['told'] = counts.get('told', 0) + 1
            if left or (p.returncode != 0 and (not one_error(p) or os.path.exists(os.path.join(tmp, 'out'))
                                               or os.path.exists(os.path.join(tmp, 'x.tar.xz')))):
                wrong.append((mb, args, p.returncode, p.stderr, os.listdir(tmp)))
            for f in ('out', 'x.tar.xz'):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(tmp, f))
    if os.environ['BUILD'].endswith('release'):
        say(not wrong and counts.get('told') and counts.get('done'), 'little memory: %s' % counts, wrong[:3] or counts)
    else:
        skip('little memory', 'AddressSanitizer needs terabytes of addresses')


def main():
    descriptors()
    for part in (planted, commas, extremes, elsewhere, memory):
        with tempfile.TemporaryDirectory(prefix='hugecov-moments.') as tmp:
            part(tmp)
    sys.exit(failed())


if __name__ == '__main__':
    main()
