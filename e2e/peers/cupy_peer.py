"""A process that shares memory and events as CuPy programs do. Needs CuPy and a real GPU."""

import base64
import json

import cupy
from cupy.cuda import runtime

from protocol import serve, texts

# What is shared at the moment: the array, and the address it begins at.
shared = {}
EVENT_FLAGS = 6  # interprocess, without timing


def alloc(size):
    array = cupy.zeros(size, dtype=cupy.uint8)
    cupy.cuda.Device().synchronize()
    handle = runtime.ipcGetMemHandle(array.data.ptr)
    shared.update(array=array, address=array.data.ptr, handle=handle)
    return {"handle": bytes(handle).hex()}


def tokens():
    handle = shared["handle"]
    as_base64 = base64.b64encode(bytes(handle))
    registration = {"raw_handle": {"b64": as_base64.decode()}, "device_id": 0, "byte_size": shared["array"].nbytes}
    return texts(
        {
            "bytes": lambda: repr(handle),
            "hex": lambda: bytes(handle).hex(),
            "list": lambda: repr(list(handle)),
            # Triton's client gives base64, and sends it so.
            "triton": lambda: repr(as_base64),
            "triton, registration": lambda: json.dumps(registration),
        }
    )


def write(offset, hex):
    data = bytes.fromhex(hex)
    shared["array"][offset : offset + len(data)] = cupy.frombuffer(data, dtype=cupy.uint8)
    cupy.cuda.Device().synchronize()


def read(offset, length):
    return {"hex": cupy.asnumpy(shared["array"][offset : offset + length]).tobytes().hex()}


def open_(handle, size):
    address = runtime.ipcOpenMemHandle(bytes.fromhex(handle))
    memory = cupy.cuda.UnownedMemory(address, size, None)
    array = cupy.ndarray(size, dtype=cupy.uint8, memptr=cupy.cuda.MemoryPointer(memory, 0))
    shared.update(array=array, address=address)


def close():
    shared.pop("array")
    runtime.ipcCloseMemHandle(shared.pop("address"))


def export_event():
    event = runtime.eventCreateWithFlags(EVENT_FLAGS)
    shared["event"] = event
    return {"handle": bytes(runtime.ipcGetEventHandle(event)).hex()}


def record_event():
    runtime.eventRecord(shared["event"], cupy.cuda.Stream.null.ptr)
    cupy.cuda.Device().synchronize()


def open_event(handle):
    shared["event"] = runtime.ipcOpenEventHandle(bytes.fromhex(handle))


def query_event():
    return {"result": runtime.eventQuery(shared["event"])}


serve(
    {
        "alloc": alloc,
        "tokens": tokens,
        "write": write,
        "read": read,
        "open": open_,
        "close": close,
        "exportEvent": export_event,
        "recordEvent": record_event,
        "openEvent": open_event,
        "queryEvent": query_event,
    }
)
