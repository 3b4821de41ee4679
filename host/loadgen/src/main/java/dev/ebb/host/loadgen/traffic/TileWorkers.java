package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.ChunkClient;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections that share the commands of a batch: it is cut into contiguous tiles of equal size,
 * which enter one queue front to back. Each connection takes a tile and sends one command at a
 * time. If scrambled, tiles start and advance in random order instead.
 */
final class TileWorkers implements AutoCloseable {

  /** A command for an object, which blocks until the server replies. */
  interface Step {

    /**
     * Sends the command.
     *
     * @param connection a client for each object group
     * @param object as it is in the batch
     */
    void run(List<ChunkClient> connection, int object) throws IOException;
  }

  private final List<List<ChunkClient>> clients;
  private final @Nullable Random order;

  private final ThreadPoolExecutor workers;

  TileWorkers(List<List<ChunkClient>> clients, boolean scrambled, long seed) {
    this.clients = clients;
    order = scrambled ? new Random(seed) : null;
    Iterator<List<ChunkClient>> unused = clients.iterator();
    int count = clients.size();
    workers =
        new ThreadPoolExecutor(
            count,
            count,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> new Worker(unused.next(), work));
    if (!scrambled) {
      workers.prestartAllCoreThreads();
    }
  }

  /** A thread with a connection of its own. */
  private static final class Worker extends Thread {

    private final List<ChunkClient> client;

    Worker(List<ChunkClient> client, Runnable work) {
      super(work, "ebb-tile-worker");
      this.client = client;
      setDaemon(true);
    }
  }

  /** A contiguous part of a batch, and how far it is done. */
  private static final class Tile {

    private final int[] objects;
    private final int end;
    private final Step step;
    private int next;

    Tile(int[] objects, int from, int end, Step step) {
      this.objects = objects;
      this.end = end;
      this.step = step;
      next = from;
    }

    boolean isDone() {
      return next == end;
    }

    void advance(List<ChunkClient> client) throws IOException {
      step.run(client, objects[next++]);
    }

    @Nullable Void finish() throws IOException {
      List<ChunkClient> client = ((Worker) Thread.currentThread()).client;
      while (!isDone()) {
        advance(client);
      }
      return null;
    }
  }

  /** Returns one of the connections, which is free while there are no batches. */
  List<ChunkClient> first() {
    return clients.getFirst();
  }

  /** Returns when the server sent something last, on any of the connections. */
  long repliedNanos() {
    return clients.stream().mapToLong(each -> each.getFirst().repliedNanos()).max().orElseThrow();
  }

  /**
   * Sends a command for each of some objects, and waits until all are done. Several threads may
   * call this at a time, unless tiles are scrambled.
   */
  void run(int[] objects, Step step) throws IOException {
    int end = objects.length;
    if (end == 0) {
      return;
    }
    int size = Math.ceilDiv(end, Math.min(clients.size(), end));
    List<Tile> tiles = new ArrayList<>();
    for (int start = 0; start < end; start += size) {
      tiles.add(new Tile(objects, start, Math.min(start + size, end), step));
    }
    if (order == null) {
      runInOrder(tiles);
    } else {
      runScrambled(tiles, order);
    }
  }

  private void runInOrder(List<Tile> tiles) throws IOException {
    List<Future<?>> running = new ArrayList<>();
    // The tiles of a batch are never mixed with those of another.
    synchronized (workers) {
      tiles.forEach(tile -> running.add(workers.submit(tile::finish)));
    }
    IOException failure = null;
    for (Future<?> tile : running) {
      try {
        tile.get();
      } catch (ExecutionException failed) {
        Throwable cause = failed.getCause();
        failure = cause instanceof IOException lost ? lost : new IOException(cause);
      } catch (CancellationException closed) {
        failure = new IOException("the connection was closed");
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", interrupted);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void runScrambled(List<Tile> tiles, Random random) throws IOException {
    IntArrayList open = new IntArrayList();
    for (int i = 0; i < tiles.size(); i++) {
      open.add(i);
    }
    while (!open.isEmpty()) {
      int choice = random.nextInt(open.size());
      int index = open.getInt(choice);
      tiles.get(index).advance(clients.get(index));
      if (tiles.get(index).isDone()) {
        open.removeInt(choice);
      }
    }
  }

  @Override
  public void close() {
    workers.shutdownNow().forEach(tile -> ((Future<?>) tile).cancel(false));
    clients.forEach(each -> each.getFirst().close());
  }
}
