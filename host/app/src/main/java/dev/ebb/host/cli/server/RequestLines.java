package dev.ebb.host.cli.server;

import dev.ebb.host.admin.stats.RequestsDocument;
import dev.ebb.host.cli.output.Format;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lines about the requests of an engine. */
final class RequestLines {

  private RequestLines() {}

  /** Returns the limit, its reason, and the last change. */
  static String batchSize(RequestsDocument.BatchSize size) {
    String reason = size.reason() == null ? "" : ": " + Format.text(size.reason());
    List<RequestsDocument.LimitChange> last = size.last();
    String changes =
        last.isEmpty()
            ? ""
            : "; changed %s, last from %s to %s at %s"
                .formatted(
                    Format.count(size.changes(), "time", "times"),
                    Format.count(last.getLast().from()),
                    Format.count(last.getLast().to()),
                    Format.text(last.getLast().time()));
    return Format.count(size.limit()) + reason + changes;
  }

  /** Returns how requests ended, without reasons that have not occurred. */
  static String ended(RequestsDocument requests) {
    String finished = counts(requests.finished());
    String refused = counts(requests.refused());
    return (finished.isEmpty() ? "none" : finished)
        + (refused.isEmpty() ? "" : "; refused: " + refused);
  }

  private static String counts(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .filter(each -> each.getValue() > 0)
        .map(each -> "%s %s".formatted(Format.count(each.getValue()), Format.text(each.getKey())))
        .collect(Collectors.joining(", "));
  }

  static String latency(RequestsDocument.Latency latency) {
    return "p50 %10s   p99 %10s   %s in all"
        .formatted(time(latency.p50()), time(latency.p99()), Format.count(latency.count()));
  }

  private static String time(@Nullable Double seconds) {
    return seconds == null ? Format.UNKNOWN : Format.seconds(seconds);
  }
}
