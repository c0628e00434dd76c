"""A process that opens shared memory of every kind through NVIDIA's bindings. Needs cuda-bindings and a real GPU."""

import os

from cuda.bindings import driver

from descriptors import understood
from protocol import serve

FILE = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

# Where the data begin, and what gives everything back, the last first.
opened = {"address": 0, "undo": []}


def check(answer):
    result, *values = answer
    if result != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(repr(result))
    return values[0] if values else None


check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))))


def open_legacy(handle):
    shared = driver.CUipcMemHandle()
    shared.reserved = handle
    flags = driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
    base = check(driver.cuIpcOpenMemHandle(shared, flags))
    opened["undo"].append(lambda: check(driver.cuIpcCloseMemHandle(base)))
    return int(base)


def open_pool(handle, fd):
    pool = check(driver.cuMemPoolImportFromShareableHandle(fd, FILE, 0))
    os.close(fd)
    pointer = driver.CUmemPoolPtrExportData()
    pointer.reserved = handle
    base = check(driver.cuMemPoolImportPointer(pool, pointer))

    def undo():
        check(driver.cuMemFreeAsync(base, 0))
        check(driver.cuStreamSynchronize(0))
        check(driver.cuMemPoolDestroy(pool))

    opened["undo"].append(undo)
    return int(base)


def open_virtual(pieces):
    total = sum(size for _, size in pieces)
    base = int(check(driver.cuMemAddressReserve(total, 0, 0, 0)))
    opened["undo"].append(lambda: check(driver.cuMemAddressFree(base, total)))
    at = 0
    for fd, size in pieces:
        memory = check(driver.cuMemImportFromShareableHandle(fd, FILE))
        os.close(fd)
        check(driver.cuMemMap(base + at, size, 0, memory, 0))
        opened["undo"].append(lambda memory=memory: check(driver.cuMemRelease(memory)))
        opened["undo"].append(lambda at=at, size=size: check(driver.cuMemUnmap(base + at, size)))
        at += size
    access = driver.CUmemAccessDesc()
    access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    access.location.id = int(device)
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    check(driver.cuMemSetAccess(base, total, [access], 1))
    return base


def open_description(descriptor):
    mechanism, handle, pieces, offset, _ = understood(descriptor)
    if mechanism == "legacy":
        base = open_legacy(handle)
    elif mechanism == "pool":
        base = open_pool(handle, pieces[0][0])
    else:
        base = open_virtual(pieces)
    opened["address"] = base + offset


def write(offset, hex):
    data = bytes.fromhex(hex)
    check(driver.cuMemcpyHtoD(opened["address"] + offset, data, len(data)))
    check(driver.cuCtxSynchronize())


def read(offset, length):
    data = bytearray(length)
    check(driver.cuMemcpyDtoH(data, opened["address"] + offset, length))
    return {"hex": data.hex()}


def free():
    while opened["undo"]:
        opened["undo"].pop()()


serve({"openDescription": open_description, "write": write, "read": read, "free": free})
