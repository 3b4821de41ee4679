package dev.ebb.host.admin.policy;

import dev.ebb.host.http.View;
import dev.ebb.host.switching.Quarantine;
import java.util.List;

/** A policy in quarantine. */
public record QuarantineDocument(
    StrategyDocument strategy, String since, String kind, String reason, String stack, int faults) {

  /** The result of clearing a policy. */
  public record Cleared(String policy, List<QuarantineDocument> cleared) {}

  static QuarantineDocument of(Quarantine.Case found) {
    return View.of(QuarantineDocument.class, found)
        .with("strategy", StrategyDocument.of(found.strategy()))
        .get();
  }
}
