"""A process that shares a tensor as PyTorch does between its own processes. Needs PyTorch and a real GPU."""

import torch

from protocol import serve

shared = {}


def alloc(size):
    # A first tensor, so that the shared one does not begin where its segment begins: the offset must be honoured.
    shared["first"] = torch.zeros(4096, dtype=torch.uint8, device="cuda")
    tensor = torch.zeros(size, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    device, handle, bytes_, offset, *_ = tensor.untyped_storage()._share_cuda_()
    shared["tensor"] = tensor
    # Two bytes of PyTorch's own (kind and version) come before the driver's 64.
    return {"handle": handle[-64:].hex(), "prefix": handle[:-64].hex(), "size": bytes_, "offset": offset}


def write(offset, hex):
    data = torch.frombuffer(bytearray.fromhex(hex), dtype=torch.uint8)
    shared["tensor"][offset : offset + len(data)] = data.cuda()
    torch.cuda.synchronize()


def read(offset, length):
    return {"hex": bytes(shared["tensor"][offset : offset + length].cpu().tolist()).hex()}


serve({"alloc": alloc, "write": write, "read": read})
