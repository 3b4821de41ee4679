package dev.ebb.host.disk;

import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The regions that are being filled in memory, or are full and not written yet. Several threads add
 * records; one writes them.
 */
final class OpenRegions implements AutoCloseable {

  private static final int BUFFERS = 2;

  private final DiskLog log;
  private final List<RegionBuffer> buffers = new ArrayList<>();

  private @Nullable RegionBuffer head;
  private final Deque<RegionBuffer> full = new ArrayDeque<>();
  private final Deque<RegionBuffer> free = new ArrayDeque<>();

  /** A generation whose region is ready to be filled; 0 if there is none. */
  private long prepared;

  OpenRegions(DiskLog log) {
    this.log = log;
    for (int i = 0; i < BUFFERS; i++) {
      buffers.add(new RegionBuffer(log.superblock.regionBytes(), log.format));
    }
    free.addAll(buffers);
  }

  /** Adds a value, if it is still announced and there is room. */
  synchronized DiskLog.Outcome append(
      DiskLog.Ticket ticket, RecordHeader header, RegionBuffer.Body body) {
    RegionBuffer to = room(header.bytes());
    if (to == null) {
      return DiskLog.Outcome.SHED;
    }
    int offset = to.append(header, body);
    long location = location(to, offset, header);
    if (log.index.replace(ticket.hash, ticket.location, location)) {
      // It is of no use without the chunk before it, whose region is reused first.
      log.index.followed(header.parent(), Location.region(location));
      return DiskLog.Outcome.ADDED;
    }
    // Its tombstone may be in an older region, which is reused first.
    to.removeLast(offset);
    return DiskLog.Outcome.OUTDATED;
  }

  /** Adds a record without a body; returns whether there was room. */
  synchronized boolean add(RecordHeader header) {
    RegionBuffer to = room(header.bytes());
    if (to != null) {
      to.append(header, target -> {});
    }
    return to != null;
  }

  /** Adds a copy of a record if the current region has room; returns its location. */
  synchronized long keep(RecordHeader header, ByteBuffer body) {
    RegionBuffer to = head;
    if (to == null || !to.fits(header.bytes())) {
      return Location.NONE;
    }
    long copy = location(to, to.append(header, target -> target.put(body)), header);
    log.index.followed(header.parent(), Location.region(copy));
    return copy;
  }

  private long location(RegionBuffer in, int offset, RecordHeader header) {
    return Location.of(
        DiskFormat.regionOf(in.generation(), log.superblock.regions()),
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
    next.begin(prepared, log.superblock.seed(prepared));
    prepared = 0;
    head = next;
    return next;
  }

  /** Lets the next record start in a block of its own. */
  synchronized void pad() {
    if (head != null) {
      head.pad();
    }
  }

  synchronized boolean isPrepared() {
    return prepared != 0;
  }

  synchronized void prepared(long generation) {
    prepared = generation;
  }

  /** Returns the oldest full region, to be written; null if there is none. */
  @Nullable
  synchronized RegionBuffer firstFull() {
    return full.peek();
  }

  /** Frees the oldest full region, which is written or dropped. */
  synchronized void release(RegionBuffer buffer) {
    full.remove(buffer);
    buffer.end();
    free.add(buffer);
  }

  /** Treats the current region as full. */
  synchronized void endHead() {
    if (head != null) {
      full.add(head);
      head = null;
    }
  }

  /** Returns the current region; null if there is none. */
  @Nullable
  synchronized RegionBuffer head() {
    return head;
  }

  /** Returns up to where a region can be written; for all, its last block is completed. */
  synchronized int complete(RegionBuffer buffer, boolean all) {
    if (all) {
      buffer.pad();
    }
    return buffer.complete();
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
