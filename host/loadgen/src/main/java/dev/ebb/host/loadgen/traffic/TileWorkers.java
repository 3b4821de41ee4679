package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.ChunkClient;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Connections that share the commands of a batch: it is cut into contiguous tiles of equal size,
 * which enter one queue front to back. Each connection takes a tile and sends one command at a
 * time. If scrambled, tiles start and advance in random order instead.
 */
final class TileWorkers implements AutoCloseable {

  /** A command for a chunk, which blocks until the server replies. */
  interface Step {
    void run(ChunkClient client, long id, int index) throws IOException;
  }

  /** A contiguous part of a batch, and how far it is done. */
  private static final class Tile {
    private final long[] ids;
    private final int end;
    private final Step step;
    private int next;

    Tile(long[] ids, int from, int end, Step step) {
      this.ids = ids;
      this.end = end;
      this.step = step;
      next = from;
    }

    boolean isDone() {
      return next == end;
    }

    void advance(ChunkClient client) throws IOException {
      step.run(client, ids[next], next);
      next++;
    }
  }

  /** A batch that is not done. */
  private static final class Batch {
    private final CountDownLatch tiles;
    private @Nullable IOException failure;

    Batch(int tiles) {
      this.tiles = new CountDownLatch(tiles);
    }

    synchronized void failed(IOException cause) {
      failure = cause;
    }

    synchronized void check() throws IOException {
      if (failure != null) {
        throw failure;
      }
    }
  }

  private record Work(Batch batch, Tile tile) {}

  private final List<ChunkClient> clients;
  private final BlockingQueue<Work> queue;
  private final List<Thread> threads;
  private final @Nullable Random order;

  TileWorkers(List<ChunkClient> clients, boolean scrambled, long seed) {
    this.clients = clients;
    queue = new LinkedBlockingQueue<>();
    order = scrambled ? new Random(seed) : null;
    threads = scrambled ? List.of() : clients.stream().map(this::start).toList();
  }

  private Thread start(ChunkClient client) {
    return Thread.ofPlatform()
        .daemon()
        .name("ebb-tile-worker")
        .start(() -> {
          try {
            while (true) {
              serve(client, queue.take());
            }
          } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private static void serve(ChunkClient client, Work work) {
    try {
      while (!work.tile.isDone()) {
        work.tile.advance(client);
      }
    } catch (IOException failed) {
      work.batch.failed(failed);
    } finally {
      work.batch.tiles.countDown();
    }
  }

  /** Returns one of the connections, which is free while there are no batches. */
  ChunkClient first() {
    return clients.getFirst();
  }

  /** Returns when the server sent something last, on any of the connections. */
  long repliedNanos() {
    return clients.stream().mapToLong(ChunkClient::repliedNanos).max().orElseThrow();
  }

  /**
   * Sends a command for each of some chunks, and waits until all are done. Several threads may call
   * this at a time, unless tiles are scrambled.
   */
  void run(long[] ids, int from, int end, Step step) throws IOException {
    if (from == end) {
      return;
    }
    List<Tile> tiles = cut(ids, from, end, step);
    if (order != null) {
      scramble(tiles, order);
      return;
    }
    Batch batch = new Batch(tiles.size());
    try {
      // The tiles of a batch are never mixed with those of another.
      synchronized (queue) {
        tiles.forEach(tile -> queue.add(new Work(batch, tile)));
      }
      batch.tiles.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
    batch.check();
  }

  private List<Tile> cut(long[] ids, int from, int end, Step step) {
    int count = Math.min(clients.size(), end - from);
    int size = Math.ceilDiv(end - from, count);
    List<Tile> tiles = new ArrayList<>();
    for (int start = from; start < end; start += size) {
      tiles.add(new Tile(ids, start, Math.min(start + size, end), step));
    }
    return tiles;
  }

  private void scramble(List<Tile> tiles, Random random) throws IOException {
    IntArrayList open = new IntArrayList();
    for (int i = 0; i < tiles.size(); i++) {
      open.add(i);
    }
    while (!open.isEmpty()) {
      int choice = random.nextInt(open.size());
      int index = open.getInt(choice);
      Tile tile = tiles.get(index);
      tile.advance(clients.get(index));
      if (tile.isDone()) {
        open.removeInt(choice);
      }
    }
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    clients.forEach(ChunkClient::close);
  }
}
