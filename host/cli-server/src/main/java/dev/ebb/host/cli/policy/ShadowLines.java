package dev.ebb.host.cli.policy;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Candidates for a terminal. */
public final class ShadowLines {

  private static final List<String> NONE =
      List.of("no policy runs beside the active one; start some with 'ebb policy shadow add'");

  private static final String CHUNKS =
      "all chunks of a prompt after its first missing one are misses; the hit ratio of 'ebb stats'"
          + " does not count them";

  private static final Columns<ShadowDocument.Candidate> STATES =
      Columns.of(
          ShadowDocument.Candidate.class,
          """
           | [{?active}*]
          POLICY | {policy}
          STATE | {state}
          >ACCESSES | {sampledAccesses:count}
          >ENTRIES | {sampledEntries:count}
          >NS/ACCESS | {nanosPerAccess:count}
          >NOT KEPT UP | {droppedAccesses:count}
          """);

  private ShadowLines() {}

  /** How far each is, and what it costs. */
  static List<String> states(ShadowDocument answer) {
    List<ShadowDocument.Candidate> candidates = answer.candidates();
    if (candidates.isEmpty()) {
      return NONE;
    }
    List<String> lines = new ArrayList<>(STATES.lines(candidates));
    lines.add("a sample of %s of the keys; * is active".formatted(Format.percent(answer.rate())));
    candidates.stream()
        .filter(each -> each.reason() != null)
        .forEach(each ->
            lines.add("%s: %s".formatted(Format.text(each.policy()), Format.text(each.reason()))));
    return lines;
  }

  /** What each would hit. */
  static List<String> comparison(ShadowDocument answer) {
    List<ShadowDocument.Candidate> candidates = answer.candidates();
    if (candidates.isEmpty()) {
      return NONE;
    }
    boolean chunksOnly = countsChunksOnly(answer);
    boolean chains = answer.prefixHitRatio() != null && !chunksOnly;
    Columns<ShadowDocument.Candidate> columns =
        Columns.of(
            ShadowDocument.Candidate.class,
            """
             | [{?active}*]
            POLICY | {policy}
            >%s | {hitRatio:percent}
            BAND | {band}
            >DIFFERENCE | {points}
            %s | {remark}
            """
                .formatted(
                    chunksOnly ? "PREFIX HITS" : "HIT RATIO",
                    chains ? ">PREFIX HITS | {prefixHitRatio:percent}\n" : ""),
            new Computed<>("band", each -> band(answer, each)),
            new Computed<>("points", each -> points(each.difference())),
            new Computed<>("remark", each -> remark(answer, each)));
    List<String> lines = new ArrayList<>(columns.lines(candidates));
    lines.addAll(counted(answer, chunksOnly));
    return lines;
  }

  /** What the active policy would hit with more and with less memory. */
  public static List<String> memory(ShadowDocument answer) {
    List<ShadowDocument.Candidate> sizes =
        answer.candidates().stream()
            .filter(each -> each.base().equals(answer.policy()))
            .sorted(Comparator.comparingDouble(ShadowDocument.Candidate::memory))
            .toList();
    boolean chunksOnly = countsChunksOnly(answer);
    Columns<ShadowDocument.Candidate> columns =
        Columns.of(
            ShadowDocument.Candidate.class,
            """
             | [{?active}*]
            >MEMORY | {capacityBytes:bytes}
             | {times}
            >%s | {hitRatio:percent}
            BAND | {band}
            >DIFFERENCE | {points}
             | {remark}
            """
                .formatted(chunksOnly ? "PREFIX HITS" : "HIT RATIO"),
            new Computed<>("times", ShadowLines::times),
            new Computed<>("band", each -> band(answer, each)),
            new Computed<>("points", each -> points(each.difference())),
            new Computed<>("remark", each -> remark(answer, each)));
    List<String> lines = new ArrayList<>(columns.lines(sizes));
    sizes.stream()
        .filter(each -> !each.active() && each.enough())
        .forEach(each -> lines.add(advice(answer, each, chunksOnly)));
    lines.addAll(counted(answer, chunksOnly));
    return lines;
  }

  private static String times(ShadowDocument.Candidate size) {
    return size.active() ? "1x" : size.policy().substring(size.base().length() + 1);
  }

  private static String advice(
      ShadowDocument answer, ShadowDocument.Candidate size, boolean chunksOnly) {
    double live = requireNonNull(answer.hitRatio());
    double low = 100 * (requireNonNull(size.low()) - live);
    double high = 100 * (requireNonNull(size.high()) - live);
    String points = size.memory() > 1 ? span(low, high) : span(-high, -low);
    return "%s would %s %s points of %s"
        .formatted(
            Format.bytes(size.capacityBytes()),
            size.memory() > 1 ? "bring" : "cost",
            points,
            chunksOnly ? "prefix hits" : "hits");
  }

  private static String span(double low, double high) {
    String from = String.format(Locale.ROOT, "%.1f", low);
    String to = String.format(Locale.ROOT, "%.1f", high);
    return from.equals(to) ? to : from + " to " + to;
  }

  private static List<String> counted(ShadowDocument answer, boolean chunksOnly) {
    String active = "* %s is active; ".formatted(Format.text(answer.policy()));
    if (answer.hitRatio() == null) {
      return List.of(
          active + "counting starts when the traffic of clients has filled all simulated caches");
    }
    String since = Format.moment(answer.since());
    String prefixHits = Format.percent(answer.prefixHitRatio());
    if (chunksOnly) {
      return List.of(
          active + "its counted prefix hits since %s are %s".formatted(since, prefixHits), CHUNKS);
    }
    String ratio =
        active
            + "its counted hit ratio since %s is %s"
                .formatted(since, Format.percent(answer.hitRatio()));
    return answer.prefixHitRatio() == null
        ? List.of(ratio)
        : List.of(
            ratio + ", its prefix hits " + prefixHits,
            "HIT RATIO has prefix hits for chunks of prompts, and hits for other values",
            CHUNKS);
  }

  /**
   * Returns whether all ratios are those of prefix hits when rounded: nearly all lookups are of
   * chunks of prompts.
   */
  private static boolean countsChunksOnly(ShadowDocument answer) {
    return isPrefixHitRatio(answer.hitRatio(), answer.prefixHitRatio())
        && answer.candidates().stream()
            .allMatch(each ->
                each.hitRatio() == null
                    || isPrefixHitRatio(each.hitRatio(), each.prefixHitRatio()));
  }

  private static boolean isPrefixHitRatio(@Nullable Double ratio, @Nullable Double prefixHits) {
    return ratio != null && prefixHits != null && Math.abs(ratio - prefixHits) < 0.0005;
  }

  /** A sample of all keys has no confidence interval. */
  private static @Nullable String band(ShadowDocument answer, ShadowDocument.Candidate candidate) {
    if (candidate.hitRatio() == null) {
      return null;
    }
    return Objects.equals(answer.rate(), 1.0)
        ? "none: all keys"
        : Format.percent(candidate.low()) + " to " + Format.percent(candidate.high());
  }

  private static @Nullable String points(@Nullable Double difference) {
    return difference == null ? null : String.format(Locale.ROOT, "%+.1f points", 100 * difference);
  }

  private static String remark(ShadowDocument answer, ShadowDocument.Candidate candidate) {
    return switch (candidate.state()) {
      case "failed" -> "failed: " + Format.text(candidate.reason());
      case "warming-up" -> "warming up";
      default -> candidate.enough() ? "" : "too few accesses yet" + rest(answer, candidate);
    };
  }

  /** Returns how long it takes until a sample is large enough, as fast as it has grown so far. */
  private static String rest(ShadowDocument answer, ShadowDocument.Candidate candidate) {
    long missing = candidate.neededAccesses() - candidate.sampledAccesses();
    if (answer.since() == null || candidate.sampledAccesses() == 0 || missing <= 0) {
      return "";
    }
    Duration counted = Duration.between(Instant.parse(answer.since()), Instant.now());
    double seconds = counted.toMillis() / 1e3 * missing / candidate.sampledAccesses();
    return seconds <= 0 ? "" : "; enough in about " + Format.seconds(Math.ceil(seconds));
  }
}
