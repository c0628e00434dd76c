"""Two Python processes share memory and an event through the driver library with ctypes: the ABI as a stranger uses it.

Usage: two_processes.py LIBRARY. Exit status 0 when everything held.
"""
import ctypes as c
import subprocess
import sys

U64, PTR, SIZE, UINT = c.c_uint64, c.c_void_p, c.c_size_t, c.c_uint


class Handle(c.Structure):
    """CUipcMemHandle and CUipcEventHandle: 64 bytes, passed by value."""

    _fields_ = [("reserved", c.c_ubyte * 64)]


def load(path):
    cuda = c.CDLL(path)
    signatures = {
        "cuInit": [UINT],
        "cuDevicePrimaryCtxRetain": [c.POINTER(PTR), c.c_int],
        "cuCtxSetCurrent": [PTR],
        "cuMemAlloc_v2": [c.POINTER(U64), SIZE],
        "cuMemFree_v2": [U64],
        "cuMemcpyDtoH_v2": [PTR, U64, SIZE],
        "cuMemcpyHtoD_v2": [U64, PTR, SIZE],
        "cuMemsetD8_v2": [U64, c.c_ubyte, SIZE],
        "cuIpcGetMemHandle": [c.POINTER(Handle), U64],
        "cuIpcOpenMemHandle_v2": [c.POINTER(U64), Handle, UINT],
        "cuIpcCloseMemHandle": [U64],
        "cuEventCreate": [c.POINTER(PTR), UINT],
        "cuEventQuery": [PTR],
        "cuEventRecord": [PTR, PTR],
        "cuEventSynchronize": [PTR],
        "cuEventDestroy_v2": [PTR],
        "cuIpcGetEventHandle": [c.POINTER(Handle), PTR],
        "cuIpcOpenEventHandle": [c.POINTER(PTR), Handle],
        "cuStreamCreate": [c.POINTER(PTR), UINT],
        "cuStreamWaitValue32_v2": [PTR, U64, c.c_uint32, UINT],
        "cuGetErrorName": [c.c_int, c.POINTER(c.c_char_p)],
    }
    for name, arguments in signatures.items():
        getattr(cuda, name).argtypes = arguments
    context = PTR()
    ok(cuda.cuInit(0))
    ok(cuda.cuDevicePrimaryCtxRetain(c.byref(context), 0))
    ok(cuda.cuCtxSetCurrent(context))
    return cuda


def ok(result):
    if result != 0:
        raise AssertionError(f"result {result}")


def same(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r} is not {expected!r}")


def read(cuda, pointer, count):
    buffer = c.create_string_buffer(count)
    ok(cuda.cuMemcpyDtoH_v2(buffer, pointer, count))
    return buffer.raw


def importer(cuda):
    memory = Handle.from_buffer_copy(bytes.fromhex(input()))
    event_handle = Handle.from_buffer_copy(bytes.fromhex(input()))
    pointer, again, event = U64(), U64(), PTR()
    same(cuda.cuIpcOpenMemHandle_v2(c.byref(pointer), memory, 0), 1)
    ok(cuda.cuIpcOpenMemHandle_v2(c.byref(pointer), memory, 1))
    ok(cuda.cuIpcOpenMemHandle_v2(c.byref(again), memory, 1))
    same(again.value, pointer.value)
    same(read(cuda, pointer.value, 4), b"\xab\xab\xab\xab")
    ok(cuda.cuMemcpyHtoD_v2(pointer.value, b"from B", 6))
    ok(cuda.cuIpcOpenEventHandle(c.byref(event), event_handle))
    same(cuda.cuEventQuery(event), 600)
    print("written", flush=True)
    ok(cuda.cuEventSynchronize(event))
    ok(cuda.cuIpcCloseMemHandle(pointer.value))
    same(read(cuda, pointer.value, 6), b"from B")
    ok(cuda.cuIpcCloseMemHandle(pointer.value))
    same(cuda.cuIpcCloseMemHandle(pointer.value), 1)
    ok(cuda.cuEventDestroy_v2(event))
    print("done", flush=True)


def exporter(cuda):
    shared, gate, event, stream = U64(), U64(), PTR(), PTR()
    ok(cuda.cuMemAlloc_v2(c.byref(shared), 1 << 20))
    ok(cuda.cuMemAlloc_v2(c.byref(gate), 4))
    ok(cuda.cuMemsetD8_v2(shared, 0xAB, 1 << 20))
    ok(cuda.cuMemsetD8_v2(gate, 0, 4))
    ok(cuda.cuEventCreate(c.byref(event), 6))
    ok(cuda.cuStreamCreate(c.byref(stream), 1))
    ok(cuda.cuStreamWaitValue32_v2(stream, gate, 1, 1))
    ok(cuda.cuEventRecord(event, stream))
    memory, event_handle, invalid = Handle(), Handle(), U64()
    ok(cuda.cuIpcGetMemHandle(c.byref(memory), shared))
    ok(cuda.cuIpcGetEventHandle(c.byref(event_handle), event))
    same(cuda.cuIpcOpenMemHandle_v2(c.byref(invalid), memory, 1), 201)
    peer = subprocess.Popen(
        [sys.executable, __file__, sys.argv[1], "importer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    peer.stdin.write(bytes(memory).hex() + "\n" + bytes(event_handle).hex() + "\n")
    peer.stdin.flush()
    same(peer.stdout.readline(), "written\n")
    same(read(cuda, shared.value, 6), b"from B")
    same(cuda.cuEventQuery(event), 600)
    ok(cuda.cuMemcpyHtoD_v2(gate, b"\x01\x00\x00\x00", 4))
    same(peer.stdout.readline(), "done\n")
    same(peer.wait(), 0)
    ok(cuda.cuEventQuery(event))
    ok(cuda.cuMemFree_v2(shared))


if __name__ == "__main__":
    (importer if len(sys.argv) > 2 else exporter)(load(sys.argv[1]))
