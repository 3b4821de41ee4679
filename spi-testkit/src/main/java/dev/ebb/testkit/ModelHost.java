package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A naive host: random traffic over a {@link ModelCache}, with every possible event in between. Its
 * actions depend on its seed and the policy's answers alone.
 */
final class ModelHost {

  private static final int MOST_READERS = 4;

  /** The kind of cached content. */
  enum Kind {
    /** Blocks of prompts, all of one size, under the leaf rule. */
    PROMPTS,
    /** Chunks of prompts of a hybrid model: attention, and a state that can be evicted alone. */
    CHUNKS,
    /** Objects of several sizes, without the leaf rule. */
    OBJECTS
  }

  private final Kind kind;
  private final BlockPolicyProvider provider;
  private final CheckSettings settings;
  private final SplittableRandom random;
  private final Traffic traffic;
  private final TestClock clock = new TestClock();
  private final int normalCapacity;
  private final ModelCache cache;
  private final ArrayDeque<List<ModelBlock>> readers = new ArrayDeque<>();

  ModelHost(
      Kind kind, int capacity, BlockPolicyProvider provider, CheckSettings settings, long seed) {
    this.kind = kind;
    this.provider = provider;
    this.settings = settings;
    random = new SplittableRandom(seed);
    traffic = new Traffic(random.split());
    normalCapacity = capacity;
    cache = new ModelCache(capacity, referee(capacity));
  }

  private Referee referee(long capacity) {
    TestContext context = settings.context(capacity, random.nextLong(), clock);
    return new Referee(Calls.create(provider::create, context), context);
  }

  ModelCache cache() {
    return cache;
  }

  void step() {
    clock.advance(Duration.ofMillis(random.nextInt(5_000)));
    switch (random.nextInt(100)) {
      case 0 -> cache.resize(1 + random.nextInt(2 * normalCapacity));
      case 1 -> cache.resize(normalCapacity);
      case 2 -> cache.handOver(referee(cache.capacity()));
      case 3, 4 -> any().ifPresent(this::delete);
      case 5, 6, 7 -> any().ifPresent(this::read);
      case 8, 9 -> cache.evict(cache.capacity() / 4, Demand.Reason.BACKGROUND, TestRequest.of());
      case 10 -> any().ifPresent(block -> cache.referee().inspect(block.held()));
      case 11 -> passBy(request());
      default -> serve(request());
    }
    if (readers.size() > MOST_READERS || (!readers.isEmpty() && random.nextInt(4) == 0)) {
      readers.remove().forEach(cache::unpin);
    }
  }

  /** Ends all reads, empties the cache and closes the policy. */
  void finish() {
    readers.forEach(path -> path.forEach(cache::unpin));
    readers.clear();
    cache.clear();
    if (!cache.isEmpty()) {
      throw new IllegalStateException("there are blocks that cannot leave");
    }
    cache.referee().close();
  }

  private TestRequest request() {
    return kind == Kind.OBJECTS ? traffic.object(8 * normalCapacity) : traffic.prompt();
  }

  private int blocks(long fingerprint) {
    return switch (kind) {
      case PROMPTS -> 1;
      case CHUNKS -> 3;
      case OBJECTS -> 1 + (int) (fingerprint & 3);
    };
  }

  private TestEntry entry(long fingerprint) {
    TestEntry entry = TestEntry.of(fingerprint);
    return kind == Kind.CHUNKS
        ? entry.groups(new int[] {1, 2}, 0, 1)
        : entry.blocks(blocks(fingerprint));
  }

  private Optional<ModelBlock> any() {
    List<Held> held = cache.referee().held();
    return held.isEmpty()
        ? Optional.empty()
        : Optional.of(cache.block(held.get(random.nextInt(held.size()))));
  }

  private void passBy(TestRequest request) {
    request.matched(cache.matched(request).size());
    cache.referee().began(request);
    cache.referee().ended(request);
  }

  /**
   * Serves a request as an engine and a replay do, or as a server does, which asks about blocks
   * while they are stored, and receives the request when it is over.
   */
  private void serve(TestRequest request) {
    boolean stored = random.nextBoolean();
    List<ModelBlock> path = cache.matched(request);
    request.matched(path.size());
    if (stored && kind == Kind.OBJECTS) {
      store(request, path);
      return;
    }
    if (!stored) {
      cache.referee().began(request);
    }
    path.forEach(cache::pin);
    long wanted = 0;
    int first = path.size();
    for (int i = path.size(); i < request.blocks(); i++) {
      wanted += blocks(request.fingerprint(i));
      first += cache.hasRoom(wanted) ? 1 : 0;
    }
    cache.evictFor(request, Math.min(wanted, cache.capacity()), first);
    admit(request, path);
    if (stored) {
      cache.referee().began(request);
    }
    path.reversed().forEach(block -> use(block, request));
    cache.referee().ended(request.outputTokens(random.nextInt(1_000) - 1));
    if (random.nextInt(6) == 0) {
      readers.add(path);
    } else {
      path.forEach(cache::unpin);
    }
  }

  /** Serves an object of no request. It is cached before the policy decides on it. */
  private void store(TestRequest request, List<ModelBlock> found) {
    if (!found.isEmpty()) {
      use(found.getFirst(), request);
      return;
    }
    long fingerprint = request.fingerprint(0);
    cache.referee().lookupMissed(fingerprint);
    cache.evict(blocks(fingerprint), Demand.Reason.ALLOCATION, request);
    TestEntry entry = entry(fingerprint);
    ModelBlock block = new ModelBlock(entry, null);
    if (cache.admit(block)) {
      use(block, request);
      if (random.nextBoolean()) {
        cache.decideOn(block, request);
      }
    }
  }

  /** Adds the missed blocks, front to back, as far as there is room. */
  private void admit(TestRequest request, List<ModelBlock> path) {
    for (int i = path.size(); i < request.blocks(); i++) {
      long fingerprint = request.fingerprint(i);
      TestEntry entry = entry(fingerprint).depth(i);
      ModelBlock block = new ModelBlock(entry, path.isEmpty() ? null : path.getLast());
      if (!cache.admit(block)) {
        return;
      }
      path.add(block);
      cache.pin(block);
    }
  }

  private void use(ModelBlock block, TestRequest by) {
    block
        .entry
        .sequenceId(by.sequenceId())
        .turn(by.turn())
        .tenant(by.tenant())
        .workload(by.workload())
        .priority(by.priority())
        .hint(by.hint())
        .lifetimeHintNanos(by.lifetimeHintNanos())
        .recomputeCost(by.recomputeCost())
        .lastOfRequest(block.entry.depth() == by.blocks() - 1)
        .sequenceLength(by.inputTokens());
    cache.use(block);
  }

  /** Removes a block and all that builds on it, unless some of it is being read. */
  private void delete(ModelBlock root) {
    List<ModelBlock> subtree = cache.subtree(root);
    if (subtree.stream().anyMatch(block -> block.pins > 0)) {
      return;
    }
    RemovalCause[] causes = RemovalCause.values();
    RemovalCause cause = causes[random.nextInt(causes.length)];
    long fingerprint = root.entry.fingerprint();
    subtree.forEach(block -> cache.drop(block, cause));
    if (cause == RemovalCause.REPLACED && kind == Kind.OBJECTS) {
      serve(TestRequest.of(fingerprint));
    }
  }

  /** Pins a block and all its ancestors for a while. */
  private void read(ModelBlock last) {
    List<ModelBlock> path = new ArrayList<>();
    for (ModelBlock at = last; at != null; at = at.parent) {
      cache.pin(at);
      path.add(at);
    }
    readers.add(path);
  }
}
