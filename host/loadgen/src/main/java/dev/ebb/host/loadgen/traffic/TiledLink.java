package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.RequestOutcome;
import dev.ebb.host.loadgen.Values;
import dev.ebb.host.loadgen.traffic.TraceTrafficOptions.Tiling;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * An LMCache server in multiprocess mode: {@link TraceTrafficOptions.Shape#LMCACHE_MP}. Its own
 * memory, if any, is in front: only what that lacks is requested. It can have several prompts in
 * flight. A chunk has an object for each object group of the model; the groups read only what they
 * need.
 */
final class TiledLink implements EngineLink {

  private final TileWorkers workers;
  private final LocalChunks local;
  private final ObjectGroups groups;
  private final boolean chunkByChunk;

  TiledLink(BenchTarget target, List<Values> values, TraceTrafficOptions options) {
    Tiling tiling = options.tiling();
    groups = tiling.groups().groups();
    chunkByChunk = tiling.chunkByChunk();
    List<List<ChunkClient>> connections = new ArrayList<>();
    for (int i = 0; i < tiling.workers(); i++) {
      Values first = values.getFirst();
      List<ChunkClient> clients = new ArrayList<>();
      clients.add(new ChunkClient(target, ChunkClient.Format.single(0, 1), first, first));
      for (int group = 1; group < groups.size(); group++) {
        clients.add(
            clients.getFirst().of(ChunkClient.Format.ofGroup(0, 1, group), values.get(group)));
      }
      connections.add(clients);
    }
    workers = new TileWorkers(connections, tiling.scrambled(), options.seed());
    local = new LocalChunks(tiling.localChunks());
  }

  @Override
  public TrafficOutcome serve(LongArrayList ids, long number) throws IOException {
    TrafficOutcome outcome = new TrafficOutcome();
    outcome.chunks = ids.size();
    int before = local.prefix(ids);
    long[] asked = ids.subList(before, ids.size()).toLongArray();
    int usable = lookUp(asked);
    outcome.hits = (long) before + read(asked, usable, outcome);
    store(asked, usable, outcome);
    local.use(ids);
    return outcome;
  }

  /** Looks all objects up; returns how many of the first chunks all groups can serve. */
  private int lookUp(long[] asked) throws IOException {
    long[] present = new long[asked.length];
    workers.run(
        objects(asked.length, asked.length, any -> 0),
        (connection, object) -> {
          int group = object / asked.length;
          int chunk = object % asked.length;
          if (connection.get(group).exists(asked[chunk])) {
            synchronized (present) {
              present[chunk] |= 1L << group;
            }
          }
        });
    return groups.usable(present, asked.length);
  }

  /** Reads what the groups need of the usable prefix; returns how much of it can be used then. */
  private int read(long[] asked, int usable, TrafficOutcome outcome) throws IOException {
    BitSet unread = new BitSet();
    workers.run(
        objects(
            asked.length,
            usable,
            group -> groups.isFull(group) ? 0 : Math.max(0, usable - groups.window(group))),
        (connection, object) -> {
          int chunk = object % asked.length;
          ChunkClient client = connection.get(object / asked.length);
          client.get(asked[chunk]);
          RequestOutcome reply = client.readChunk(asked[chunk]);
          synchronized (unread) {
            if (!outcome.read(reply, client.error())) {
              unread.set(chunk);
            }
          }
        });
    if (unread.isEmpty()) {
      return usable;
    }
    // Of a shorter prefix, groups that do not need all chunks have not read what they need.
    return groups.areFull() ? unread.nextSetBit(0) : 0;
  }

  private void store(long[] asked, int usable, TrafficOutcome outcome) throws IOException {
    workers.run(
        objects(asked.length, asked.length, any -> usable),
        (connection, object) -> {
          ChunkClient client = connection.get(object / asked.length);
          client.set(asked[object % asked.length]);
          if (!client.stored()) {
            synchronized (asked) {
              outcome.failed(1, client.error());
            }
          }
        });
  }

  /**
   * Returns objects of chunks in the order of their commands, as group x chunks + chunk.
   *
   * @param from the first chunk of each group
   */
  private int[] objects(int chunks, int end, IntUnaryOperator from) {
    int all = groups.size();
    return IntStream.range(0, all * chunks)
        .map(i -> chunkByChunk ? i % all * chunks + i / all : i)
        .filter(
            object -> object % chunks < end && object % chunks >= from.applyAsInt(object / chunks))
        .toArray();
  }

  @Override
  public long repliedNanos() {
    return workers.repliedNanos();
  }

  @Override
  public boolean hasLocally(long id) {
    return local.contains(id);
  }

  @Override
  public List<ChunkClient> readers() {
    return workers.first();
  }

  @Override
  public void close() {
    workers.close();
  }

  /**
   * The chunks in an engine's own memory, of which the least recently used are evicted.
   * Thread-safe.
   */
  private static final class LocalChunks {

    private final long capacity;
    private final LongLinkedOpenHashSet ids = new LongLinkedOpenHashSet();

    LocalChunks(long capacity) {
      this.capacity = capacity;
    }

    /** Returns how many of the first chunks it has. */
    synchronized int prefix(LongArrayList prompt) {
      int length = 0;
      while (length < prompt.size() && ids.contains(prompt.getLong(length))) {
        length++;
      }
      return length;
    }

    synchronized boolean contains(long id) {
      return ids.contains(id);
    }

    /** Records that a prompt was computed: all its chunks have been used. */
    synchronized void use(LongArrayList prompt) {
      if (capacity > 0) {
        prompt.forEach((long id) -> ids.addAndMoveToLast(id));
        while (ids.size() > capacity) {
          ids.removeFirstLong();
        }
      }
    }
  }
}
