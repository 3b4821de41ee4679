package dev.ebb.host.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * An LMCache server in multiprocess mode, which knows what a client gets: it looks all chunks of a
 * prompt up, reads the prefix found, and stores the rest, each in tiles over its connections.
 */
final class LmcacheServer {

  private static final int VALUE = 400;

  private final List<StoreConnection> connections = new ArrayList<>();
  private final TestClock clock;
  private final Random random;
  private final boolean scrambled;
  private final int localChunks;

  /** It sends each key over any connection that is free, as LMCache's Valkey adapter does. */
  boolean fansOut;

  private final LinkedHashSet<String> local = new LinkedHashSet<>();

  long chunks;
  long hits;
  long lost;

  LmcacheServer(ObjectStore store, TestClock clock, long seed, boolean scrambled, int localChunks) {
    this.clock = clock;
    this.scrambled = scrambled;
    this.localChunks = localChunks;
    random = new Random(seed);
    for (int i = 0; i < 8; i++) {
      connections.add(store.connect("host"));
    }
  }

  /** What a connection does with a key. */
  interface Command {
    void send(StoreConnection connection, String key);
  }

  /** A prompt that is looked up, read and stored; each step is a command of one connection. */
  void serve(List<String> prompt) {
    begin(prompt).forEach(Runnable::run);
  }

  /** The phases of a prompt; those of several servers may alternate. */
  List<Runnable> begin(List<String> prompt) {
    int before = prefix(prompt, local);
    List<String> asked = prompt.subList(before, prompt.size());
    Set<String> found = new HashSet<>();
    return List.of(
        () ->
            batch(
                asked,
                (by, key) -> {
                  if (by.exists(StoreClient.bytes(key))) {
                    found.add(key);
                  }
                }),
        () -> {
          int leading = prefix(asked, found);
          chunks += prompt.size();
          hits += before + leading;
          batch(asked.subList(0, leading), this::read);
        },
        () -> batch(asked.subList(prefix(asked, found), asked.size()), this::set),
        () -> keep(prompt));
  }

  private void keep(List<String> prompt) {
    local.removeAll(prompt);
    local.addAll(prompt);
    while (local.size() > localChunks) {
      local.removeFirst();
    }
  }

  private static int prefix(List<String> prompt, Set<String> among) {
    int length = 0;
    while (length < prompt.size() && among.contains(prompt.get(length))) {
      length++;
    }
    return length;
  }

  void read(StoreConnection by, String key) {
    ValueReader reader = by.get(StoreClient.bytes(key));
    if (reader == null) {
      lost++;
      hits--;
    } else {
      reader.close();
    }
  }

  void set(StoreConnection by, String key) {
    try (ValueWriter writer = by.write(StoreClient.bytes(key), VALUE)) {
      writer.write(ByteBuffer.wrap(new byte[VALUE]));
      writer.commit(SetOptions.PLAIN);
    }
  }

  void batch(List<String> keys, Command command) {
    if (keys.isEmpty()) {
      return;
    }
    if (fansOut) {
      fanOut(keys, command);
      return;
    }
    int size = Math.ceilDiv(keys.size(), Math.min(connections.size(), keys.size()));
    int tiles = Math.ceilDiv(keys.size(), size);
    int[] next = new int[tiles];
    Integer[] by = new Integer[connections.size()];
    Arrays.setAll(by, i -> i);
    Collections.shuffle(Arrays.asList(by), random);
    List<Integer> running = new ArrayList<>();
    int started = 0;
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < tiles; i++) {
      order.add(i);
    }
    if (scrambled) {
      Collections.shuffle(order, random);
    }
    while (started < tiles || !running.isEmpty()) {
      int tile;
      if (started < tiles && (running.isEmpty() || random.nextInt(4) > 0)) {
        tile = order.get(started++);
        running.add(tile);
      } else {
        tile = running.get(random.nextInt(running.size()));
      }
      command.send(connections.get(by[tile]), keys.get(tile * size + next[tile]++));
      if (next[tile] == size || tile * size + next[tile] == keys.size()) {
        running.remove((Integer) tile);
      }
    }
    clock.millis++;
  }

  /** Sends keys over connections that are free. Now and then a later key arrives first. */
  private void fanOut(List<String> keys, Command command) {
    List<StoreConnection> free = new ArrayList<>(connections);
    List<StoreConnection> busy = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    int next = 0;
    while (next < keys.size() || !sent.isEmpty()) {
      while (next < keys.size() && !free.isEmpty()) {
        busy.add(free.remove(random.nextInt(free.size())));
        sent.add(keys.get(next++));
      }
      int arrives = random.nextInt(5) > 0 ? 0 : random.nextInt(sent.size());
      command.send(busy.get(arrives), sent.remove(arrives));
      free.add(busy.remove(arrives));
    }
    clock.millis++;
  }
}
