package dev.ebb.host.replay.fit;

import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.replay.fit.ReuseProfile.RequestClass;
import dev.ebb.host.reuse.ReuseStack;
import dev.ebb.host.trace.BlockTokens;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceException;
import dev.ebb.host.trace.TraceRequest;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fits a {@link ReuseProfile} to a trace in one pass. Keeps some 50 bytes for each distinct block,
 * and for each request.
 */
public final class ProfileFitter {

  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int DEFAULT_BLOCK_TOKENS = 16;
  private static final int REPORT_EVERY = 1 << 10;

  private final Long2IntOpenHashMap blocks = new Long2IntOpenHashMap();
  private final ReuseStack stack = new ReuseStack();
  private final ReuseCurve curve = new ReuseCurve();
  private final BlockTokens blockTokens = new BlockTokens();
  private final Map<RequestClass, Long> classes = new HashMap<>();
  private final LogHistogram gaps = new LogHistogram();
  private final LogHistogram outputTokens = new LogHistogram();
  private final LogHistogram promptBlocks = new LogHistogram();
  private final LogHistogram sharedBlocks = new LogHistogram();
  private final LogHistogram distances = new LogHistogram();
  private final LogHistogram reuseMillis = new LogHistogram();
  private final LogHistogram addedBlocks = new LogHistogram();
  private final LogHistogram unsharedTokens = new LogHistogram();
  private long[] times = new long[1 << 10];
  private int[] prompt = new int[1 << 8];

  private ProfileFitter() {
    blocks.defaultReturnValue(ReuseStack.NONE);
  }

  /** The profile of a trace, and the exact distances of its references. */
  public record Fit(ReuseProfile profile, ReuseCurve curve) {}

  /**
   * Reads a trace to its end, or to a limit.
   *
   * @param blockTokens tokens of a full block; 0 to infer them
   * @throws TraceException if it cannot be read, or no block is used twice
   */
  public static Fit fit(
      String name, TraceCursor trace, long limit, int blockTokens, DecodedTrace.Progress progress) {
    ProfileFitter fitter = new ProfileFitter();
    while (trace.requestsRead() < limit && trace.next()) {
      if (trace.requestsRead() % REPORT_EVERY == 0) {
        progress.at(trace.requestsRead(), trace.fraction());
      }
      fitter.add(trace.request());
    }
    if (fitter.sharedBlocks.total() == 0) {
      throw new TraceException(
          "%s: no request shares its first block with an earlier one, so there is no reuse to fit;"
                  .formatted(name)
              + " take a longer trace, or check that equal prompts have equal ids");
    }
    return fitter.fit(blockTokens);
  }

  private Fit fit(int given) {
    curve.finish();
    long inferred = blockTokens.tokens();
    int tokens = inferred == BlockTokens.UNKNOWN ? DEFAULT_BLOCK_TOKENS : (int) inferred;
    List<RequestClass> sorted =
        classes.entrySet().stream()
            .map(each -> each.getKey().withCount(each.getValue()))
            .sorted(RequestClass.ORDER)
            .toList();
    return new Fit(
        new ReuseProfile(
            stack.requests(),
            given > 0 ? given : tokens,
            gaps,
            outputTokens,
            promptBlocks,
            sharedBlocks,
            distances,
            reuseMillis,
            addedBlocks,
            unsharedTokens,
            sorted),
        curve);
  }

  private void add(TraceRequest request) {
    int length = request.blocks();
    if (prompt.length < length) {
      prompt = new int[2 * length];
    }
    int shared = number(request);
    int added = length - shared;
    promptBlocks.add(length);
    if (length == 0) {
      unsharedTokens.add(Math.max(0, request.inputTokens()));
    }
    addedBlocks.add(added);
    curve.addNew(added);
    if (request.outputTokens() >= 0) {
      outputTokens.add(request.outputTokens());
    }
    blockTokens.observe(request);
    if (shared > 0) {
      addDistances(shared);
    }
    classes.merge(classOf(shared, added, request.timestampNanos()), 1L, Long::sum);
    time(request.timestampNanos());
    stack.add(prompt, length);
  }

  /** Numbers the blocks of a request, and returns how many at its front are not new. */
  private int number(TraceRequest request) {
    long key = 0;
    int shared = 0;
    for (int i = 0; i < request.blocks(); i++) {
      key = ReplayModel.PREFIX.key(key, request.id(i));
      int block = blocks.get(key);
      if (block == ReuseStack.NONE) {
        block = stack.addBlock();
        blocks.put(key, block);
      } else {
        shared++;
      }
      prompt[i] = block;
    }
    return shared;
  }

  private void addDistances(int shared) {
    int user = ReuseStack.NONE;
    long before = 0;
    for (int depth = 1; depth <= shared; depth++) {
      int last = stack.lastUser(prompt[depth - 1]);
      if (last != user) {
        user = last;
        before = stack.distance(user, depth) - depth;
      }
      curve.addReuse(before + depth);
    }
  }

  private RequestClass classOf(int shared, int added, long nanos) {
    if (shared == 0) {
      return new RequestClass(0, 0, 0, 0, 0, LogHistogram.step(added), 0);
    }
    int deepest = prompt[shared - 1];
    int user = stack.lastUser(deepest);
    long distance = stack.distance(user, shared);
    sharedBlocks.add(shared);
    distances.add(distance);
    reuseMillis.add((nanos - times[user]) / NANOS_PER_MILLI);
    return new RequestClass(
        LogHistogram.step(shared),
        LogHistogram.step(distance),
        LogHistogram.step(stack.reused(user)),
        LogHistogram.step(stack.uses(deepest)),
        LogHistogram.step(stack.length(user) - shared),
        LogHistogram.step(added),
        0);
  }

  private void time(long nanos) {
    int request = stack.requests();
    if (request > 0) {
      gaps.add((nanos - times[request - 1]) / NANOS_PER_MICRO);
    }
    if (request == times.length) {
      times = Arrays.copyOf(times, 2 * request);
    }
    times[request] = nanos;
  }
}
