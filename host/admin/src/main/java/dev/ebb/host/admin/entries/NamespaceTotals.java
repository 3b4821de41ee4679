package dev.ebb.host.admin.entries;

import dev.ebb.host.store.key.KeyNamespace;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts entries by namespace. */
final class NamespaceTotals {

  private final Map<KeyNamespace, EntryDocument.NamespaceUse> totals = new HashMap<>();

  void add(KeyNamespace of, long bytes, Duration idle) {
    double idleSeconds = idle.toNanos() / 1e9;
    totals.merge(
        of,
        EntryDocument.NamespaceUse.of(of, 1, bytes, idleSeconds),
        (sum, one) ->
            EntryDocument.NamespaceUse.of(
                of,
                sum.entries() + 1,
                sum.bytes() + bytes,
                Math.min(sum.idleSeconds(), idleSeconds)));
  }

  /** Returns the namespaces, the one unused for the longest first. */
  List<EntryDocument.NamespaceUse> uses() {
    return totals.values().stream()
        .sorted(Comparator.comparingDouble(EntryDocument.NamespaceUse::idleSeconds).reversed())
        .toList();
  }

  EntryDocument.Removed removed() {
    return totals.values().stream()
        .map(each -> new EntryDocument.Removed(each.entries(), each.bytes()))
        .reduce(new EntryDocument.Removed(0, 0), EntryDocument.Removed::plus);
  }
}
