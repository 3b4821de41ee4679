package dev.ebb.host.admin;

import dev.ebb.host.swap.Quarantine;

/** A policy in quarantine. */
record QuarantineDocument(
    StrategyDocument strategy, String since, String kind, String reason, String stack, int faults) {

  static QuarantineDocument of(Quarantine.Case found) {
    return new QuarantineDocument(
        StrategyDocument.of(found.strategy()),
        found.since().toString(),
        EvictionDocument.word(found.kind()),
        found.reason(),
        found.stack(),
        found.faults());
  }
}
