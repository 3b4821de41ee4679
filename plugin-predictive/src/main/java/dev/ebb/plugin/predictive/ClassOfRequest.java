package dev.ebb.plugin.predictive;

import dev.ebb.spi.Request;
import java.util.Arrays;

/** Sorts the blocks of one request into classes, one cohort for each. */
final class ClassOfRequest {

  private final PredictiveSettings settings;
  private final Cohorts cohorts;
  private int[] classes = new int[32];
  private int[] opened = new int[32];
  private int size;
  private int shared;
  private int blocks;
  private int ordered;
  private long now;
  private int number;

  ClassOfRequest(PredictiveSettings settings, Cohorts cohorts) {
    this.settings = settings;
    this.cohorts = cohorts;
  }

  void start(RunningRequest request, long outputTokens, long time) {
    size = 0;
    number = number == Integer.MAX_VALUE ? 1 : number + 1;
    blocks = request.blocks();
    ordered = request.ordered();
    now = time;
    shared = shared(request.known(), blocks, outputTokens, request.hint());
  }

  /**
   * Returns the class of a block of a request that still runs, as far as it is known.
   *
   * @param known its leading blocks that were resident or ghosts
   */
  int expected(Request request, int known, int index, int uses) {
    int blocks = request.blocks();
    int ofRequest = shared(known, blocks, -1, CallerHint.group(request));
    return blockClass(ofRequest, index, request.ordered(), blocks, uses);
  }

  private int shared(int known, int length, long outputTokens, int hint) {
    int groups = settings.factors().groups();
    return BlockClass.request(
        groups >= 6 ? BlockClass.matchGroup(known, length) : 0,
        groups >= 6 ? BlockClass.newsGroup(length - known) : 0,
        groups >= 7 ? BlockClass.outputGroup(outputTokens) : 0,
        settings.hint() ? hint : 0);
  }

  private static int blockClass(int shared, int index, int ordered, int blocks, int uses) {
    // Blocks in an unknown order are all expected to be in the middle of them.
    int place = index < ordered ? index : (ordered + blocks - 1) / 2;
    return BlockClass.of(shared, blocks - 1 - place, uses, place);
  }

  /** Returns the class of a block of that request. */
  int of(int index, int uses) {
    return blockClass(shared, index, ordered, blocks, uses);
  }

  /** Returns the cohort of a block of that request, which it joins. */
  int cohort(int index, int uses) {
    int blockClass = blockClass(shared, index, ordered, blocks, uses);
    if (blocks == 1) {
      return cohorts.joinAlone(blockClass, now);
    }
    int at = size - 1;
    while (at >= 0 && classes[at] != blockClass) {
      at--;
    }
    if (at < 0) {
      at = add(blockClass);
    } else if (!cohorts.holds(opened[at], blockClass, now)) {
      // All its blocks have been forgotten meanwhile.
      opened[at] = cohorts.open(blockClass, now, number);
    }
    cohorts.join(opened[at]);
    return opened[at];
  }

  private int add(int blockClass) {
    if (size == classes.length) {
      classes = Arrays.copyOf(classes, size * 2);
      opened = Arrays.copyOf(opened, size * 2);
    }
    classes[size] = blockClass;
    opened[size] = cohorts.open(blockClass, now, number);
    return size++;
  }
}
