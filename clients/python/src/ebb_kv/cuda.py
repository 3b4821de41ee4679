"""Memory of a GPU that the server shares by CUDA IPC. Needs only the driver, ``libcuda.so.1``."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Tuple

from ebb_kv.errors import EbbError

# CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
_LAZY_PEER_ACCESS = 1


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * 64)]


class CudaMemory:
    """The server's memory on a GPU, opened in the GPU's primary context, which PyTorch and CuPy use too."""

    def __init__(self, ordinal: int, handle: bytes, size: int) -> None:
        """Opens it.

        :param ordinal: the GPU's number in this process
        :param size: in bytes
        """
        self.ordinal, self.size = ordinal, size
        try:
            self._driver = ctypes.CDLL("libcuda.so.1")
        except OSError as missing:
            raise EbbError(f"the server's memory is on a GPU, and this process has no CUDA driver: {missing}") from missing
        self._device = ctypes.c_int()
        self._context = ctypes.c_void_p()
        address = ctypes.c_uint64()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(self._device), ordinal)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)
        try:
            self._call("cuCtxSetCurrent", self._context)
            opened = _Handle.from_buffer_copy(handle)
            self._call("cuIpcOpenMemHandle_v2", ctypes.byref(address), opened, _LAZY_PEER_ACCESS)
        except BaseException:
            self._call("cuDevicePrimaryCtxRelease_v2", self._device)
            raise
        #: The address of the first byte on the GPU.
        self.address = address.value

    def array(self, shape: Tuple[int, ...], element: str) -> Any:
        """Returns an array over the memory that CuPy, Numba and PyTorch take without a copy.

        :param element: a type as in NumPy's array interface, such as ``<f2``
        """
        return _Array(self, {"shape": shape, "typestr": element, "data": (self.address, False), "version": 3})

    def read(self, offset: int, size: int) -> bytes:
        """Copies bytes to the host."""
        target = ctypes.create_string_buffer(size)
        self._copy("cuMemcpyDtoH_v2", target, self._at(offset, size), size)
        return target.raw

    def write(self, offset: int, data: bytes) -> None:
        """Copies bytes from the host."""
        self._copy("cuMemcpyHtoD_v2", self._at(offset, len(data)), data, len(data))

    def close(self) -> None:
        """Closes the memory. No array over it may be used any more."""
        if self.address:
            self._call("cuCtxSetCurrent", self._context)
            self._call("cuIpcCloseMemHandle", ctypes.c_uint64(self.address))
            self._call("cuDevicePrimaryCtxRelease_v2", self._device)
            self.address = 0

    def _at(self, offset: int, size: int) -> ctypes.c_uint64:
        if not self.address:
            raise EbbError("the memory is closed")
        if offset < 0 or offset + size > self.size:
            raise EbbError(f"bytes {offset} to {offset + size} are outside the memory, which has {self.size}")
        return ctypes.c_uint64(self.address + offset)

    def _copy(self, function: str, target: Any, source: Any, size: int) -> None:
        # Another library may have changed this thread's context.
        self._call("cuCtxSetCurrent", self._context)
        self._call(function, target, source, ctypes.c_size_t(size))

    def _call(self, function: str, *arguments: Any) -> None:
        code = getattr(self._driver, function)(*arguments)
        if code:
            raise EbbError(f"{function} failed on GPU {self.ordinal}: CUDA error {code}")


class _Array:
    """An array on a GPU, by the CUDA array interface. Keeps the memory reachable."""

    def __init__(self, memory: CudaMemory, interface: Dict[str, Any]) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = interface
