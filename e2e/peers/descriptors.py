"""File descriptors of another process, and the JSON in which the app says what there is to open."""

import ctypes as c
import json
import os

PIDFD_GETFD = 438


def taken(pid, number):
    """A copy of another process's descriptor (pidfd_getfd)."""
    pidfd = os.pidfd_open(pid)
    copy = c.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, pidfd, number, 0)
    error = c.get_errno()
    os.close(pidfd)
    if copy < 0:
        raise OSError(error, "pidfd_getfd")
    return copy


def understood(text):
    """A share descriptor of the app as (mechanism, handle, copies of the descriptors with their bytes, offset, size)."""
    said = json.loads(text)
    pid = said["exporter"]["pid"]
    copies = [(taken(pid, each["fd"]), each["bytes"]) for each in said.get("descriptors", [])]
    return said["mechanism"], bytes.fromhex(said.get("handle", "")), copies, said["offset"], said["size"]
