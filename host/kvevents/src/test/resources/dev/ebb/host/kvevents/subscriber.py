"""Decodes replayed batches with msgspec, by the declarations of vLLM's events; prints them."""

import sys
from typing import Any

import msgspec
import zmq


class EventBatch(msgspec.Struct, array_like=True, omit_defaults=True, gc=False):
    ts: float
    events: list[Any]
    data_parallel_rank: int | None = None


# The second argument is the format.
arrays = sys.argv[2] == "array"


class KVCacheEvent(msgspec.Struct, array_like=arrays, omit_defaults=True, gc=False, tag=True):
    pass


class BlockStored(KVCacheEvent):
    block_hashes: list[bytes | int]
    parent_block_hash: bytes | int | None
    token_ids: list[int]
    block_size: int
    lora_id: int | None
    medium: str | None
    lora_name: str | None
    extra_keys: list[tuple[Any, ...] | None] | None = None
    group_idx: int | None = None
    kv_cache_spec_kind: str | None = None
    kv_cache_spec_sliding_window: int | None = None


class BlockRemoved(KVCacheEvent):
    block_hashes: list[bytes | int]
    medium: str | None
    group_idx: int | None = None


class AllBlocksCleared(KVCacheEvent):
    pass


class KVEventBatch(EventBatch):
    events: list[BlockStored | BlockRemoved | AllBlocksCleared]


socket = zmq.Context().socket(zmq.DEALER)
socket.setsockopt(zmq.RCVTIMEO, 60_000)
socket.connect(sys.argv[1])
socket.send_multipart((b"", (0).to_bytes(8, "big")))
decoder = msgspec.msgpack.Decoder(KVEventBatch)
while True:
    frames = socket.recv_multipart()
    assert len(frames) == (3 if arrays else 4) and frames[0] == b"", frames
    sequence, payload = frames[-2:]
    if int.from_bytes(sequence, "big", signed=True) == -1:
        break
    batch = decoder.decode(payload)
    # The salt of SGLang's events is not a field of vLLM's.
    assert arrays or (frames[1] == b"kv" and (b"cache_salt" in payload or msgspec.msgpack.encode(batch) == payload))
    for event in batch.events:
        print(batch.data_parallel_rank, event)
