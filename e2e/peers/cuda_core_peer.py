"""A process that shares memory of a pool as cuda.core programs do. Needs cuda-core and a real GPU."""

import os

from cuda.bindings import driver
from cuda.core import Buffer, Device, DeviceMemoryResource, DeviceMemoryResourceOptions, EventOptions
from cuda.core._memory._ipc import IPCBufferDescriptor

from descriptors import understood
from protocol import serve, texts

device = Device(0)
device.set_current()
stream = device.default_stream
# What is shared at the moment: the pool, a buffer of it, and where its data begin.
shared = {"offset": 0}


def check(answer):
    result, *values = answer
    if result != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(repr(result))
    return values[0] if values else None


def payload(descriptor):
    """The bytes that it pickles: nothing public gives them."""
    return descriptor.__reduce__()[1][0]


def alloc_pool(size):
    resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
    buffer = resource.allocate(size, stream=stream)
    stream.sync()
    check(driver.cuMemsetD8(int(buffer.handle), 0, size))
    device.sync()
    shared.update(resource=resource, buffer=buffer)
    return {"fd": int(resource.allocation_handle), "handle": payload(buffer.ipc_descriptor).hex()}


def tokens():
    resource, buffer = shared["resource"], shared["buffer"]
    return texts(
        {
            "descriptor": lambda: repr(buffer.ipc_descriptor),
            "reduce": lambda: repr(buffer.ipc_descriptor.__reduce__()),
            "payload": lambda: repr(payload(buffer.ipc_descriptor)),
            "hex": lambda: payload(buffer.ipc_descriptor).hex(),
            "buffer": lambda: repr(buffer),
            "pool": lambda: repr(resource),
            "pool descriptor": lambda: repr(resource.allocation_handle),
            "pool descriptor, number": lambda: str(int(resource.allocation_handle)),
            "pool descriptor, reduced": lambda: repr(resource.allocation_handle.__reduce__()),
            "pool uuid": lambda: repr(resource.uuid),
            "event descriptor": lambda: repr(shared["event"].ipc_descriptor),
            "event, reduced": lambda: repr(shared["event"].ipc_descriptor.__reduce__()),
        }
    )


def open_description(descriptor):
    mechanism, handle, [(fd, _)], offset, size = understood(descriptor)
    if mechanism != "pool":
        raise ValueError(f"cuda.core does not open {mechanism} memory")
    resource = DeviceMemoryResource.from_allocation_handle(device, fd)
    os.close(fd)  # cuda.core takes a copy
    pointer = IPCBufferDescriptor._init(handle, offset + size)
    buffer = Buffer.from_ipc_descriptor(resource, pointer, stream=stream)
    shared.update(resource=resource, buffer=buffer, offset=offset)


def write(offset, hex):
    data = bytes.fromhex(hex)
    check(driver.cuMemcpyHtoD(int(shared["buffer"].handle) + shared["offset"] + offset, data, len(data)))
    device.sync()


def read(offset, length):
    data = bytearray(length)
    check(driver.cuMemcpyDtoH(data, int(shared["buffer"].handle) + shared["offset"] + offset, length))
    return {"hex": data.hex()}


def free():
    """First the buffer, then its pool; of an import only what this process has of it."""
    shared.pop("buffer").close(stream)
    stream.sync()
    shared.pop("resource").close()
    shared["offset"] = 0


def export_event():
    shared["event"] = stream.record(options=EventOptions(ipc_enabled=True))
    return {"handle": payload(shared["event"].ipc_descriptor).hex()}


serve(
    {
        "allocPool": alloc_pool,
        "tokens": tokens,
        "openDescription": open_description,
        "write": write,
        "read": read,
        "free": free,
        "exportEvent": export_event,
    }
)
