package dev.ebb.host.trace;

import dev.ebb.host.cache.index.Retention;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of many requests, one growing array per field. Each label is stored once. */
final class RequestColumns {

  private static final int NO_LABEL = -1;
  private static final int MOST = Integer.MAX_VALUE - 8;

  long[] ids = new long[1 << 12];

  /**
   * The index of a request's first id; the element behind the last request is the end of its ids.
   */
  int[] starts = new int[1 << 8];

  long[] timestamps = new long[1 << 8];
  long[] inputTokens = new long[1 << 8];
  long[] outputTokens = new long[1 << 8];
  long[] sequenceIds = new long[1 << 8];
  int[] turns = new int[1 << 8];
  int[] tenants = new int[1 << 8];
  int[] workloads = new int[1 << 8];
  int[] priorities = new int[1 << 8];
  int[] hints = new int[1 << 8];
  int[] finishReasons = new int[1 << 8];
  int[] models = new int[1 << 8];
  long[] returns = new long[1 << 8];
  long[] lifetimes = new long[1 << 8];
  double[] recomputeCosts = new double[1 << 8];
  int[] groups = new int[1 << 8];
  @Nullable Retention[] retentions = new Retention[1 << 8];

  private int requests;
  private final List<String> labels = new ArrayList<>();
  private final Object2IntOpenHashMap<String> labelNumbers = new Object2IntOpenHashMap<>();

  RequestColumns() {
    labelNumbers.defaultReturnValue(NO_LABEL);
  }

  int requests() {
    return requests;
  }

  /** Returns the object groups that requests name, in the order of the first one. */
  List<String> groups() {
    return Arrays.stream(groups, 0, requests)
        .filter(number -> number != NO_LABEL)
        .distinct()
        .mapToObj(labels::get)
        .toList();
  }

  private @Nullable String label(int number) {
    return number == NO_LABEL ? null : labels.get(number);
  }

  void add(String trace, TraceRequest request) {
    int start = starts[requests];
    int blocks = request.blocks();
    if (start > MOST - blocks || requests == MOST - 1) {
      throw new TraceException(
          "%s: holds more than %d block references; replay less with --limit"
              .formatted(trace, MOST));
    }
    if (start + blocks > ids.length) {
      ids = Arrays.copyOf(ids, grown(ids.length, start + blocks));
    }
    if (requests + 2 > starts.length) {
      resize(grown(starts.length, requests + 2));
    }
    System.arraycopy(request.ids(), request.from(), ids, start, blocks);
    timestamps[requests] = request.timestampNanos();
    inputTokens[requests] = request.inputTokens();
    outputTokens[requests] = request.outputTokens();
    sequenceIds[requests] = request.sequenceId();
    turns[requests] = request.turn();
    tenants[requests] = number(request.tenant());
    workloads[requests] = number(request.workload());
    priorities[requests] = request.priority();
    hints[requests] = request.hint();
    finishReasons[requests] = number(request.finishReason());
    models[requests] = number(request.model());
    returns[requests] = request.returnNanos();
    lifetimes[requests] = request.lifetimeNanos();
    recomputeCosts[requests] = request.recomputeCost();
    groups[requests] = number(request.groups());
    retentions[requests] = request.retention();
    requests++;
    starts[requests] = start + blocks;
  }

  void label(int at, String workload) {
    workloads[at] = number(workload);
  }

  /** Reads a request; its ids are not copied. */
  void read(int at, TraceRequest to) {
    to.ids = ids;
    to.from = starts[at];
    to.blocks = starts[at + 1] - starts[at];
    to.timestampNanos = timestamps[at];
    to.inputTokens = inputTokens[at];
    to.outputTokens = outputTokens[at];
    to.sequenceId = sequenceIds[at];
    to.turn = turns[at];
    to.tenant = label(tenants[at]);
    to.workload = label(workloads[at]);
    to.priority = priorities[at];
    to.hint = hints[at];
    to.finishReason = label(finishReasons[at]);
    to.model = label(models[at]);
    to.returnNanos = returns[at];
    to.lifetimeNanos = lifetimes[at];
    to.recomputeCost = recomputeCosts[at];
    to.groups = label(groups[at]);
    to.retention = retentions[at];
  }

  void trim() {
    ids = Arrays.copyOf(ids, starts[requests]);
    resize(requests + 1);
  }

  private static int grown(int length, int needed) {
    return Math.clamp((long) length + (length >> 1), needed, MOST);
  }

  private void resize(int length) {
    starts = Arrays.copyOf(starts, length);
    timestamps = Arrays.copyOf(timestamps, length);
    inputTokens = Arrays.copyOf(inputTokens, length);
    outputTokens = Arrays.copyOf(outputTokens, length);
    sequenceIds = Arrays.copyOf(sequenceIds, length);
    turns = Arrays.copyOf(turns, length);
    tenants = Arrays.copyOf(tenants, length);
    workloads = Arrays.copyOf(workloads, length);
    priorities = Arrays.copyOf(priorities, length);
    hints = Arrays.copyOf(hints, length);
    finishReasons = Arrays.copyOf(finishReasons, length);
    models = Arrays.copyOf(models, length);
    returns = Arrays.copyOf(returns, length);
    lifetimes = Arrays.copyOf(lifetimes, length);
    recomputeCosts = Arrays.copyOf(recomputeCosts, length);
    groups = Arrays.copyOf(groups, length);
    retentions = Arrays.copyOf(retentions, length);
  }

  private int number(@Nullable String label) {
    if (label == null) {
      return NO_LABEL;
    }
    int known = labelNumbers.getInt(label);
    if (known != NO_LABEL) {
      return known;
    }
    labels.add(label);
    labelNumbers.put(label, labels.size() - 1);
    return labels.size() - 1;
  }
}
