"""A process that shares memory and events through the CUDA driver API with nothing but ctypes.

usage: ctypes_peer.py LIBRARY     libcuda.so.1 or the simulator's library; the code is the same for both
"""

import ctypes as c
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
