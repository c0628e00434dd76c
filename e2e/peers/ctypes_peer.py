"""A process that shares memory and events through the CUDA driver API with nothing but ctypes.

usage: ctypes_peer.py LIBRARY     libcuda.so.1 or the simulator's library; the code is the same for both
"""

import base64
import ctypes as c
import os
import sys

from descriptors import taken, understood
from protocol import serve, texts

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
# The 64 bytes of what is shared.
exported = Handle()
# What gives everything back, the last first.
undo = []


def later(name, *arguments):
    undo.append(lambda: check(name, *arguments))


def alloc(size):
    check("cuMemAlloc_v2", c.byref(memory), c.c_size_t(size))
    check("cuMemsetD8_v2", memory, c.c_ubyte(0), c.c_size_t(size))
    check("cuIpcGetMemHandle", c.byref(exported), memory)
    later("cuMemFree_v2", c.c_uint64(memory.value))
    return {"handle": bytearray(exported.reserved).hex()}


def tokens():
    handle = bytes(exported.reserved)
    return texts(
        {
            "object": lambda: repr(exported),
            "bytes": lambda: repr(handle),
            "bytearray": lambda: repr(bytearray(handle)),
            "list": lambda: repr(list(exported.reserved)),
            "hex": lambda: handle.hex(),
            "hex in words": lambda: handle.hex(" ", 4),
            "base64": lambda: base64.b64encode(handle).decode(),
            "f-string": lambda: f"handle={handle!r} device={device.value} pid={os.getpid()}",
        }
    )


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
    base = c.c_uint64(memory.value)
    later("cuMemAddressFree", base, SIZE_T(size))
    check("cuMemMap", memory, SIZE_T(size), SIZE_T(0), handle, NO_FLAGS)
    later("cuMemRelease", c.c_uint64(handle.value))
    later("cuMemUnmap", base, SIZE_T(size))
    check("cuMemSetAccess", memory, SIZE_T(size), c.byref(AccessDesc(HERE, 3)), SIZE_T(1))


def alloc_virtual(size):
    handle = c.c_uint64()
    check("cuMemCreate", c.byref(handle), SIZE_T(size), c.byref(AllocationProp(1, 1, HERE)), NO_FLAGS)
    map_handle(handle, size)
    check("cuMemsetD8_v2", memory, c.c_ubyte(0), SIZE_T(size))
    check("cuMemExportToShareableHandle", c.byref(fd), handle, 1, NO_FLAGS)
    undo.append(close_fd)
    return {"fd": fd.value}


def alloc_pool(size):
    pool = c.c_void_p()
    check("cuMemPoolCreate", c.byref(pool), c.byref(PoolProps(1, 1, HERE)))
    later("cuMemPoolDestroy", pool)
    check("cuMemPoolExportToShareableHandle", c.byref(fd), pool, 1, NO_FLAGS)
    undo.append(close_fd)
    check("cuMemAllocFromPoolAsync", c.byref(memory), SIZE_T(size), pool, None)
    free_in_order()
    check("cuMemsetD8_v2", memory, c.c_ubyte(0), SIZE_T(size))
    check("cuCtxSynchronize")
    check("cuMemPoolExportPointer", c.byref(exported), memory)
    return {"fd": fd.value, "handle": bytearray(exported.reserved).hex()}


def open_pool(handle, copy):
    pool = c.c_void_p()
    check("cuMemPoolImportFromShareableHandle", c.byref(pool), c.c_void_p(copy), 1, NO_FLAGS)
    later("cuMemPoolDestroy", pool)
    check("cuMemPoolImportPointer", c.byref(memory), pool, c.byref(Handle.from_buffer_copy(handle)))
    free_in_order()


def free_in_order():
    """What cuMemFreeAsync frees is free when the stream gets there; the pool cannot go before."""
    later("cuStreamSynchronize", None)
    later("cuMemFreeAsync", c.c_uint64(memory.value), None)


def open_virtual(pid, fd, size):
    import_virtual(taken(pid, fd), size)


def import_virtual(copy, size):
    handle = c.c_uint64()
    check("cuMemImportFromShareableHandle", c.byref(handle), c.c_void_p(copy), 1)
    os.close(copy)
    map_handle(handle, size)


def open_description(descriptor):
    mechanism, handle, pieces, offset, _ = understood(descriptor)
    if mechanism == "legacy":
        open_(handle.hex(), 0)
        later("cuIpcCloseMemHandle", c.c_uint64(memory.value))
    elif mechanism == "pool":
        [(copy, _)] = pieces
        open_pool(handle, copy)
        os.close(copy)
    else:
        [(copy, total)] = pieces
        import_virtual(copy, total)
    memory.value += offset


def close_fd():
    if fd.value >= 0:
        os.close(fd.value)
    fd.value = -1


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
    while undo:
        undo.pop()()


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
        "openDescription": open_description,
        "tokens": tokens,
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
