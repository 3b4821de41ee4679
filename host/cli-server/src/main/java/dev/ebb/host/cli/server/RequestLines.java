package dev.ebb.host.cli.server;

import dev.ebb.host.admin.stats.RequestsDocument;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lines about the requests of an engine. */
final class RequestLines {

  private static final TextTemplate<RequestsDocument.LimitChange> CHANGE =
      TextTemplate.of(
          RequestsDocument.LimitChange.class, "last from {from:count} to {to:count} at {time}");

  private static final TextTemplate<RequestsDocument> OF_LIMIT =
      TextTemplate.of(RequestsDocument.class, "{running:count} of {batchSize.limit:count}");

  private RequestLines() {}

  /** Returns a template that may use {@code ofLimit}, {@code lastChange} and {@code ended}. */
  static TextTemplate<RequestsDocument> template(String text) {
    return TextTemplate.of(
        RequestsDocument.class,
        text,
        new Computed<>("ofLimit", OF_LIMIT::line),
        new Computed<>("lastChange", requests -> lastChange(requests.batchSize().last())),
        new Computed<>("ended", RequestLines::ended));
  }

  private static @Nullable String lastChange(List<RequestsDocument.LimitChange> changes) {
    return changes.isEmpty() ? null : CHANGE.line(changes.getLast());
  }

  /** Returns how requests ended, without reasons that have not occurred. */
  private static String ended(RequestsDocument requests) {
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
}
