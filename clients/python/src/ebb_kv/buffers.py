"""Bytes of numpy arrays, torch tensors and other buffers, without copies."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np


def view(value: Any) -> memoryview:
    """Returns the bytes of a buffer, a numpy array or a CPU tensor of torch. They can be written if the value can."""
    if isinstance(value, memoryview) and value.ndim == 1 and value.format == "B" and value.contiguous:
        return value
    if hasattr(value, "data_ptr"):
        value = _array(value)
    flat = memoryview(value.reshape(-1).view(np.uint8) if _flat(value) else value)
    if not flat.c_contiguous:
        raise ValueError("the value is not contiguous; pass a contiguous array or tensor")
    return flat.cast("B") if flat.nbytes else memoryview(b"")


def at(address: int, size: int) -> memoryview:
    """Returns the memory of this process from an address on. The caller keeps that memory alive."""
    import ctypes

    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")


def copy(source: Sequence[memoryview], target: Sequence[memoryview]) -> bool:
    """Copies between two lists of pieces. Returns False and copies nothing if their total sizes differ."""
    if sum(piece.nbytes for piece in source) != sum(piece.nbytes for piece in target):
        return False
    if len(source) == len(target) == 1:
        np.copyto(np.frombuffer(target[0], np.uint8), np.frombuffer(source[0], np.uint8))
        return True
    targets = iter(target)
    room = memoryview(b"")
    for piece in source:
        while piece.nbytes:
            while not room.nbytes:
                room = next(targets)
            size = min(piece.nbytes, room.nbytes)
            np.copyto(np.frombuffer(room[:size], np.uint8), np.frombuffer(piece[:size], np.uint8))
            piece, room = piece[size:], room[size:]
    return True


def _flat(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.flags.c_contiguous


def _array(tensor: Any) -> np.ndarray:
    """Returns the bytes of a tensor. numpy lacks some of torch's data types, such as bfloat16."""
    import torch

    if tensor.device.type != "cpu":
        raise ValueError(f"the tensor is on '{tensor.device}'; copy it to the CPU first")
    if not tensor.is_contiguous():
        raise ValueError("the tensor is not contiguous; call contiguous() first")
    return tensor.detach().reshape(-1).view(torch.uint8).numpy()
