package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import java.util.List;

/**
 * How an LMCache server in multiprocess mode sends its commands.
 *
 * @param workers its connections; a batch is cut into so many tiles at most
 * @param localChunks chunks that its own memory holds, the least recently used are evicted; 0 for
 *     none
 * @param prompts how many prompts it has in flight
 * @param scrambled whether tiles start and advance in random order, instead of front to back
 * @param groups the object groups of the model, with their sizes in units of the value size
 * @param chunkByChunk whether the objects of a chunk follow each other, not those of a group
 */
public record Tiling(
    int workers,
    long localChunks,
    int prompts,
    boolean scrambled,
    SizedGroups groups,
    boolean chunkByChunk) {

  /** LMCache's default. */
  public static final int WORKERS = 8;

  /** Of a model with one object group. */
  public Tiling(int workers, long localChunks, int prompts, boolean scrambled) {
    this(
        workers,
        localChunks,
        prompts,
        scrambled,
        new SizedGroups(ObjectGroups.ONE, List.of(1)),
        false);
  }

  public Tiling {
    if (workers < 1 || prompts < 1 || localChunks < 0) {
      throw new IllegalArgumentException(
          "workers '%d' and prompts '%d' must be above zero, and local chunks '%d' not below"
              .formatted(workers, prompts, localChunks));
    }
    if (scrambled && prompts > 1) {
      throw new IllegalArgumentException(
          "prompts '%d' must be 1 if tiles are scrambled".formatted(prompts));
    }
  }
}
