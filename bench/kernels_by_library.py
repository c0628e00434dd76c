"""The statistics of docs/kernels.md with CuPy and with PyTorch: what one pass of the kernels replaces.

usage: python kernels_by_library.py [GiB]     prints tab-separated lines, times in milliseconds (best of three)
"""

import sys
import time

GIB = 1 << 30


def cupy_statistics(cp, x, bins):
    return [
        cp.nanmin(x), cp.nanmax(x), cp.sum(x, dtype=cp.float64), cp.std(x, dtype=cp.float64),
        cp.count_nonzero(x == 0), cp.count_nonzero(cp.isnan(x)), cp.count_nonzero(cp.isinf(x)),
        cp.count_nonzero(x < 0), cp.histogram(x, bins=bins),
    ]


def torch_statistics(torch, x, bins):
    low, high = torch.aminmax(x)
    value = x.to(torch.float32) if x.dtype in (torch.bfloat16, torch.uint8) else x
    return [
        low, high, torch.sum(value, dtype=torch.float64), torch.std(value, correction=0),
        (x == 0).sum(), torch.isnan(x).sum(), torch.isinf(x).sum(), (x < 0).sum(),
        torch.histc(value, bins=bins, min=float(low), max=float(high)),
    ]


def measure(name, dtype, elements, bytes_each, work, wait):
    times = []
    try:
        for _ in range(4):
            wait()
            begin = time.perf_counter()
            result = work()
            wait()
            times.append(time.perf_counter() - begin)
            del result
    except Exception as error:  # Not enough memory, or no such operation: that is the result.
        print(f"{name}\t{dtype}\t{elements * bytes_each / GIB:.3g}\t\t\t{type(error).__name__}: {str(error)[:80]}", flush=True)
        return
    best = min(times[1:])
    size = elements * bytes_each
    print(f"{name}\t{dtype}\t{size / GIB:.3g}\t{best * 1e3:.2f}\t{size / best / 1e12:.4f}\t", flush=True)


def main():
    gib = float(sys.argv[1]) if len(sys.argv) > 1 else 4
    print("library\tdtype\tGiB\tms\tTB_per_s\tproblem")
    try:
        import torch

        for dtype, each in (("float32", 4), ("bfloat16", 2), ("float64", 8), ("uint8", 1)):
            elements = int(gib * GIB) // each
            if dtype == "uint8":
                x = torch.randint(0, 256, (elements,), dtype=torch.uint8, device="cuda")
            else:
                x = torch.empty(elements, dtype=getattr(torch, dtype), device="cuda").normal_()
            measure("torch", dtype, elements, each, lambda: torch_statistics(torch, x, 255), torch.cuda.synchronize)
            del x
            torch.cuda.empty_cache()
    except ImportError as error:
        print(f"torch\t\t\t\t\t{error}")
    try:
        import cupy as cp

        for dtype, each in (("float32", 4), ("float64", 8), ("uint8", 1)):
            elements = int(gib * GIB) // each
            if dtype == "uint8":
                x = cp.random.randint(0, 256, elements, dtype=cp.uint8)
            else:
                x = cp.random.standard_normal(elements, dtype=getattr(cp, dtype))
            measure("cupy", dtype, elements, each, lambda: cupy_statistics(cp, x, 255), cp.cuda.Device().synchronize)
            del x
            cp.get_default_memory_pool().free_all_blocks()
    except ImportError as error:
        print(f"cupy\t\t\t\t\t{error}")


main()
