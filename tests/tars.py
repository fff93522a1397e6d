# SPDX-License-Identifier: MIT
"""Tars of what a test makes up."""
import io
import tarfile


def add_members(t, members):
    """Each a name, and its bytes or (type, where a link leads)."""
    for name, what in members:
        info = tarfile.TarInfo(name)
        if isinstance(what, bytes):
            info.size = len(what)
            t.addfile(info, io.BytesIO(what))
        else:
            info.type, info.linkname = what
            t.addfile(info)
