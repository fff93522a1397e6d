# SPDX-License-Identifier: MIT
"""Pairs of dumps for the tests of diff: made by hand, one change each, and those among the fixtures."""
import os
import shutil

TOP = os.environ.get('TOP') or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIXTURES = os.path.join(TOP, 'tests/fixtures')
MIB = 1 << 20
ADVISED, PLAIN = 'rd wr mr mw me ac hg', 'rd wr mr mw me ac'


def vma(start, kb, rss=None, huge=0, perms='rw-p', name='', flags=PLAIN, eligible=0,
        swap=0, shared=0, inode=0, shmem=0):
    rss = kb if rss is None else rss
    text = '%x-%x %s 00000000 00:%02x %d %s\n' % (start, start + (kb << 10),
                                                  perms, 0x31 if inode else 0, inode, ' ' * 20 + name if name else '')
    rows = (('Size', kb), ('KernelPageSize', 4), ('MMUPageSize', 4), ('Rss', rss), ('Pss', rss), ('Shared_Clean', 0),
            ('Shared_Dirty', shared), ('Private_Clean', 0), ('Private_Dirty', rss - shared), ('Referenced', rss),
            ('Anonymous', 0 if inode else rss), ('LazyFree', 0), ('AnonHugePages', huge), ('ShmemPmdMapped', shmem),
            ('FilePmdMapped', 0), ('Swap', swap), ('SwapPss', swap), ('Locked', 0))
    text += ''.join('%-16s%8d kB\n' % (k + ':', v) for k, v in rows)
    return text + 'THPeligible:%12d\nVmFlags: %s \n' % (eligible, flags)


BASE = 0x7f2000000000
OTHERS = [(BASE + 0x10000000 * (i + 1), 40 + 4 * i) for i in range(7)]


def around(text):
    """Seven small mappings behind it that stay as they are: it is one process."""
    return text + ''.join(vma(start, kb) for start, kb in OTHERS)


def region(mib=16, **kw):
    args = dict(rss=mib * 1024, huge=mib * 1024, flags=ADVISED, eligible=1)
    return vma(BASE, mib * 1024, **dict(args, **kw))


def pieces(*parts):
    """Touching mappings: (kb, rss, huge, perms)."""
    text, at = '', BASE
    for kb, rss, huge, perms in parts:
        text += vma(at, kb, rss, huge, perms, flags=ADVISED, eligible=int(kb >= 2048))
        at += kb << 10
    return text


MADE = {
    'cut': (around(region()),
            around(pieces((3072, 3072, 2048, 'rw-p'), (4, 4, 0, 'r--p'), (13308, 13308, 12288, 'rw-p')))),
    'holed': (around(region()), around(vma(BASE, 5120, 5120, 4096, flags=ADVISED, eligible=1) +
                                       vma(BASE + (5124 << 10), 11260, 11260, 10240, flags=ADVISED, eligible=1))),
    'locked': (around(region()), around(vma(BASE, 3072, 3072, 2048, flags=ADVISED, eligible=1) +
                                        vma(BASE + (3072 << 10), 4, 4, 0, flags=ADVISED + ' lo', eligible=0) +
                                        vma(BASE + (3076 << 10), 13308, 13308, 12288, flags=ADVISED, eligible=1))),
    'merged': (around(pieces((3072, 3072, 2048, 'rw-p'), (4, 4, 0, 'r--p'), (13308, 13308, 12288, 'rw-p'))),
               around(region())),
    'freed': (around(region()), around(region(rss=4096, huge=4096))),
    'freed-in-part': (around(region()), around(region(rss=16384 - 8 * 4, huge=0))),
    'freed-a-page': (around(region()), around(region(rss=16380, huge=14336))),
    'shrunk': (around(region()), around(region(8))),
    'grown': (around(region(8)), around(region())),
    'unmapped': (around(region()), around('')),
    'advice-lost': (around(region()), around(region(huge=0, flags=PLAIN, eligible=0))),
    'no-huge-to-come': (around(region()), around(region(flags='rd wr mr mw me ac nh', eligible=0))),
    'no-huge-in-part': (around(region()), around(vma(BASE, 4096, 4096, 4096, flags='rd wr mr mw me ac nh') +
                                                 vma(BASE + 4 * MIB, 12288, 12288, 12288, flags=ADVISED, eligible=1))),
    'advised-late': (around(region(huge=0, flags=PLAIN, eligible=0)), around(region(huge=0))),
    'swapped': (around(region()), around(region(rss=8192, huge=8192, swap=8192))),
    'forked': (around(region()), around(region(huge=14336, shared=16380))),
    'two': (around(region() + vma(BASE + 64 * MIB, 4096, 4096, 4096, flags=ADVISED, eligible=1)),
            around(region(huge=8192) + vma(BASE + 64 * MIB, 4096, 4096, 0, flags='rd wr mr mw me ac nh'))),
    'tmpfs': (vma(BASE, 8192, 8192, perms='rw-s', name='/opt/demo/segment-17',
                  inode=9, shmem=8192, flags='rd wr sh mr mw me ms', eligible=1),
              vma(BASE + 64 * MIB, 8192, 8192, perms='rw-s', name='/opt/demo/segment-18',
                  inode=9, flags='rd wr sh mr mw me ms', eligible=1)),
    'nothing-known': (around(region()).replace('AnonHugePages:', 'AnonHugePagesX:').replace('Rss:', 'RssX:'),
                      around(region()).replace('Rss:', 'RssX:')),
    'hostile-name': (vma(BASE, 4096, 4096, name='/opt/\x1b[31mred\x07', perms='rw-s', inode=3, shmem=4096, eligible=1),
                     vma(BASE, 4096, 4096, name='/opt/\x1b[31mred\x07', perms='rw-s', inode=3, eligible=1)),
}


def program(path, shift=0, inode=77):
    """A process that runs path: its text, heap, a region, the vdso and the stack, all moved by shift as exec moves them."""
    return (vma(0x561000000000 + shift, 400, perms='r-xp', name=path, inode=inode,
                flags='rd ex mr mw me') + vma(0x561010000000 + shift, 132, name='[heap]') +
            vma(BASE + shift, 16384, huge=16384, flags=ADVISED,
                eligible=1) + vma(0x7ffc00000000 + shift, 132, rss=12, name='[stack]') +
            vma(0x7ffd00000000 + shift, 8, rss=4, perms='r-xp', name='[vdso]', flags='rd ex mr mw me de'))


HUGE_SETTINGS = {'enabled': 'always [madvise] never', 'defrag': 'always defer defer+madvise [madvise] never',
                 'shmem_enabled': 'always within_size advise [never] deny force', 'hpage_pmd_size': '2097152',
                 'khugepaged/full_scans': '7', 'hugepages-64kB/enabled': 'always inherit madvise [never]'}
# As whole trees of a snapshot: the smaps before and after, and what is written into them after.
TREES = {
    'setting-changed': (around(region(flags=PLAIN)), around(region(huge=0, flags=PLAIN, eligible=0)),
                        {'enabled': 'always madvise [never]', 'khugepaged/full_scans': '9',
                         'defrag': '[always] defer defer+madvise madvise never'}),
    'prctl': (around(region()), around(region(huge=0, eligible=0)), {'THP_enabled': '0'}),
    'pmd-size': (around(region()), around(region()), {'hpage_pmd_size': '1048576'}),
    'other-boot': (around(region()), around(region()), {'boot_id': '22222222-aaaa'}),
    'exec': (program('/usr/bin/first'), program('/opt/demo/second', 512 * MIB, 78), {'comm': 'second'}),
    'exec-again': (program('/usr/bin/demo'), program('/usr/bin/demo', 512 * MIB), {}),
    'exec-in-place': (program('/usr/bin/first'), program('/usr/bin/second', inode=78), {'comm': 'second'}),
    'replaced-on-disk': (program('/usr/bin/demo'), program('/usr/bin/demo (deleted)'), {}),
    'other-start': (program('/usr/bin/demo'), program('/usr/bin/demo', 512 * MIB), {'start': '4800'}),
    'fallback': (around(region()), around(region()), {'thp_fault_fallback': '170'}),
}


def write_tree(top, smaps, settings):
    values = dict(HUGE_SETTINGS, boot_id='11111111-aaaa', THP_enabled='1', thp_fault_fallback='0',
                  comm='demo', start='4711')
    values.update(settings)
    comm = values.pop('comm')
    files = {'proc/17/smaps': smaps, 'proc/17/comm': comm + '\n',
             'proc/17/stat': '17 (%s) S %s%s %s\n' % (comm, '1 ' * 18, values.pop('start'), '0 ' * 30),
             'proc/17/status': 'Name:\t%s\nPid:\t17\nTHP_enabled:\t%s\n' % (comm, values.pop('THP_enabled')),
             'proc/sys/kernel/random/boot_id': values.pop('boot_id') + '\n',
             'proc/vmstat': 'nr_free_pages 1000\nthp_fault_alloc %d\nthp_fault_fallback %s\n'
             % (30 + int(values['thp_fault_fallback']), values.pop('thp_fault_fallback'))}
    files.update(('sys/kernel/mm/transparent_hugepage/' + name, value + '\n') for name, value in values.items())
    for name, text in files.items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)


def write(folder):
    """All pairs as files and folders of `folder`: {name: (before, after)}, relative to it."""
    pairs = {}
    for name, texts in MADE.items():
        os.mkdir(os.path.join(folder, name))
        pairs[name] = tuple('%s/%s.smaps' % (name, side) for side in ('before', 'after'))
        for path, text in zip(pairs[name], texts):
            with open(os.path.join(folder, path), 'w', encoding='utf-8') as f:
                f.write(text)
    for name, (before, after, settings) in TREES.items():
        pairs[name] = ('%s-before' % name, '%s-after' % name)
        write_tree(os.path.join(folder, pairs[name][0]), before, {})
        write_tree(os.path.join(folder, pairs[name][1]), after, settings)
    os.mkdir(os.path.join(folder, 'malloc128'))
    pairs['malloc128'] = ('malloc128/before.txt', 'malloc128/after.txt')
    for path in pairs['malloc128']:
        shutil.copy(os.path.join(FIXTURES, path), os.path.join(folder, path))
    pairs['loss'] = ('loss-before', 'loss-after')
    for side in ('before', 'after'):
        os.mkdir(os.path.join(folder, 'loss-' + side))
        for kind in ('smaps', 'meminfo', 'vmstat'):
            shutil.copy(os.path.join(FIXTURES, 'kernel-6.18/16-loss-%s.%s' % (side, kind)),
                        os.path.join(folder, 'loss-' + side, kind))
    pairs['rollups'] = tuple(os.path.join('rollup-' + side) for side in ('before', 'after'))
    for side in ('before', 'after'):
        shutil.copy(os.path.join(FIXTURES, 'kernel-6.18/16-loss-%s.smaps_rollup' % side),
                    os.path.join(folder, 'rollup-' + side))
    for kind in ('meminfo', 'vmstat'):
        pairs[kind] = tuple('loss-%s/%s' % (side, kind) for side in ('before', 'after'))
    return pairs
