#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What CUDA's runtime says of this machine's GPUs, as one JSON object: for gpu_check.py, before anything is built.
"""Usage: tests/gpu_devices.py CUDA_HOME     {"failure": WHY} where there is no GPU to use; the status is 0 then, too"""

import ctypes
import json
import pathlib
import sys

# Of cudaDeviceAttr.
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76


class NoDevice(Exception):
    """Why there is none, as a clause."""


def runtime(cuda_home):
    """The toolkit's libcudart, or the one that stands before it in LD_LIBRARY_PATH."""
    files = [file for folder in ("lib64", "lib")
             for file in pathlib.Path(cuda_home, folder).glob("libcudart.so.[0-9]*")]
    names = sorted({".".join(file.name.split(".")[:3]) for file in files}, reverse=True)
    for name in [*names, *map(str, files)]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    raise NoDevice(f"there is no libcudart.so below {cuda_home}")


def version_text(number):
    return f"{number // 1000}.{number % 1000 // 10}"


class Cuda:
    def __init__(self, library):
        self.library = library
        library.cudaGetErrorString.restype = ctypes.c_char_p

    def number(self, function, *arguments):
        """What the function writes to its first argument."""
        value = ctypes.c_int()
        code = getattr(self.library, function)(ctypes.byref(value), *arguments)
        if code != 0:
            why = self.library.cudaGetErrorString(code).decode()
            raise NoDevice(f"{function} failed with error {code}: {why}")
        return value.value

    def compute_capability(self, device):
        return ".".join(str(self.number("cudaDeviceGetAttribute", attribute, device))
                        for attribute in (COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR))


def devices(cuda_home):
    cuda = Cuda(runtime(cuda_home))
    count = cuda.number("cudaGetDeviceCount")
    if count == 0:
        raise NoDevice("CUDA finds no device")
    return {"gpus": count,
            "compute_capabilities": [cuda.compute_capability(device) for device in range(count)],
            "cuda_driver_version": version_text(cuda.number("cudaDriverGetVersion")),
            "cuda_runtime_version": version_text(cuda.number("cudaRuntimeGetVersion"))}


def main(cuda_home):
    try:
        print(json.dumps(devices(cuda_home)))
    except NoDevice as error:
        print(json.dumps({"failure": str(error)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
