package dev.ebb.host.loadgen;

/**
 * The keys of a chunk.
 *
 * @param value the format of the key of its bytes
 * @param metadata the format of the key of their description; empty if they have none
 */
public record ChunkFormat(String value, String metadata) {

  /** Returns the keys of LMCache's Redis connector, of values in 16 bits. */
  public static ChunkFormat pair(int rank, int world) {
    String stem = "trace@%d@%d@%%016x@half".formatted(world, rank);
    return new ChunkFormat(stem + "kv_bytes", stem + "metadata");
  }

  /**
   * Returns the keys of LMCache's native client in multiprocess mode, of the first object group.
   */
  public static ChunkFormat single(int rank, int world) {
    return ofGroup(rank, world, 0);
  }

  /** Returns the keys of LMCache's native client in multiprocess mode, of an object group. */
  public static ChunkFormat ofGroup(int rank, int world, int group) {
    return new ChunkFormat(
        "trace@%02x%02x%02x%02x@%x@%%016x".formatted(world, rank, world, rank, group), "");
  }

  boolean hasMetadata() {
    return !metadata.isEmpty();
  }
}
