package dev.ebb.dist;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A client that stays on one node, and checks each value that it reads. It owns some keys: no other
 * client stores or deletes these.
 */
final class ClusterClient {

  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int OWN_KEYS = 6;
  private static final int SHARED_KEYS = 20;
  private static final int LARGEST_PLAIN = 30_000;
  private static final byte[] NONE = new byte[0];

  private final ClusterLoad load;
  private final int number;
  private final Random random;
  private final EbbProcess node;

  /** The versions of this client's plain keys that its node has confirmed in this session. */
  private final Map<String, Long> confirmed = new TreeMap<>();

  private final String[] own = new String[OWN_KEYS];
  private int generation;
  private long lastVersion;
  private @Nullable RespClient connection;

  ClusterClient(ClusterLoad load, int number) {
    this.load = load;
    this.number = number;
    random = new Random(number);
    List<EbbProcess> nodes = load.cluster.nodes();
    node = nodes.get(number % nodes.size());
    for (int i = 0; i < OWN_KEYS; i++) {
      own[i] = newKey();
    }
  }

  private String newKey() {
    return "plain:%d:%d".formatted(number, generation++);
  }

  void run() {
    while (!load.stopped.get()) {
      step();
      ClusterProcesses.sleep(load.pauseMillis);
    }
    disconnect();
  }

  private void step() {
    long before = System.nanoTime();
    boolean ran = node.runs();
    try {
      RespClient client = connection;
      if (client == null) {
        client = node.client(TIMEOUT_MILLIS);
        connection = client;
        load.count("sessions");
      }
      command(client);
      String slowest = client.longestCommand();
      long nanos = client.takeLongestNanos();
      if (ran && node.runs() && node.undisturbedSince(before)) {
        load.took(slowest, nanos);
      }
    } catch (SocketTimeoutException e) {
      ended();
      if (ran && node.runs() && node.undisturbedSince(before)) {
        load.violation(node, "no answer within %d ms".formatted(TIMEOUT_MILLIS));
      } else {
        load.count("timeouts of paused or isolated nodes");
      }
    } catch (IOException e) {
      ended();
      ClusterProcesses.sleep(50);
    } catch (RespClient.ServerError e) {
      load.error(String.valueOf(e.getMessage()));
      ended();
    } catch (CheckedValue.WrongValue e) {
      load.violation(node, String.valueOf(e.getMessage()));
      confirmed.clear();
    }
  }

  /** Forgets what the node has confirmed, because it may have been started again meanwhile. */
  private void ended() {
    confirmed.clear();
    disconnect();
  }

  private void disconnect() {
    RespClient client = connection;
    connection = null;
    if (client != null) {
      try {
        client.close();
      } catch (IOException closed) {
        load.count("failed closes");
      }
    }
  }

  private void command(RespClient client) throws IOException {
    int choice = random.nextInt(100);
    if (choice < 12) {
      storeChunk(client, anyChunk());
    } else if (choice < 40) {
      readChunk(client, anyChunk());
    } else if (choice < 48) {
      readChunks(client);
    } else if (choice < 54) {
      lookUp(client);
    } else if (choice < 58) {
      readRange(client, anyChunk());
    } else if (choice < 70) {
      writeOwn(client, random.nextInt(OWN_KEYS));
    } else if (choice < 82) {
      readOwn(client, own[random.nextInt(OWN_KEYS)]);
    } else if (choice < 88) {
      readAnyPlain(client);
    } else if (choice < 92) {
      writeShared(client);
    } else if (choice < 94) {
      deleteOwn(client, random.nextInt(OWN_KEYS));
    } else {
      deleteChunk(client);
    }
  }

  private String anyChunk() {
    return ClusterLoad.chunk(random.nextInt(ClusterLoad.CHUNKS));
  }

  private void storeChunk(RespClient client, String key) throws IOException {
    client.call("SET", key, ClusterLoad.chunkValue(key));
    client.call("SET", ClusterLoad.metadataKey(key), ClusterLoad.metadata(key));
    load.count("chunks stored");
  }

  private void readChunk(RespClient client, String key) throws IOException {
    byte[] metadata = client.bytes("GET", ClusterLoad.metadataKey(key));
    if (metadata != null && !Arrays.equals(metadata, ClusterLoad.metadata(key))) {
      throw new CheckedValue.WrongValue(
          "the metadata of '%s' is '%s'".formatted(key, new String(metadata)));
    }
    checkChunk(key, client.bytes("GET", key));
  }

  private void checkChunk(String key, byte @Nullable [] value) {
    load.count(value == null ? "chunks missed" : "chunks read");
    if (value != null) {
      CheckedValue.version(key, value);
    }
  }

  private void readChunks(RespClient client) throws IOException {
    List<Object> words = new ArrayList<>(List.of("MGET"));
    for (int i = 0; i < 4; i++) {
      words.add(anyChunk());
    }
    if (!(client.call(words.toArray()) instanceof List<?> values) || values.size() != 4) {
      throw new CheckedValue.WrongValue("MGET of 4 keys does not answer 4 values");
    }
    for (int i = 0; i < values.size(); i++) {
      checkChunk((String) words.get(i + 1), (byte[]) values.get(i));
    }
  }

  private void lookUp(RespClient client) throws IOException {
    int first = random.nextInt(ClusterLoad.CHUNKS - 8);
    List<Object> words = new ArrayList<>(List.of(random.nextBoolean() ? "EBB.MATCH" : "EXISTS"));
    for (int i = 0; i < 8; i++) {
      words.add(ClusterLoad.chunk(first + i));
    }
    long found = client.number(words.toArray());
    if (found < 0 || found > 8) {
      throw new CheckedValue.WrongValue(
          "%s of 8 keys answers %d".formatted(words.getFirst(), found));
    }
    load.count("lookups");
  }

  private void readRange(RespClient client, String key) throws IOException {
    byte[] all = ClusterLoad.chunkValue(key);
    int from = random.nextInt(all.length);
    int to = from + random.nextInt(all.length - from);
    byte[] part = client.bytes("GETRANGE", key, from, to);
    if (part != null
        && part.length > 0
        && !Arrays.equals(part, Arrays.copyOfRange(all, from, to + 1))) {
      throw new CheckedValue.WrongValue(
          "GETRANGE '%s' %d %d answers other bytes".formatted(key, from, to));
    }
    load.count("ranges read");
  }

  /** Stores a new version. Without an answer, the command may run at any later time. */
  private void writeOwn(RespClient client, int index) throws IOException {
    String key = own[index];
    long version = send(key);
    own[index] = newKey();
    client.call("SET", key, value(key, version));
    own[index] = key;
    confirmed.put(key, version);
    load.count("plain stored");
  }

  private long send(String key) {
    lastVersion++;
    return load.written
        .computeIfAbsent(key, any -> new AtomicLong())
        .accumulateAndGet(lastVersion, Math::max);
  }

  private byte[] value(String key, long version) {
    return CheckedValue.of(key, version, random.nextInt(LARGEST_PLAIN));
  }

  private void readOwn(RespClient client, String key) throws IOException {
    Long expected = confirmed.get(key);
    byte[] value = client.bytes("GET", key);
    if (value == null) {
      load.count("own missed");
      return;
    }
    load.count("own read");
    long version = CheckedValue.version(key, value);
    if (expected != null && version != expected) {
      throw new CheckedValue.WrongValue(
          "'%s' has version %d, and this client's last one is %d"
              .formatted(key, version, expected));
    }
  }

  private void readAnyPlain(RespClient client) throws IOException {
    List<String> keys = List.copyOf(load.written.keySet());
    if (keys.isEmpty()) {
      return;
    }
    String key = keys.get(random.nextInt(keys.size()));
    byte[] value = client.bytes("GET", key);
    if (value == null) {
      load.count("plain missed");
      return;
    }
    long version = CheckedValue.version(key, value);
    long newest = load.written.getOrDefault(key, new AtomicLong()).get();
    load.count(version == newest ? "plain read" : "plain read, not the newest");
    if (version > newest) {
      throw new CheckedValue.WrongValue(
          "'%s' has version %d, and %d is the last one".formatted(key, version, newest));
    }
  }

  /** Stores a version of a key that other clients store as well. */
  private void writeShared(RespClient client) throws IOException {
    String key = "shared:" + random.nextInt(SHARED_KEYS);
    long version = load.written.computeIfAbsent(key, any -> new AtomicLong()).incrementAndGet();
    client.call("SET", key, value(key, version));
    load.count("shared stored");
  }

  private void deleteOwn(RespClient client, int index) throws IOException {
    String key = own[index];
    own[index] = newKey();
    client.call("DEL", key);
    own[index] = key;
    confirmed.remove(key);
    byte[] value = client.bytes("GET", key);
    if (value != null) {
      throw new CheckedValue.WrongValue(
          "'%s' has version %d after DEL".formatted(key, CheckedValue.version(key, value)));
    }
    load.count("plain deleted");
  }

  /** Stores a chunk that only this client uses, deletes it on all nodes, and reads it on all. */
  private void deleteChunk(RespClient client) throws IOException {
    String key = ClusterLoad.chunk(1_000_000L * (number + 1) + generation++);
    client.call("SET", key, ClusterLoad.chunkValue(key));
    checkChunk(key, client.bytes("GET", key));
    // Of all nodes, so that no value is left if another node cannot be asked.
    client.call("DEL", key);
    List<EbbProcess> asked = load.cluster.running();
    for (EbbProcess each : asked) {
      if (!ask(each, "DEL", key)) {
        return;
      }
    }
    for (EbbProcess each : asked) {
      if (value(each, key).length > 0) {
        load.violation(each, "'%s' came back after DEL on %s".formatted(key, asked));
      }
    }
    load.deleted.add(key);
    load.count("chunks deleted");
  }

  private boolean ask(EbbProcess each, Object... words) {
    try (RespClient other = each.client(TIMEOUT_MILLIS)) {
      other.call(words);
      return true;
    } catch (IOException e) {
      load.count("deletions not confirmed");
    } catch (RespClient.ServerError e) {
      load.error(String.valueOf(e.getMessage()));
    }
    return false;
  }

  private byte[] value(EbbProcess each, String key) {
    try (RespClient other = each.client(TIMEOUT_MILLIS)) {
      byte[] value = other.bytes("GET", key);
      return value == null ? NONE : value;
    } catch (IOException | RespClient.ServerError e) {
      return NONE;
    }
  }
}
