package dev.ebb.host.disk;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;

/**
 * Starts new generations of regions. Values that were read since they were written are kept: a
 * second chance, as of CLOCK, up to half a region. So are chunks that others follow in newer
 * regions. They need room in the current region. For the writer thread.
 */
record RegionReuse(DiskLog log) {

  private static final int KEPT_SHARE = 2;

  /** Adds copies of records to the region that is being filled. */
  interface Keeper {

    /** Returns the location of the copy, or {@link Location#NONE} if there is no room. */
    long keep(RecordHeader header, ByteBuffer body);
  }

  /** Starts a generation; the values of the one before in its region are dropped. */
  void start(BlockFile file, long generation, Keeper keeper) throws IOException {
    int region = DiskFormat.regionOf(generation, log.superblock.regions());
    long before = log.generations.get(region);
    if (before != 0) {
      log.counters.reusedRegions.increment();
      keep(file, region, before, keeper);
    }
    RegionHeader.write(file, log.superblock, generation);
    for (DiskIndex.Entry old : log.index.inRegion(region)) {
      if (log.index.replace(old.hash(), old.location(), Location.NONE)) {
        log.counters.droppedValues.increment();
      }
    }
    log.generations.set(region, generation);
  }

  private void keep(BlockFile file, int region, long generation, Keeper keeper) throws IOException {
    List<DiskIndex.Entry> read = log.index.inRegion(region);
    read.removeIf(entry -> !Location.wasRead(entry.location()));
    if (read.isEmpty()) {
      return;
    }
    // Memory evicts prompts from the end, so their heads were written last, and go first here.
    read.sort(Comparator.comparingInt(entry -> -Location.offset(entry.location())));
    try (Copying copying = new Copying(file, region, generation, keeper)) {
      for (DiskIndex.Entry entry : read) {
        copying.chain(entry.hash());
      }
    }
  }

  private final class Copying implements AutoCloseable {

    private final BlockFile file;
    private final int region;
    private final long seed;
    private final Keeper keeper;
    private final ReadBuffer memory = new ReadBuffer();
    private int left = log.superblock.regionBytes() / KEPT_SHARE;

    Copying(BlockFile file, int region, long generation, Keeper keeper) {
      this.file = file;
      this.region = region;
      seed = log.superblock.seed(generation);
      this.keeper = keeper;
    }

    /** Keeps a value, and the chunks before it that are in the region too. */
    void chain(long hash) throws IOException {
      for (long next = hash; next != 0; ) {
        long location = log.index.get(next);
        next =
            !Location.isAnnounced(location) && Location.region(location) == region
                ? keep(next, location)
                : 0;
      }
    }

    /** Keeps a value if it fits; returns the hash of the chunk before it, or 0. */
    private long keep(long hash, long location) throws IOException {
      int size = Location.bytes(location);
      if (location == Location.NONE || size > left) {
        return 0;
      }
      int offset = Location.offset(location);
      int first = DiskFormat.down(offset, DiskFormat.ALIGNMENT);
      int end =
          Math.min(
              log.superblock.regionBytes(), DiskFormat.up(offset + size, DiskFormat.ALIGNMENT));
      ByteBuffer bytes = memory.of(end - first);
      file.read(
          bytes.duplicate(), DiskFormat.positionOf(region, log.superblock.regionBytes()) + first);
      RecordHeader header = log.format.read(bytes, offset - first, bytes.capacity(), seed);
      if (header == null || header.hash() != hash || header.isExpired(System.currentTimeMillis())) {
        return 0;
      }
      ByteBuffer body =
          log.format.body(header, bytes, offset - first, bytes.capacity(), seed, memory);
      long copy = body == null ? Location.NONE : keeper.keep(header, body);
      if (copy == Location.NONE) {
        return 0;
      }
      if (log.index.replace(hash, location, copy)) {
        log.counters.keptValues.increment();
      }
      left -= size;
      return header.parent();
    }

    @Override
    public void close() {
      memory.close();
    }
  }
}
