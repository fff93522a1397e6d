# SPDX-License-Identifier: MIT
"""What the running kernel does with huge pages."""
import re


def policy():
    """'always', 'madvise' or 'never'; None of a kernel without THP."""
    try:
        with open('/sys/kernel/mm/transparent_hugepage/enabled') as f:
            return re.search(r'\[(\w+)\]', f.read()).group(1)
    except OSError:
        return None


def collapses():
    """khugepaged makes huge what is small, at any time: another value tells that it has been at work somewhere."""
    with open('/proc/vmstat') as f:
        return [line for line in f if line.startswith('thp_collapse_alloc ')]
