"""A process that shares an array as Numba programs do. Needs Numba with CUDA."""

import numpy as np
from numba import cuda

from protocol import serve, texts

shared = {}


def alloc(size):
    # The part that is shared does not begin where the allocation does: the offset must be honoured.
    whole = cuda.device_array(4096 + size, dtype=np.uint8)
    part = whole[4096:]
    # Zeros as far as anybody looks: there are no large copies through the CPU.
    zeros = np.zeros(min(size, 2**20), dtype=np.uint8)
    part[: len(zeros)].copy_to_device(zeros)
    cuda.synchronize()
    handle = part.get_ipc_handle()
    shared.update(whole=whole, array=part, handle=handle)
    return {"handle": raw().hex(), "offset": handle._ipc_handle.offset, "size": size}


def raw():
    """The 64 bytes: an object of NVIDIA's bindings, or an array of ctypes."""
    handle = shared["handle"]._ipc_handle.handle
    return bytes(getattr(handle, "reserved", handle))


def tokens():
    handle = shared["handle"]
    return texts(
        {
            "array handle": lambda: repr(handle),
            "array handle, vars": lambda: repr(vars(handle)),
            "array handle, reduced": lambda: repr(handle.__reduce__()),
            "handle": lambda: repr(handle._ipc_handle),
            "vars": lambda: repr(vars(handle._ipc_handle)),
            "reduce": lambda: repr(handle._ipc_handle.__reduce__()),
            "field": lambda: repr(handle._ipc_handle.handle),
            "tuple": lambda: repr(tuple(raw())),
            "bytes": lambda: repr(raw()),
        }
    )


def write(offset, hex):
    data = np.frombuffer(bytes.fromhex(hex), dtype=np.uint8)
    shared["array"][offset : offset + len(data)].copy_to_device(data)
    cuda.synchronize()


def read(offset, length):
    return {"hex": shared["array"][offset : offset + length].copy_to_host().tobytes().hex()}


def open_(handle, size):
    opening = cuda.open_ipc_array(bytes.fromhex(handle), shape=(size,), dtype=np.dtype("uint8"))
    shared.update(opening=opening, array=opening.__enter__())


def close():
    shared.pop("array")
    shared.pop("opening").__exit__(None, None, None)


serve({"alloc": alloc, "tokens": tokens, "write": write, "read": read, "open": open_, "close": close})
