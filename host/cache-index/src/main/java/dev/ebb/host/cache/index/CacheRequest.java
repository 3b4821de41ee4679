package dev.ebb.host.cache.index;

import dev.ebb.host.group.SizedGroups;
import dev.ebb.spi.Request;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One use of the cache: the chain of block keys of a prompt, and, while the request runs, the
 * entries it holds. A caller makes one and refills it for each request.
 */
public final class CacheRequest implements Request {

  static final long UNKNOWN = -1;

  private long[] keys;
  private int blocks;
  private long inputTokens = -1;
  private long outputTokens = -1;
  private RequestFacts facts = RequestFacts.UNKNOWN;
  private List<? extends Request> waiting = List.of();

  /** The weight of each block in units of the policy; null if each weighs one. */
  private int @Nullable [] weights;

  /** Identifies a request that is reported in parts; 0 for one that is reported as a whole. */
  private long serial;

  /** Leading blocks that an earlier part of the request has counted. */
  private int counted;

  /** Leading blocks that an earlier part of the request has used or published. */
  private int used;

  /** Entries held, front to back: the matched ones, then the admitted ones. */
  CacheEntry[] path;

  public int matched;

  /** Leading blocks that were resident; as many as matched, unless the model is hybrid. */
  int resident;

  /** How many leading blocks it caches if there is room for them: its prompt ends there. */
  int end;

  /** Leading blocks of the prompt, where another prompt may branch off; 0 if it ends at the end. */
  int promptEnd;

  /**
   * The object groups of a hybrid model, with their weights; null if it has one group. Without a
   * getter: the compiler of the JVM inlines none whose class is not loaded, as without such a
   * model.
   */
  @Nullable SizedGroups groups;

  /** The same with the weights of all objects, also of those that the caller stores. */
  private @Nullable SizedGroups objects;

  /** Leading blocks in a known order; the others are in any order. */
  private int ordered;

  int held;

  /** Entries that the cache had made when the request began, or unknown. */
  long madeBefore = UNKNOWN;

  boolean running;

  public CacheRequest() {
    this(new long[128], new CacheEntry[64]);
  }

  private CacheRequest(long[] keys, CacheEntry[] path) {
    this.keys = keys;
    this.path = path;
  }

  /**
   * Returns what an {@link dev.ebb.host.cache.AccessListener} receives for a request, or part of
   * one, whose blocks are objects.
   *
   * @param keys low and high half of each key that is known so far, also of earlier parts
   * @param weights the weight of each block; 0 if it was missing and has not been stored
   * @param matched leading blocks that were found
   */
  public static CacheRequest report(RequestFacts facts, long[] keys, int[] weights, int matched) {
    CacheRequest report = new CacheRequest(keys, new CacheEntry[0]);
    report.facts = facts;
    report.weights = weights;
    report.blocks = weights.length;
    report.matched = matched;
    report.ordered = Integer.MAX_VALUE;
    return report;
  }

  /** Starts over. The length of the prompt in tokens is -1 if unknown. */
  public void reset(RequestFacts facts, long inputTokens) {
    if (running) {
      throw new IllegalStateException("the request is still running");
    }
    this.facts = facts;
    this.inputTokens = inputTokens;
    outputTokens = -1;
    blocks = 0;
    matched = 0;
    ordered = Integer.MAX_VALUE;
    waiting = List.of();
    if (serial != 0) {
      part(0, 0, 0);
    }
    promptEnd = 0;
  }

  /** Keeps the parts that a prompt needs which goes on after the first blocks, as for the end. */
  public void promptEnd(int blocks) {
    promptEnd = blocks;
  }

  /**
   * Makes the blocks those of a hybrid model: each weighs as much as the objects that it has. Holds
   * for later requests too. Objects of a group without weight are stored by the caller: {@link
   * dev.ebb.host.cache.BlockCache#weighPart}.
   */
  public void groups(@Nullable SizedGroups sized) {
    groups = sized;
    objects = sized;
  }

  /**
   * Sets the groups of a hybrid model with the weights of all objects, whoever stores them. Holds
   * for later requests too.
   */
  public void objects(@Nullable SizedGroups sized) {
    objects = sized;
  }

  /** Returns these groups, with the weights of all objects; null for a model with one. */
  public @Nullable SizedGroups objects() {
    return objects;
  }

  int unit() {
    return groups == null ? 1 : groups.whole();
  }

  /** Returns how many leading blocks were resident, but could not be used. */
  public int unusable() {
    return resident - matched;
  }

  /**
   * Sets the requests that wait behind this one, next first. They do not change until the request
   * ends, or for good where the policy has a thread of its own.
   */
  public void waiting(List<? extends Request> requests) {
    waiting = requests;
  }

  /**
   * Makes a report that of a part of a request. The serial, above 0, identifies the request at its
   * place. Earlier parts have counted, and used or published, so many leading blocks.
   */
  public void part(long serial, int counted, int used) {
    this.serial = serial;
    this.counted = counted;
    this.used = used;
  }

  /**
   * Appends a block. The key identifies it and all blocks before it; its lower half is well mixed,
   * because policies see it as the fingerprint.
   */
  public void add(long keyLow, long keyHigh) {
    if (2 * blocks == keys.length) {
      keys = Arrays.copyOf(keys, keys.length * 2);
      path = Arrays.copyOf(path, path.length * 2);
    }
    keys[2 * blocks] = keyLow;
    keys[2 * blocks + 1] = keyHigh;
    blocks++;
  }

  /** Appends a block with a key of 64 bits, from which the upper half of its key follows. */
  public void add(long key) {
    add(key, upperHalf(key));
  }

  /** Derives the upper half of a key in the cache from the lower half. */
  public static long upperHalf(long key) {
    return key * 0xC2B2AE3D27D4EB4FL;
  }

  /** Sets the length of the answer in tokens; -1 if unknown. */
  public void answered(long tokens) {
    outputTokens = tokens;
  }

  void ended(RequestFacts known) {
    facts = known;
  }

  /** Returns how many blocks were admitted behind the matched ones, adopted ones included. */
  public int admitted() {
    return held - matched;
  }

  public int held() {
    return held;
  }

  /**
   * Returns an entry that the request holds, to be used until {@link
   * dev.ebb.host.cache.BlockCache#finish} only.
   */
  public CacheEntry entry(int index) {
    return path[Objects.checkIndex(index, held)];
  }

  /**
   * Returns whether a block has its content. Asked between {@link
   * dev.ebb.host.cache.BlockCache#admit} and {@link BlockCache#finish}.
   *
   * @return true for matched and adopted blocks; for those that the request makes, true after
   *     {@link dev.ebb.host.cache.BlockCache#filled}
   */
  public boolean filled(int index) {
    return entry(index).filled;
  }

  /** Returns an immutable copy of the request, which holds no entries. */
  CacheRequest frozen() {
    CacheRequest copy = new CacheRequest(Arrays.copyOf(keys, 2 * blocks), new CacheEntry[0]);
    copy.blocks = blocks;
    copy.inputTokens = inputTokens;
    copy.outputTokens = outputTokens;
    copy.facts = facts;
    copy.objects = objects;
    copy.matched = matched;
    copy.ordered = ordered;
    copy.serial = serial;
    copy.counted = counted;
    copy.used = used;
    copy.waiting = waiting;
    return copy;
  }

  public long keyLow(int index) {
    return keys[2 * index];
  }

  public long keyHigh(int index) {
    return keys[2 * index + 1];
  }

  /** Returns the weight of a block, 1 or more; 0 if it was missing and has not been stored. */
  public int weight(int index) {
    return weights == null ? 1 : weights[index];
  }

  public long serial() {
    return serial;
  }

  public int counted() {
    return counted;
  }

  public int used() {
    return used;
  }

  public RequestFacts facts() {
    return facts;
  }

  @Override
  public int blocks() {
    return blocks;
  }

  @Override
  public int matched() {
    return matched;
  }

  boolean hasKey(int index, long keyLow) {
    return index < blocks && keyLow(index) == keyLow;
  }

  @Override
  public int reported() {
    return counted;
  }

  @Override
  public int ordered() {
    return Math.min(ordered, blocks);
  }

  /** Sets how many leading blocks are known to be in the order of the request. */
  public void ordered(int leading) {
    ordered = leading;
  }

  @Override
  public long fingerprint(int index) {
    return keys[2 * Objects.checkIndex(index, blocks)];
  }

  @Override
  public long inputTokens() {
    return inputTokens;
  }

  @Override
  public long outputTokens() {
    return outputTokens;
  }

  @Override
  public long sequenceId() {
    return facts.sequenceId();
  }

  @Override
  public int turn() {
    return facts.turn();
  }

  @Override
  public int priority() {
    return facts.priority();
  }

  @Override
  public @Nullable String tenant() {
    return facts.tenant();
  }

  @Override
  public @Nullable String workload() {
    return facts.workload();
  }

  @Override
  public int hint() {
    return facts.hint();
  }

  @Override
  public @Nullable String finishReason() {
    return facts.end().finishReason();
  }

  @Override
  public @Nullable String model() {
    return facts.end().model();
  }

  @Override
  public long returnAfterNanos() {
    return facts.end().returnNanos();
  }

  @Override
  public int retention(int index) {
    Retention stated = facts.end().retention();
    return stated == null ? Retention.NONE : stated.strength(Objects.checkIndex(index, blocks));
  }

  @Override
  public int waiting() {
    return waiting.size();
  }

  @Override
  public Request waiting(int index) {
    return waiting.get(index);
  }

  @Override
  public long lifetimeHintNanos() {
    return facts.lifetimeNanos();
  }

  @Override
  public double recomputeCost() {
    return facts.recomputeCost();
  }
}
