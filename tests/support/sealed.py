"""Seals of stores (src/store/seal.cpp) for files that a test has crafted: nobody needs a key for one."""
import contextlib
import ctypes
import os
import struct

import h5py

HASHES = ctypes.CDLL("libxxhash.so.0")
SEAL_BYTES = 48


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


HASHES.XXH3_64bits.restype = ctypes.c_uint64
HASHES.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
HASHES.XXH3_128bits.restype = Hash128
HASHES.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def unseal(path):
    os.truncate(path, os.path.getsize(path) - SEAL_BYTES)


def seal(path):
    with open(path, "rb+") as file:
        contents = file.read()
        digest = HASHES.XXH3_128bits(contents, len(contents))
        head = b"GCSEAL01" + struct.pack("<4Q", len(contents), digest.low, digest.high, 0)
        file.write(head + struct.pack("<Q", HASHES.XXH3_64bits(head, len(head))))


@contextlib.contextmanager
def changed(path):
    """with changed(path) as file: ... changes a store through HDF5 and seals it again."""
    unseal(path)
    with h5py.File(path, "r+") as file:
        yield file
    seal(path)
