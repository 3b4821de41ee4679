package dev.ebb.host.replay.fit;

import dev.ebb.host.replay.fit.ReuseProfile.RequestClass;
import dev.ebb.host.reuse.FenwickTree;
import dev.ebb.host.reuse.ReuseStack;
import dev.ebb.host.trace.SizedTraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * A trace generated from a {@link ReuseProfile}: each request begins with blocks of an earlier one
 * at a similar reuse distance, or with none. Equal profiles, options and seeds give equal traces.
 * Keeps some 10 bytes for each distinct block and 40 for each request.
 *
 * <p>Classes of requests are drawn without replacement, so that their shares are those of the
 * recorded trace. A class that needs more history than there is, such as a long distance, is drawn
 * again later.
 */
public final class FittedTrace extends SizedTraceCursor {

  private static final int ATTEMPTS = 8;

  /** The weight of one request, so that shares of a request can be drawn too. */
  private static final long UNIT = 1 << 10;

  private static final SourceSearch.Source NOTHING_SHARED =
      new SourceSearch.Source(ReuseStack.NONE, 0, 0);
  private static final double NANOS_PER_MICRO = 1_000;
  private static final double MICROS_PER_SECOND = 1e6;

  private final ReuseProfile profile;
  private final double nanosPerGapMicro;
  private final int blockTokens;
  private final RandomGenerator random;
  private final FenwickTree urn = new FenwickTree();
  private final ReuseStack stack = new ReuseStack();
  private final PromptTree prompts = new PromptTree();
  private final SourceSearch search = new SourceSearch(stack, prompts);
  private int[] prompt = new int[1 << 8];
  private double nanos;

  /**
   * Creates a trace before its first request.
   *
   * @param requests how many requests it has; 0 for as many as the recorded trace
   * @param requestsPerSecond the average arrival rate; 0 for that of the recorded trace
   * @param blockTokens tokens of a full block; 0 for those of the recorded trace
   */
  public FittedTrace(
      ReuseProfile profile, long requests, double requestsPerSecond, int blockTokens, long seed) {
    super(requests == 0 ? profile.requests() : requests);
    this.profile = profile;
    this.blockTokens = blockTokens == 0 ? profile.blockTokens() : blockTokens;
    double scale =
        requestsPerSecond == 0
            ? 1
            : MICROS_PER_SECOND / requestsPerSecond / Math.max(1, profile.gaps().mean());
    this.nanosPerGapMicro = NANOS_PER_MICRO * scale;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  @Override
  protected void fill(long index, TraceRequest next) {
    if (index > 0) {
      nanos += profile.gaps().draw(random) * nanosPerGapMicro;
    }
    generate(next);
    next.timestampNanos = (long) nanos;
    next.inputTokens =
        next.blocks == 0
            ? profile.unsharedTokens().draw(random)
            : (long) next.blocks * blockTokens - random.nextLong(blockTokens);
    next.outputTokens =
        profile.outputTokens().total() == 0
            ? TraceRequest.UNKNOWN
            : profile.outputTokens().draw(random);
  }

  private void generate(TraceRequest next) {
    if (urn.total() == 0) {
      fillUrn();
    }
    SourceSearch.@Nullable Source best = null;
    int bestClass = -1;
    for (int i = 0; i < ATTEMPTS; i++) {
      int drawn = urn.find(1 + random.nextLong(urn.total()));
      SourceSearch.@Nullable Source found = source(profile.classes().get(drawn));
      if (found != null && (best == null || found.error() < best.error())) {
        best = found;
        bestClass = drawn;
      }
      if (best != null && best.error() <= SourceSearch.SMALL_ERROR) {
        break;
      }
    }
    if (best == null) {
      bestClass = firstWithoutSharing();
      best = NOTHING_SHARED;
    }
    take(bestClass);
    RequestClass chosen = profile.classes().get(bestClass);
    append(next, best, Math.toIntExact(profile.addedBlocks().draw(random, chosen.added())));
  }

  private void fillUrn() {
    List<RequestClass> classes = profile.classes();
    double share = (double) requests / profile.requests();
    for (int i = 0; i < classes.size(); i++) {
      urn.add(i, Math.max(1, Math.round(classes.get(i).count() * share * UNIT)));
    }
  }

  private void take(int drawn) {
    long weight = urn.sum(drawn + 1) - urn.sum(drawn);
    urn.add(drawn, -Math.min(weight, UNIT));
  }

  private SourceSearch.@Nullable Source source(RequestClass wanted) {
    if (wanted.shared() == 0) {
      return NOTHING_SHARED;
    }
    long shared = profile.sharedBlocks().draw(random, wanted.shared());
    long distance = profile.distances().draw(random, wanted.distance());
    return search.find(shared, Math.max(shared, distance), wanted);
  }

  private int firstWithoutSharing() {
    int at = 0;
    while (!profile.classes().get(at).isNew()) {
      at++;
    }
    return at;
  }

  private void append(TraceRequest next, SourceSearch.Source source, int added) {
    int shared = source.shared();
    int blocks = shared + added;
    if (prompt.length < blocks) {
      prompt = new int[2 * blocks];
    }
    prompts.copy(source.request(), shared, prompt);
    prompts.add(source.request(), shared, stack.blocks());
    for (int i = shared; i < blocks; i++) {
      prompt[i] = stack.addBlock();
    }
    stack.add(prompt, blocks);
    next.blocks = 0;
    for (int i = 0; i < blocks; i++) {
      next.addId(prompt[i]);
    }
  }
}
