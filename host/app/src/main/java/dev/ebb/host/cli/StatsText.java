package dev.ebb.host.cli;

import dev.ebb.host.client.ServerAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The server's statistics on one screen. */
final class StatsText {

  private static final int BAR = 30;

  /** Those who use most. */
  private static final int TENANTS = 10;

  private final List<String> lines = new ArrayList<>();
  private final Fields now;
  private final @Nullable Fields before;

  private StatsText(Fields now, @Nullable Fields before) {
    this.now = now;
    this.before = before;
  }

  /** The screen; with rates if there is an earlier document to compare with. */
  static List<String> lines(ServerAddress server, Fields now, @Nullable Fields before) {
    StatsText text = new StatsText(now, before);
    text.head(server);
    text.memory();
    text.parts();
    if (now.has("/sequences")) {
      text.sequences();
    } else {
      text.keys();
      text.traffic();
      text.tenants();
    }
    text.jvm();
    return text.lines;
  }

  private void head(ServerAddress server) {
    lines.add(
        "Ebb %s at %s, up %s%s"
            .formatted(
                now.text("/server/version"),
                server,
                now.seconds("/server/uptimeSeconds"),
                now.flag("/server/ready") ? "" : ", taking no more clients"));
    String name = now.text("/policy/name");
    String configured = now.text("/policy/configured");
    String by = now.has("/policy/rule") ? " by rule " + now.text("/policy/rule") : "";
    line(
        "policy",
        name.equals(configured)
            ? name + by
            : "%s%s, in place of %s".formatted(name, by, configured));
  }

  private void memory() {
    line(
        "pool",
        "%s %s of %s, %s; evicted above %s down to %s"
            .formatted(
                bar(now.number("/pool/occupancy")),
                now.bytes("/pool/usedBytes"),
                now.bytes("/pool/capacityBytes"),
                now.percent("/pool/occupancy"),
                now.percent("/pool/threshold"),
                now.percent("/pool/target")));
  }

  /** The parts of a pool that has more than one: each is filled and evicted from for itself. */
  private void parts() {
    List<Fields> parts = now.list("/partitions");
    if (parts.size() < 2) {
      return;
    }
    for (Fields each : parts) {
      double share = each.number("/usedBytes") / each.number("/capacityBytes");
      line(
          "part",
          "%s %s: %s of %s, %s, %s"
              .formatted(
                  bar(share),
                  each.text("/name"),
                  each.bytes("/usedBytes"),
                  each.bytes("/capacityBytes"),
                  Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share),
                  each.count("/keys", "key", "keys")));
    }
  }

  /** What an embedded engine has in place of clients. */
  private void sequences() {
    line(
        "sequences",
        "%s open, %s opened".formatted(now.count("/sequences/open"), rated("/sequences/opened")));
    line("finished", rated("/sequences/finished"));
    line("aborted", rated("/sequences/aborted"));
    line("preempted", rated("/sequences/preempted"));
    line("hit tokens", now.percent("/tokens/hitRatio"));
    line("prompt", rated("/tokens/prompt"));
    line("matched", rated("/tokens/matched"));
    line("evicted", rated("/evictions/entries"));
    line("refused", rated("/shortage/refusals"));
  }

  private void keys() {
    line(
        "keys",
        "%s, %s with a time to live"
            .formatted(now.count("/keys/count"), now.count("/keys/expiring")));
  }

  private void traffic() {
    line("hit ratio", now.percent("/traffic/hitRatio") + recentHits());
    line("hits", rated("/traffic/hits"));
    line("misses", rated("/traffic/misses"));
    line("put", rated("/traffic/creations"));
    line("evicted", rated("/traffic/evicted"));
    line("expired", rated("/traffic/expired"));
    line("not kept", rated("/traffic/notAdmitted"));
    line(
        "clients",
        "%s connected, %s ever"
            .formatted(now.count("/clients/connections"), now.count("/clients/connectionsEver")));
    line("commands", rated("/clients/commands"));
  }

  private void tenants() {
    List<Fields> tenants =
        now.list("/tenants").stream()
            .sorted(Comparator.comparingDouble((Fields each) -> -each.number("/usedBytes")))
            .toList();
    if (tenants.isEmpty()) {
      return;
    }
    line("fairness", now.decimal("/fairness"));
    for (Fields each : tenants.subList(0, Math.min(TENANTS, tenants.size()))) {
      double hits = each.number("/hits");
      double asked = hits + each.number("/misses");
      line(
          "tenant",
          "%s: %s in %s, %s of %,.0f asked for were there, %s evicted"
              .formatted(
                  each.text("/name"),
                  each.bytes("/usedBytes"),
                  each.count("/entries", "entry", "entries"),
                  asked > 0 ? String.format(Locale.ROOT, "%.1f %%", 100 * hits / asked) : "-",
                  asked,
                  each.count("/evicted")));
    }
    if (tenants.size() > TENANTS) {
      line("", "and %d more".formatted(tenants.size() - TENANTS));
    }
  }

  private void jvm() {
    line(
        "heap",
        "%s of %s, %s threads"
            .formatted(
                now.bytes("/jvm/heapUsedBytes"),
                now.bytes("/jvm/heapMaxBytes"),
                now.count("/jvm/threads")));
  }

  /** A counter, and how fast it grew since the last look. */
  private String rated(String pointer) {
    double seconds = before == null ? 0 : seconds(before);
    if (before == null || !(seconds > 0)) {
      return now.count(pointer);
    }
    double rate = (now.number(pointer) - before.number(pointer)) / seconds;
    return rate >= 0
        ? String.format(Locale.ROOT, "%-14s %,.1f/s", now.count(pointer), rate)
        : now.count(pointer);
  }

  private String recentHits() {
    if (before == null) {
      return "";
    }
    double hits = now.number("/traffic/hits") - before.number("/traffic/hits");
    double misses = now.number("/traffic/misses") - before.number("/traffic/misses");
    return hits + misses > 0
        ? String.format(Locale.ROOT, ", %.1f %% since the last look", 100 * hits / (hits + misses))
        : "";
  }

  private double seconds(Fields earlier) {
    try {
      return Duration.between(
                  Instant.parse(earlier.raw("/server/time")),
                  Instant.parse(now.raw("/server/time")))
              .toMillis()
          / 1e3;
    } catch (DateTimeParseException unknown) {
      return 0;
    }
  }

  private static String bar(double share) {
    int full = Double.isNaN(share) ? 0 : (int) Math.round(BAR * Math.clamp(share, 0, 1));
    return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "]";
  }

  private void line(String label, String value) {
    lines.add("%-12s %s".formatted(label, value).stripTrailing());
  }
}
