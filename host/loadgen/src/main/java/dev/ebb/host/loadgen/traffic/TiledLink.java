package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.ChunkFormat;
import dev.ebb.host.loadgen.RequestOutcome;
import dev.ebb.host.loadgen.Values;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * An LMCache server in multiprocess mode: {@link TrafficShape#LMCACHE_MP}. Its own memory, if any,
 * is in front: only what that lacks is requested. It can have several prompts in flight.
 */
final class TiledLink implements EngineLink {

  private final TileWorkers workers;
  private final LocalChunks local;

  TiledLink(BenchTarget target, Values values, TraceTrafficOptions options) {
    Tiling tiling = options.tiling();
    List<ChunkClient> connections = new ArrayList<>();
    for (int i = 0; i < tiling.workers(); i++) {
      connections.add(new ChunkClient(target, ChunkFormat.single(0, 1), values, values));
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
    BitSet found = new BitSet();
    workers.run(
        asked,
        0,
        asked.length,
        (client, id, index) -> {
          boolean exists = client.exists(id);
          synchronized (found) {
            found.set(index, exists);
          }
        });
    int leading = found.nextClearBit(0);
    BitSet unread = new BitSet();
    workers.run(
        asked,
        0,
        leading,
        (client, id, index) -> {
          client.get(id);
          RequestOutcome reply = client.readChunk(id);
          synchronized (unread) {
            unread.set(index, !outcome.read(reply, client.error()));
          }
        });
    int firstUnread = unread.nextSetBit(0);
    outcome.hits = (long) before + (firstUnread < 0 ? leading : firstUnread);
    workers.run(
        asked,
        leading,
        asked.length,
        (client, id, index) -> {
          client.set(id);
          if (!client.stored()) {
            synchronized (unread) {
              outcome.failed(1, client.error());
            }
          }
        });
    local.use(ids);
    return outcome;
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
    return List.of(workers.first());
  }

  @Override
  public void close() {
    workers.close();
  }
}
