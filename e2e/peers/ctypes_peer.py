"""A process that shares memory and events through the CUDA driver API with nothing but ctypes.

usage: ctypes_peer.py LIBRARY     libcuda.so.1 or the simulator's library; the code is the same for both
"""

import ctypes as c
import os
import sys

from protocol import serve

cuda = c.CDLL(sys.argv[1])


class Handle(c.Structure):
    """CUipcMemHandle and CUipcEventHandle: 64 opaque bytes, passed by value."""

    _fields_ = [("reserved", c.c_ubyte * 64)]


def check(name, *arguments):
    """Calls a driver function; raises with the driver's own name of a result other than CUDA_SUCCESS."""
    result = getattr(cuda, name)(*arguments)
    if result != 0:
        text = c.c_char_p()
        cuda.cuGetErrorName(result, c.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")


check("cuInit", 0)
device = c.c_int()
context = c.c_void_p()
check("cuDeviceGet", c.byref(device), 0)
check("cuDevicePrimaryCtxRetain", c.byref(context), device)
check("cuCtxSetCurrent", context)

memory = c.c_uint64()
event = c.c_void_p()


def alloc(size):
    check("cuMemAlloc_v2", c.byref(memory), c.c_size_t(size))
    check("cuMemsetD8_v2", memory, c.c_ubyte(0), c.c_size_t(size))
    handle = Handle()
    check("cuIpcGetMemHandle", c.byref(handle), memory)
    return {"handle": bytearray(handle.reserved).hex()}


class Location(c.Structure):
    """CUmemLocation: device 0."""

    _fields_ = [("type", c.c_int), ("id", c.c_int)]


class AllocationProp(c.Structure):
    """CUmemAllocationProp: pinned memory of device 0 that travels by descriptor."""

    _fields_ = [
        ("type", c.c_int),
        ("handleTypes", c.c_int),
        ("location", Location),
        ("win32", c.c_void_p),
        ("flags", c.c_ubyte * 8),
    ]


class PoolProps(c.Structure):
    """CUmemPoolProps, likewise."""

    _fields_ = [
        ("type", c.c_int),
        ("handleTypes", c.c_int),
        ("location", Location),
        ("win32", c.c_void_p),
        ("maxSize", c.c_size_t),
        ("reserved", c.c_ubyte * 56),
    ]


class AccessDesc(c.Structure):
    """CUmemAccessDesc: read-write."""

    _fields_ = [("location", Location), ("flags", c.c_int)]


HERE = Location(1, 0)
SIZE_T = c.c_size_t
NO_FLAGS = c.c_ulonglong(0)
fd = c.c_int(-1)


def map_handle(handle, size):
    """Addresses for physical memory, with access."""
    check("cuMemAddressReserve", c.byref(memory), SIZE_T(size), SIZE_T(0), c.c_uint64(0), NO_FLAGS)
    check("cuMemMap", memory, SIZE_T(size), SIZE_T(0), handle, NO_FLAGS)
    check("cuMemSetAccess", memory, SIZE_T(size), c.byref(AccessDesc(HERE, 3)), SIZE_T(1))


def alloc_virtual(size):
    handle = c.c_uint64()
    check("cuMemCreate", c.byref(handle), SIZE_T(size), c.byref(AllocationProp(1, 1, HERE)), NO_FLAGS)
    map_handle(handle, size)
    check("cuMemsetD8_v2", memory, c.c_ubyte(0), SIZE_T(size))
    check("cuMemExportToShareableHandle", c.byref(fd), handle, 1, NO_FLAGS)
    return {"fd": fd.value}


def alloc_pool(size):
    pool = c.c_void_p()
    check("cuMemPoolCreate", c.byref(pool), c.byref(PoolProps(1, 1, HERE)))
    check("cuMemPoolExportToShareableHandle", c.byref(fd), pool, 1, NO_FLAGS)
    check("cuMemAllocFromPoolAsync", c.byref(memory), SIZE_T(size), pool, None)
    check("cuMemsetD8_v2", memory, c.c_ubyte(0), SIZE_T(size))
    check("cuCtxSynchronize")
    data = Handle()
    check("cuMemPoolExportPointer", c.byref(data), memory)
    return {"fd": fd.value, "handle": bytearray(data.reserved).hex()}


def taken(pid, number):
    """A copy of another process's descriptor (pidfd_getfd)."""
    pidfd = os.pidfd_open(pid)
    copy = c.CDLL(None, use_errno=True).syscall(438, pidfd, number, 0)
    os.close(pidfd)
    if copy < 0:
        raise OSError(c.get_errno(), "pidfd_getfd")
    return copy


def open_virtual(pid, fd, size):
    handle = c.c_uint64()
    copy = taken(pid, fd)
    check("cuMemImportFromShareableHandle", c.byref(handle), c.c_void_p(copy), 1)
    os.close(copy)
    map_handle(handle, size)


def close_fd():
    os.close(fd.value)


def write(offset, hex):
    data = bytes.fromhex(hex)
    check("cuMemcpyHtoD_v2", c.c_uint64(memory.value + offset), data, c.c_size_t(len(data)))
    check("cuCtxSynchronize")


def read(offset, length):
    data = c.create_string_buffer(length)
    check("cuMemcpyDtoH_v2", data, c.c_uint64(memory.value + offset), c.c_size_t(length))
    return {"hex": data.raw.hex()}


def open_(handle, size):
    check("cuIpcOpenMemHandle_v2", c.byref(memory), Handle.from_buffer_copy(bytes.fromhex(handle)), c.c_uint(1))


def close():
    check("cuIpcCloseMemHandle", memory)


def free():
    check("cuMemFree_v2", memory)


def export_event():
    check("cuEventCreate", c.byref(event), c.c_uint(6))
    handle = Handle()
    check("cuIpcGetEventHandle", c.byref(handle), event)
    return {"handle": bytearray(handle.reserved).hex()}


def open_event(handle):
    check("cuIpcOpenEventHandle", c.byref(event), Handle.from_buffer_copy(bytes.fromhex(handle)))


def record_event():
    check("cuEventRecord", event, None)
    check("cuCtxSynchronize")


def query_event():
    return {"result": cuda.cuEventQuery(event)}


def end():
    # The driver removes the table of a process's events in /dev/shm with the context, not when the process exits.
    if event.value:
        check("cuEventDestroy_v2", event)
    check("cuDevicePrimaryCtxRelease_v2", device)


serve(
    {
        "alloc": alloc,
        "allocVirtual": alloc_virtual,
        "allocPool": alloc_pool,
        "openVirtual": open_virtual,
        "closeFd": close_fd,
        "write": write,
        "read": read,
        "open": open_,
        "close": close,
        "free": free,
        "exportEvent": export_event,
        "openEvent": open_event,
        "recordEvent": record_event,
        "queryEvent": query_event,
    },
    end,
)
