package dev.ebb.host.cli.replay;

import dev.ebb.host.replay.fit.FitReport;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.TextTemplate;
import java.util.List;
import java.util.stream.Stream;

/** The result of {@code ebb fit} for a terminal. */
final class FitLines {

  private static final TextTemplate<FitReport> HEAD =
      TextTemplate.of(
          FitReport.class,
          """
          {trace}: {requests:request|requests}, {references:block reference|block references}, {distinctBlocks:distinct block|distinct blocks}
          """);

  private static final Columns<FitReport.Point> LRU =
      Columns.of(
          FitReport.Point.class,
          """
          >LRU BLOCKS | {blocks:count}
          >RECORDED | {recorded:%.2f%%}
          >GENERATED | {generated:%.2f%%}
          >DIFFERENCE | {difference:%+.2f}
          """);

  private static final Columns<FitReport.Size> SIZES =
      Columns.of(
          FitReport.Size.class,
          """
          QUANTITY | {name}
          >RECORDED P50 | {recorded.p50:number}
          >P90 | {recorded.p90:number}
          >P99 | {recorded.p99:number}
          >GENERATED P50 | {generated.p50:number}
          >P90 | {generated.p90:number}
          >P99 | {generated.p99:number}
          """);

  private static final TextTemplate<FitReport> LARGEST =
      TextTemplate.of(
          FitReport.class,
          """

          largest difference of the LRU hit ratio: {largestHitRatioDifference.difference:%+.2f} points at {largestHitRatioDifference.blocks:block|blocks}
          largest difference of the reuse distances: {largestReuseDifference.difference:%+.2f} points of all reuses at distance {largestReuseDifference.blocks:count}
          """);

  private FitLines() {}

  static List<String> text(FitReport report) {
    return Stream.of(
            HEAD.lines(report),
            List.of(""),
            LRU.lines(report.lru()),
            List.of(""),
            SIZES.lines(report.sizes()),
            LARGEST.lines(report))
        .flatMap(List::stream)
        .toList();
  }
}
