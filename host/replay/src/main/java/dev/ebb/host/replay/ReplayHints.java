package dev.ebb.host.replay;

import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.cache.index.Retention.Range;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.optimum.FutureUses;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Hints whose worth a replay measures: each policy runs with and without them.
 *
 * @param accuracy the share of invented hints that are right; NaN for the hints of the trace
 */
public record ReplayHints(double accuracy) {

  private static final Pattern RETAIN = Pattern.compile("retain:(0(?:\\.\\d+)?|1(?:\\.0+)?)");
  private static final long SECOND = 1_000_000_000;
  private static final double LONGEST_SECONDS = 3_600;

  /**
   * Reads the option {@code --hints}.
   *
   * @throws UserError if it is wrong
   */
  public static ReplayHints parse(String text) {
    Matcher invented = RETAIN.matcher(text);
    if (!invented.matches() && !text.equals("trace")) {
      throw new UserError(
          "--hints: '%s' must be trace, for the hints of the trace, or retain: and the share of right hints from 0 to 1, such as retain:0.8"
              .formatted(text));
    }
    return new ReplayHints(
        text.equals("trace") ? Double.NaN : Double.parseDouble(invented.group(1)));
  }

  /**
   * Returns a trace with these hints.
   *
   * @throws UserError if they are those of the trace, and it has none
   */
  DecodedTrace hinted(DecodedTrace trace, FutureUses uses, int blockTokens, long seed) {
    if (!Double.isNaN(accuracy)) {
      return trace.withRetentions(invent(trace, uses, blockTokens, new SplittableRandom(seed)));
    }
    if (!trace.hasRetentions()) {
      throw new UserError(
          "--hints: 'trace' measures the hints of a trace, but no request of '%s' has kv_hints that retain blocks; use --hints retain:0.8, or a trace with them"
              .formatted(trace.name()));
    }
    return trace;
  }

  /**
   * Invents {@code kv.retain} of an orchestrator that knows which blocks return and when: the
   * sooner, the stronger. A wrong hint is missing where blocks return, and retains the whole prompt
   * where none does, as the last right one did.
   */
  private @Nullable Retention[] invent(
      DecodedTrace trace, FutureUses uses, int blockTokens, SplittableRandom random) {
    @Nullable Retention[] hints = new Retention[trace.requests()];
    long[] times = times(trace);
    int[] owners = owners(trace);
    Range typical = new Range(0, Integer.MAX_VALUE, Retention.STRONGEST / 2, 60 * SECOND);
    for (int request = 0; request < hints.length; request++) {
      List<Range> right = right(trace, uses, request, times, owners, blockTokens);
      boolean wrong = random.nextDouble() >= accuracy;
      List<Range> stated = !wrong ? right : right.isEmpty() ? List.of(typical) : List.of();
      if (!right.isEmpty()) {
        Range first = right.getFirst();
        typical = new Range(0, Integer.MAX_VALUE, first.strength(), first.durationNanos());
      }
      hints[request] = stated.isEmpty() ? null : new Retention("", times[request], stated);
    }
    return hints;
  }

  /** Returns a range for each run of blocks of a request that return together. */
  private static List<Range> right(
      DecodedTrace trace,
      FutureUses uses,
      int request,
      long[] times,
      int[] owners,
      int blockTokens) {
    List<Range> ranges = new ArrayList<>();
    int start = trace.start(request);
    int blocks = trace.start(request + 1) - start;
    for (int from = 0, to; from < blocks; from = to) {
      int returning = owner(uses.nextUse(start + from), owners);
      for (to = from + 1; to < blocks; to++) {
        if (owner(uses.nextUse(start + to), owners) != returning) {
          break;
        }
      }
      if (returning < 0) {
        break;
      }
      long nanos = Math.max(SECOND, times[returning] - times[request]);
      int strength = strength((double) nanos / SECOND);
      if (!ranges.isEmpty()) {
        strength = Math.min(strength, ranges.getLast().strength());
      }
      ranges.add(new Range(from * blockTokens, to * blockTokens, strength, nanos + SECOND));
    }
    return ranges;
  }

  /** Returns a strength that falls with the logarithm of the time until the return. */
  private static int strength(double seconds) {
    double share = Math.log(seconds) / Math.log(LONGEST_SECONDS);
    return Math.clamp(Math.round(Retention.STRONGEST * (1 - share)), 1, Retention.STRONGEST);
  }

  private static int owner(int reference, int[] owners) {
    return reference < 0 ? -1 : owners[reference];
  }

  private static long[] times(DecodedTrace trace) {
    long[] times = new long[trace.requests()];
    try (TraceCursor cursor = trace.cursor()) {
      for (int i = 0; cursor.next(); i++) {
        times[i] = cursor.request().timestampNanos();
      }
    }
    return times;
  }

  /** Returns the request of each reference. */
  private static int[] owners(DecodedTrace trace) {
    int[] owners = new int[trace.references()];
    for (int request = 0; request < trace.requests(); request++) {
      Arrays.fill(owners, trace.start(request), trace.start(request + 1), request);
    }
    return owners;
  }
}
