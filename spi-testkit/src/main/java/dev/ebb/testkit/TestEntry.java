package dev.ebb.testkit;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entry for tests, freely adjustable: {@code TestEntry.of(1).depth(3).tenant("acme").created(0,
 * 1)}.
 *
 * @since 1.0.0
 */
public final class TestEntry extends Caller<TestEntry> implements Entry {

  private static final Set<String> OWN = Set.of(TestEntry.class.getName(), Caller.class.getName());

  /** The referee's record; null as long as no referee has it. */
  @Nullable Held held;

  private final long fingerprint;
  private int accesses = 1;
  private long createdNanos;
  private long createdTick;
  private long lastAccessNanos;
  private long lastAccessTick;
  private Origin origin = Origin.NEW;
  private int blocks = 1;
  private int depth;
  private boolean lastOfRequest;
  private int childrenSeen;
  private int[] windows = {0};

  /** The size of the object of each group; null if there is one group only. */
  private int @Nullable [] parts;

  /** A running request goes on from it. */
  boolean inUse;

  private long sequenceLength = -1;
  private long maxSequenceLength = -1;
  private int retention;
  private long retainedUntilNanos = Long.MAX_VALUE;

  private TestEntry(long fingerprint) {
    this.fingerprint = fingerprint;
  }

  /**
   * Returns a new entry of one block, created at tick 0, of normal priority and with nothing else
   * known.
   *
   * @param fingerprint its name; any number will do
   */
  public static TestEntry of(long fingerprint) {
    return new TestEntry(fingerprint);
  }

  /**
   * Sets when it became resident; it was accessed once then.
   *
   * @param nanos as {@link TestClock#nanos()}
   * @param tick as {@link TestClock#nextTick()}
   */
  public TestEntry created(long nanos, long tick) {
    createdNanos = nanos;
    createdTick = tick;
    lastAccessNanos = nanos;
    lastAccessTick = tick;
    accesses = 1;
    return this;
  }

  /**
   * Records one more access.
   *
   * @param nanos as {@link TestClock#nanos()}
   * @param tick as {@link TestClock#nextTick()}
   */
  public TestEntry used(long nanos, long tick) {
    lastAccessNanos = nanos;
    lastAccessTick = tick;
    accesses++;
    return this;
  }

  /**
   * Sets how the policy comes to hold it.
   *
   * @param value new or handed over
   */
  public TestEntry origin(Origin value) {
    origin = value;
    return this;
  }

  /**
   * Sets its size.
   *
   * @param value blocks, at least 1
   */
  public TestEntry blocks(int value) {
    blocks = value;
    return this;
  }

  /**
   * Makes it a chunk of a hybrid model, whose size is that of its objects.
   *
   * @param sizes the blocks of the object of each group; 0 if it is missing
   * @param windows for each group as {@link Entry#window}
   * @since 1.6.0
   */
  public TestEntry groups(int[] sizes, int... windows) {
    parts = sizes.clone();
    this.windows = windows.clone();
    blocks = Arrays.stream(sizes).sum();
    return this;
  }

  /** Removes the object of a group. */
  void thin(int group) {
    if (parts != null) {
      blocks -= parts[group];
      parts[group] = 0;
    }
  }

  /** Returns the first group whose object can be evicted alone; -1 if there is none. */
  int firstEvictable() {
    // Not a stream: for each eviction a model asks all entries.
    for (int group = 0; group < windows.length; group++) {
      if (partEvictable(group)) {
        return group;
      }
    }
    return -1;
  }

  /**
   * Sets how many blocks precede it.
   *
   * @param value 0 for the first
   */
  public TestEntry depth(int value) {
    depth = value;
    return this;
  }

  /**
   * Sets whether it ends a prompt.
   *
   * @param value true for the last block
   */
  public TestEntry lastOfRequest(boolean value) {
    lastOfRequest = value;
    return this;
  }

  /**
   * Sets how many children it ever had.
   *
   * @param value 0 or more
   */
  public TestEntry childrenSeen(int value) {
    childrenSeen = value;
    return this;
  }

  /**
   * Sets the sequence's length.
   *
   * @param value tokens, -1 if unknown
   */
  public TestEntry sequenceLength(long value) {
    sequenceLength = value;
    return this;
  }

  /**
   * Sets how long the sequence may become.
   *
   * @param value tokens, -1 if unknown
   */
  public TestEntry maxSequenceLength(long value) {
    maxSequenceLength = value;
    return this;
  }

  /**
   * Sets how strongly clients ask to keep it.
   *
   * @param strength 1 to 100, 0 for no such hint, -1 if it will not be needed soon
   * @param untilNanos when that ends, as {@link TestClock#nanos()}; {@link Long#MAX_VALUE}: never
   * @since 1.7.0
   */
  public TestEntry retained(int strength, long untilNanos) {
    retention = strength;
    retainedUntilNanos = untilNanos;
    return this;
  }

  // A real host recycles removed entries; reading one then gives nonsense.
  @Override
  TestEntry live() {
    if (held != null && held.gone) {
      throw new Violation(
          Rule.GONE, "entry %s was read after its removal%s".formatted(this, who()));
    }
    return this;
  }

  @Override
  TestEntry self() {
    return this;
  }

  private static String who() {
    return StackWalker.getInstance()
        .walk(calls -> calls.filter(call -> !OWN.contains(call.getClassName())).findFirst())
        .map(call -> ", by " + call.toStackTraceElement())
        .orElse("");
  }

  @Override
  public long fingerprint() {
    return live().fingerprint;
  }

  @Override
  public int accesses() {
    return live().accesses;
  }

  @Override
  public long createdNanos() {
    return live().createdNanos;
  }

  @Override
  public long createdTick() {
    return live().createdTick;
  }

  @Override
  public long lastAccessNanos() {
    return live().lastAccessNanos;
  }

  @Override
  public long lastAccessTick() {
    return live().lastAccessTick;
  }

  @Override
  public String toString() {
    return Long.toHexString(fingerprint);
  }

  @Override
  public Origin origin() {
    return live().origin;
  }

  @Override
  public int blocks() {
    return live().blocks;
  }

  @Override
  public int groups() {
    return live().windows.length;
  }

  @Override
  public int window(int group) {
    return live().windows[group];
  }

  @Override
  public int partBlocks(int group) {
    int[] sizes = live().parts;
    return sizes == null ? blocks : sizes[group];
  }

  @Override
  public boolean partEvictable(int group) {
    return groups() > 1 && windows[group] > 0 && partBlocks(group) > 0 && !inUse;
  }

  @Override
  public int depth() {
    return live().depth;
  }

  @Override
  public boolean lastOfRequest() {
    return live().lastOfRequest;
  }

  @Override
  public int childrenSeen() {
    return live().childrenSeen;
  }

  @Override
  public long sequenceLength() {
    return live().sequenceLength;
  }

  @Override
  public long maxSequenceLength() {
    return live().maxSequenceLength;
  }

  @Override
  public int retention() {
    return live().retention;
  }

  @Override
  public long retainedUntilNanos() {
    return live().retainedUntilNanos;
  }
}
