package dev.ebb.host.disk;

import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionBuffer;
import dev.ebb.host.disk.format.Superblock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The regions that are being filled in memory, or are full and not written yet. Several threads add
 * records; one writes them.
 */
final class OpenRegions implements AutoCloseable {

  private static final int BUFFERS = 2;

  private final Superblock superblock;
  private final DiskIndex index;
  private final List<RegionBuffer> buffers = new ArrayList<>();

  /** Guards everything below, and the records of the buffers. */
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable RegionBuffer head;
  private final Deque<RegionBuffer> full = new ArrayDeque<>();
  private final Deque<RegionBuffer> free = new ArrayDeque<>();

  /** A generation whose region is ready to be filled; 0 if there is none. */
  private long prepared;

  OpenRegions(Superblock superblock, DiskIndex index, RecordFormat format) {
    this.superblock = superblock;
    this.index = index;
    for (int i = 0; i < BUFFERS; i++) {
      buffers.add(new RegionBuffer(superblock.regionBytes(), format));
    }
    free.addAll(buffers);
  }

  /** Adds a value, if it is still announced and there is room. */
  DiskLog.Outcome append(DiskLog.Ticket ticket, RecordHeader header, RegionBuffer.Body body) {
    lock.lock();
    try {
      RegionBuffer to = room(header.bytes());
      if (to == null) {
        return DiskLog.Outcome.SHED;
      }
      int offset = to.append(header, body);
      long location = location(to, offset, header);
      if (index.replace(ticket.hash(), ticket.location(), location)) {
        // It is of no use without the chunk before it, whose region is reused first.
        index.followed(header.parent(), Location.region(location));
        return DiskLog.Outcome.ADDED;
      }
      // Its tombstone may be in an older region, which is reused first.
      to.removeLast(offset);
      return DiskLog.Outcome.OUTDATED;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a record without a body; returns whether there was room. */
  boolean add(RecordHeader header) {
    lock.lock();
    try {
      RegionBuffer to = room(header.bytes());
      if (to != null) {
        to.append(header, target -> {});
      }
      return to != null;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a copy of a record if the current region has room; returns its location. */
  long keep(RecordHeader header, ByteBuffer body) {
    lock.lock();
    try {
      RegionBuffer to = head;
      if (to == null || !to.fits(header.bytes())) {
        return Location.NONE;
      }
      long copy = location(to, to.append(header, target -> target.put(body)), header);
      index.followed(header.parent(), Location.region(copy));
      return copy;
    } finally {
      lock.unlock();
    }
  }

  private long location(RegionBuffer in, int offset, RecordHeader header) {
    return Location.of(
        DiskFormat.regionOf(in.generation(), superblock.regions()),
        offset,
        header.bytes(),
        header.expiresAt() != RecordHeader.NEVER);
  }

  /** Returns a buffer with so much room; null if there is none now. */
  private @Nullable RegionBuffer room(int bytes) {
    RegionBuffer current = head;
    if (current != null && current.fits(bytes)) {
      return current;
    }
    if (current != null) {
      full.add(current);
      head = null;
    }
    if (free.isEmpty() || prepared == 0) {
      return null;
    }
    RegionBuffer next = free.remove();
    next.begin(prepared, superblock.seed(prepared));
    prepared = 0;
    head = next;
    return next;
  }

  /** Lets the next record start in a block of its own. */
  void pad() {
    lock.lock();
    try {
      if (head != null) {
        head.pad();
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isPrepared() {
    lock.lock();
    try {
      return prepared != 0;
    } finally {
      lock.unlock();
    }
  }

  void prepared(long generation) {
    lock.lock();
    try {
      prepared = generation;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the oldest full region, to be written; null if there is none. */
  @Nullable RegionBuffer firstFull() {
    lock.lock();
    try {
      return full.peek();
    } finally {
      lock.unlock();
    }
  }

  /** Frees the oldest full region, which is written or dropped. */
  void release(RegionBuffer buffer) {
    lock.lock();
    try {
      full.remove(buffer);
      buffer.end();
      free.add(buffer);
    } finally {
      lock.unlock();
    }
  }

  /** Treats the current region as full. */
  void endHead() {
    lock.lock();
    try {
      if (head != null) {
        full.add(head);
        head = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the current region; null if there is none. */
  @Nullable RegionBuffer head() {
    lock.lock();
    try {
      return head;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns up to where a region can be written.
   *
   * @param all whether to complete its last block for that
   */
  int complete(RegionBuffer buffer, boolean all) {
    lock.lock();
    try {
      if (all) {
        buffer.pad();
      }
      return buffer.complete();
    } finally {
      lock.unlock();
    }
  }

  /** Copies bytes of a region that is in memory; returns whether it is. */
  boolean copy(long generation, int from, ByteBuffer target) {
    for (RegionBuffer buffer : buffers) {
      if (buffer.copy(generation, from, target.duplicate())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    buffers.forEach(RegionBuffer::close);
  }
}
