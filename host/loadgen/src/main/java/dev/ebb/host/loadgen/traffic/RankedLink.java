package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.RequestOutcome;
import dev.ebb.host.loadgen.Values;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * An engine whose ranks have one connection each: {@link TraceTrafficOptions.Shape#LMCACHE_REDIS}.
 */
final class RankedLink implements EngineLink {

  /** Reads that a connection sends before it waits for the replies. */
  private static final int IN_FLIGHT = 128;

  private final TraceTrafficOptions options;
  private final List<ChunkClient> ranks = new ArrayList<>();

  RankedLink(BenchTarget target, Values values, Values metadata, TraceTrafficOptions options) {
    this.options = options;
    for (int rank = 0; rank < options.ranks(); rank++) {
      ranks.add(
          new ChunkClient(
              target, ChunkClient.Format.pair(rank, options.ranks()), values, metadata));
    }
  }

  @Override
  public TrafficOutcome serve(LongArrayList ids, long number) throws IOException {
    TrafficOutcome outcome = new TrafficOutcome();
    outcome.chunks = ids.size();
    int found = ids.size();
    for (ChunkClient rank : ranks) {
      found = Math.min(found, lookUp(rank, ids));
    }
    BitSet unread = new BitSet(found);
    for (int from = 0; from < found; from += IN_FLIGHT) {
      int end = Math.min(found, from + IN_FLIGHT);
      for (ChunkClient rank : ranks) {
        read(rank, ids, from, end, unread, outcome);
      }
    }
    int firstUnread = unread.nextSetBit(0);
    outcome.hits = firstUnread < 0 ? found : firstUnread;
    store(ids, number, outcome);
    return outcome;
  }

  private static int lookUp(ChunkClient client, LongArrayList ids) throws IOException {
    int found = 0;
    while (found < ids.size() && client.exists(ids.getLong(found))) {
      found++;
    }
    return found;
  }

  private static void read(
      ChunkClient client,
      LongArrayList ids,
      int from,
      int end,
      BitSet unread,
      TrafficOutcome outcome)
      throws IOException {
    for (int i = from; i < end; i++) {
      client.get(ids.getLong(i));
    }
    for (int i = from; i < end; i++) {
      RequestOutcome reply = client.readChunk(ids.getLong(i));
      boolean again = reply == RequestOutcome.MISSING && unread.get(i);
      if (again || !outcome.read(reply, client.error())) {
        unread.set(i);
      }
    }
  }

  private void store(LongArrayList ids, long number, TrafficOutcome outcome) throws IOException {
    long[] rest = Arrays.copyOfRange(ids.elements(), (int) outcome.hits, ids.size());
    if (!options.inOrder()) {
      LongArrays.shuffle(rest, new Random(options.seed() + number));
    }
    for (long id : rest) {
      for (ChunkClient rank : ranks) {
        rank.set(id);
      }
    }
    for (ChunkClient rank : ranks) {
      for (int i = 0; i < rest.length; i++) {
        if (!rank.stored()) {
          outcome.failed(1, rank.error());
        }
      }
    }
  }

  @Override
  public long repliedNanos() {
    return ranks.stream().mapToLong(ChunkClient::repliedNanos).max().orElseThrow();
  }

  @Override
  public List<ChunkClient> readers() {
    return ranks;
  }

  @Override
  public void close() {
    ranks.forEach(ChunkClient::close);
  }
}
