package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.StrategyDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.cli.output.HoconText;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Policy switches for a terminal: two lines each, and why one failed. */
public final class SwitchTable {

  private static final int HASH_DIGITS = 12;

  private static final TextTemplate<SwapDocument> SWITCH =
      TextTemplate.of(
          SwapDocument.class,
          """
          {number}  {time:moment}  {before} -> {after}[ {values}]  ({cause}[: {detail}])[{!published}  FAILED]
          [    {steps}]
          [{?failedStep}    failed in {failedStep}: {failure}]
          [{?held}    the old JAR is still in memory: something of it is still used]
          """,
          new Computed<>("before", each -> policy(each.from())),
          new Computed<>("after", each -> policy(each.to())),
          new Computed<>(
              "values", each -> each.settings().isEmpty() ? "" : HoconText.of(each.settings())),
          new Computed<>("steps", SwitchTable::steps),
          new Computed<>("held", each -> "held".equals(each.loader())));

  private SwitchTable() {}

  /** The lines for the document of {@code GET /api/v1/plugins/history}. */
  public static List<String> lines(SwapDocument.History document) {
    return document.history().stream().flatMap(each -> SWITCH.lines(each).stream()).toList();
  }

  /** A policy with its plugin, version and the first digits of the hash. */
  static String policy(StrategyDocument strategy) {
    if (strategy.plugin() == null) {
      return Format.text(strategy.policy());
    }
    String hash = Format.text(strategy.sha256());
    return "%s (%s %s, %s)"
        .formatted(
            Format.text(strategy.policy()),
            Format.text(strategy.plugin()),
            Format.text(strategy.version()),
            hash.substring(0, Math.min(HASH_DIGITS, hash.length())));
  }

  private static String steps(SwapDocument record) {
    return record.stepMillis().entrySet().stream()
        .map(step -> String.format(Locale.ROOT, "%s %.1f ms", step.getKey(), step.getValue()))
        .collect(Collectors.joining(", "));
  }
}
