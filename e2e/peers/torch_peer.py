"""A process that shares tensors as PyTorch does between its own processes. Needs PyTorch and a real GPU."""

import torch
from torch.multiprocessing.reductions import reduce_tensor

from protocol import serve, texts

shared = {}
# Where the view of floats begins in the shared tensor, and its form.
VIEW_AT, ROWS, COLUMNS = 4096, 48, 16


def alloc(size):
    # A first tensor, so that the shared one does not begin where its segment begins: the offset must be honoured.
    shared["first"] = torch.zeros(4096, dtype=torch.uint8, device="cuda")
    tensor = torch.zeros(size, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    said = tensor.untyped_storage()._share_cuda_()
    device, handle, bytes_, offset, *_ = said
    floats = tensor[VIEW_AT : VIEW_AT + 4 * ROWS * COLUMNS].view(torch.float32).view(ROWS, COLUMNS)
    shared.update(tensor=tensor, said=said, view=floats.t())
    # Two bytes of PyTorch's own (version and kind) come before what the driver gave.
    return {"handle": handle[2:].hex(), "prefix": handle[:2].hex(), "size": bytes_, "offset": offset}


def tokens():
    # Asked once: each time takes another reference and another event.
    said, reduced = shared["said"], reduce_tensor(shared["view"])[1]
    return texts(
        {
            "share": lambda: repr(said),
            "share, hex": lambda: repr([part.hex() if isinstance(part, bytes) else part for part in said]),
            "reduce": lambda: repr(reduced),
            "handle": lambda: repr(said[1]),
            "tensor": lambda: repr(shared["view"]),
        }
    )


def write(offset, hex):
    data = torch.frombuffer(bytearray.fromhex(hex), dtype=torch.uint8)
    shared["tensor"][offset : offset + len(data)] = data.cuda()
    torch.cuda.synchronize()


def read(offset, length):
    return {"hex": bytes(shared["tensor"][offset : offset + length].cpu().tolist()).hex()}


serve({"alloc": alloc, "tokens": tokens, "write": write, "read": read})
