package dev.ebb.host.cluster.change;

import dev.ebb.host.cluster.directory.HybridClock;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks other nodes for changes that this one has missed: at its start those since it was last a
 * member, and of a node that joins or returns those that it knows.
 *
 * <p>If no node knows all of them, the values on the disk are not used whose keys do not name their
 * content.
 */
public final class MissedChanges implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MissedChanges.class);

  /** Messages about changes arrive within this time, or their node is seen as lost. */
  private static final long MARGIN_MILLIS = 30_000;

  private static final long PAUSE_MILLIS = 200;
  private static final long CHECK_MILLIS = 1_000;
  private static final int NOTE_CHECKS = 10;

  /** After so many checks, a node that was paused knows that it was not a member meanwhile. */
  private static final int SETTLED_CHECKS = 60;

  private final NodeDisk disk;
  private final HybridClock clock;
  private final Supplier<List<Node>> others;
  private final Asking asking;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final Thread thread = Thread.ofVirtual().name("ebb-missed-changes").unstarted(this::run);
  private int attempts = 5;

  /** The nodes whose changes this one gets. */
  private final Set<Integer> known = new HashSet<>();

  /** For each node that has left, the version up to which its changes are known. */
  private final Map<Integer, Long> left = new HashMap<>();

  /** The versions of the last checks, the oldest first. */
  private final Deque<Long> checks = new ConcurrentLinkedDeque<>();

  private volatile boolean membersChanged;

  /** All older changes are known, or the values that they concern are not used. */
  private volatile long knownFrom;

  /** Nodes that have to be told that they do not know some changes. */
  private final Set<Integer> untold = ConcurrentHashMap.newKeySet();

  public interface Asking {

    /** Returns the answer to a message; null if the node does not answer. */
    byte @Nullable [] call(Node to, MessageType type, Item item) throws InterruptedException;

    /** Sends an item soon; returns whether there was room for it. */
    boolean send(int to, MessageType type, Item item);
  }

  private record Note(long knownUpTo, long cleared, long trustedFrom) {

    static Note of(byte @Nullable [] bytes) {
      if (bytes == null || bytes.length != 3 * Long.BYTES) {
        return new Note(0, 0, 0);
      }
      ByteBuffer noted = ByteBuffer.wrap(bytes);
      return new Note(noted.getLong(), noted.getLong(), noted.getLong());
    }

    byte[] bytes() {
      return ByteBuffer.allocate(3 * Long.BYTES)
          .putLong(knownUpTo)
          .putLong(cleared)
          .putLong(trustedFrom)
          .array();
    }
  }

  public MissedChanges(
      NodeDisk disk, HybridClock clock, Supplier<List<Node>> others, Asking asking) {
    this.disk = disk;
    this.clock = clock;
    this.others = others;
    this.asking = asking;
  }

  /** Reports to the other nodes that a client of this one has replaced a value. */
  public void replaced(byte[] key, long version) {
    disk.replacedHere(key, version);
    for (Node node : others.get()) {
      if (!asking.send(node.id(), MessageType.REPLACED, new Item(key, version))) {
        untold.add(node.id());
      }
    }
  }

  /** Starts to ask, and waits some time until the disk, if there is one, is in use. */
  public MissedChanges start(Duration most) {
    if (!disk.isOn()) {
      return this;
    }
    thread.start();
    try {
      var _ = begun.await(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    return this;
  }

  public void membersChanged() {
    membersChanged = true;
  }

  private void run() {
    try {
      begin();
      for (int count = 1; true; count++) {
        Thread.sleep(CHECK_MILLIS);
        check();
        checks.addLast(clock.last());
        if (checks.size() > SETTLED_CHECKS) {
          checks.removeFirst();
        }
        if (count % NOTE_CHECKS == 0) {
          note();
        }
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private void begin() throws InterruptedException {
    long now = clock.next();
    checks.add(now);
    Note note = Note.of(disk.values().noted());
    disk.cleared(note.cleared);
    disk.distrustBefore(note.trustedFrom);
    long from = now;
    for (Node node : others.get()) {
      Changes changes = ask(node, note.knownUpTo);
      if (changes != null) {
        from = Math.min(from, Math.max(note.knownUpTo, changes.from()));
        known.add(node.id());
      }
    }
    disk.journal.covers(from);
    knownFrom = now;
    boolean complete = from == note.knownUpTo;
    if (!complete) {
      disk.distrustBefore(now);
    }
    LOG.info(
        "disk tier joined nodes={} complete={}{}",
        known.size(),
        complete,
        complete ? "" : ": of values from before, those are used whose keys name their content");
    disk.ready();
    note();
    begun.countDown();
  }

  private @Nullable Changes ask(Node node, long since) throws InterruptedException {
    Item from = new Item(new byte[0], since);
    for (int attempt = 0; attempt < attempts; attempt++) {
      byte[] answer = asking.call(node, MessageType.CHANGES, from);
      if (answer != null) {
        Changes changes = Changes.decode(answer);
        apply(changes);
        return changes;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return null;
  }

  private void apply(Changes changes) {
    clock.observe(changes.cleared());
    try {
      if (disk.journal.clear(changes.cleared())) {
        disk.values().clearing();
        disk.values().clear().toCompletableFuture().join();
      }
      List<byte[]> immutable = new ArrayList<>();
      List<byte[]> versioned = new ArrayList<>();
      for (Item item : changes.floors()) {
        clock.observe(item.version());
        if (disk.journal.add(item.key(), item.version()) && disk.values().has(item.key())) {
          (ChunkKeys.isContentAddressed(item.key()) ? immutable : versioned).add(item.key());
        }
      }
      disk.values().delete(immutable).toCompletableFuture().join();
      // What is outdated is removed when it is looked at.
      disk.values().find(versioned).toCompletableFuture().join();
    } catch (CompletionException unrecorded) {
      LOG.warn("missed changes not recorded on the disk reason=\"{}\"", unrecorded.getMessage());
    }
  }

  private void check() throws InterruptedException {
    List<Node> now = others.get();
    Set<Integer> gone = new HashSet<>(known);
    if (!membersChanged) {
      now.forEach(node -> gone.remove(node.id()));
    }
    membersChanged = false;
    gone.forEach(id -> left.put(id, knownUpTo()));
    known.removeAll(gone);
    for (Node node : now) {
      if (untold.remove(node.id())
          && !asking.send(node.id(), MessageType.REPLACED, new Item(new byte[0], clock.next()))) {
        untold.add(node.id());
      }
      if (!known.contains(node.id())) {
        joined(node);
      }
    }
  }

  /** Asks a node for its changes; one that has not been a member before for all of them. */
  private void joined(Node node) throws InterruptedException {
    long since = left.getOrDefault(node.id(), 0L);
    Changes changes = ask(node, since);
    if (changes == null) {
      return;
    }
    known.add(node.id());
    left.remove(node.id());
    if (changes.forgotten() && changes.from() > since) {
      LOG.info("disk tier of this node has missed changes node={}", node.name());
      disk.distrustBefore(clock.next());
      note();
    }
  }

  private long knownUpTo() {
    return Math.max(knownFrom, HybridClock.before(checks.getFirst(), MARGIN_MILLIS));
  }

  private void note() {
    disk.values().note(new Note(knownUpTo(), disk.journal.cleared(), disk.trustedFrom()).bytes());
  }

  /** Asks once more, and notes what this node knows. */
  @Override
  public void close() {
    if (!disk.isOn()) {
      return;
    }
    thread.interrupt();
    try {
      thread.join();
      if (begun.getCount() > 0) {
        return;
      }
      long now = clock.next();
      membersChanged = true;
      attempts = 1;
      check();
      if (others.get().stream().allMatch(node -> known.contains(node.id()))) {
        knownFrom = now;
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    note();
  }
}
