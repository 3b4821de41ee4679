package dev.ebb.host.replay.fit;

import dev.ebb.host.replay.fit.ReuseProfile.RequestClass;
import dev.ebb.host.reuse.ReuseStack;
import org.jspecify.annotations.Nullable;

/** Finds the earlier request whose blocks a new one shares, by the reuse distance. */
final class SourceSearch {

  /** A match with this error or less is good enough. */
  static final double SMALL_ERROR = 0.25;

  /** The requests tried on either side of the distance. */
  private static final int REACH = 256;

  private static final double PER_SHARED = 4;

  /** Blocks that were reused are closer than the wanted distance. */
  private static final double PER_REUSED_STEP = 0.5;

  private static final double PER_STEP = 0.25;

  private final ReuseStack stack;
  private final PromptTree prompts;

  /**
   * An earlier request.
   *
   * @param shared blocks to share with it
   * @param error how different from the wanted ones; 0 for equal
   */
  record Source(int request, int shared, double error) {}

  SourceSearch(ReuseStack stack, PromptTree prompts) {
    this.stack = stack;
    this.prompts = prompts;
  }

  /**
   * Finds the closest match.
   *
   * @param shared blocks to share
   * @param distance reuse distance of the last of them
   * @param wanted the steps of its uses, and of the blocks behind it
   * @return null if there is no request yet
   */
  @Nullable Source find(long shared, long distance, RequestClass wanted) {
    int start = stack.requestAt(distance);
    if (start == ReuseStack.NONE) {
      return null;
    }
    Source best = null;
    int request = start;
    long before = stack.usedAfter(start);
    for (int i = 0; i < REACH && request != ReuseStack.NONE; i++) {
      best = better(best, source(request, before, shared, distance, wanted));
      before += stack.length(request) - stack.reused(request);
      request = stack.older(request);
    }
    before = stack.usedAfter(start);
    request = stack.newer(start);
    for (int i = 0; i < REACH && request != ReuseStack.NONE; i++) {
      before -= stack.length(request) - stack.reused(request);
      best = better(best, source(request, before, shared, distance, wanted));
      request = stack.newer(request);
    }
    return best;
  }

  private static Source better(@Nullable Source one, Source other) {
    return one == null || other.error() < one.error() ? other : one;
  }

  /** Returns how well a request matches, if only blocks are shared that no later one has used. */
  private Source source(
      int request, long before, long wantedShared, long wantedDistance, RequestClass wanted) {
    int reused = stack.reused(request);
    int length = stack.length(request);
    int shared = Math.clamp(wantedShared, reused + 1, length);
    long distance = before + shared - reused;
    double error =
        Math.abs(Math.log((double) distance / wantedDistance))
            + PER_SHARED * Math.abs(Math.log((double) shared / wantedShared))
            + PER_REUSED_STEP * Math.abs(LogHistogram.step(reused) - wanted.reused())
            + PER_STEP * Math.abs(LogHistogram.step(length - shared) - wanted.left());
    if (shared == wantedShared) {
      int uses = stack.uses(prompts.block(request, shared));
      error += PER_STEP * Math.abs(LogHistogram.step(uses) - wanted.uses());
    }
    return new Source(request, shared, error);
  }
}
