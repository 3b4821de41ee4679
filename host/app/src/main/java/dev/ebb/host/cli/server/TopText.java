package dev.ebb.host.cli.server;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.StrategyDocument;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.RequestsDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.policy.PolicyLines;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.store.stats.ChainStats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The screen of {@code ebb top}: rates since the previous one, within 80 columns and 24 rows. */
public final class TopText {

  static final int COLUMNS = 80;
  static final int ROWS = 24;

  private static final int BAR = 30;
  private static final int TENANTS = 5;

  private final List<String> lines = new ArrayList<>();

  /** Between the two documents that rates are computed from; 0 if they are one. */
  private final double seconds;

  private TopText(double seconds) {
    this.seconds = seconds;
  }

  public static List<String> lines(
      ServerAddress server, ProcessDocument now, ProcessDocument earlier, PolicyDocument policy) {
    ProcessDocument before = earlier.getClass() == now.getClass() ? earlier : now;
    TopText text = new TopText(seconds(before.server().time(), now.server().time()));
    text.head(server, now, policy);
    switch (now) {
      case StatsDocument values -> text.values(values, (StatsDocument) before);
      case EngineDocument engine -> text.engine(engine, (EngineDocument) before);
    }
    return text.lines.stream().limit(ROWS).map(TopText::fitted).toList();
  }

  private static String fitted(String line) {
    return line.length() <= COLUMNS ? line : line.substring(0, COLUMNS - 3) + "...";
  }

  private static double seconds(String before, String now) {
    return Duration.between(Instant.parse(before), Instant.parse(now)).toMillis() / 1e3;
  }

  private void head(ServerAddress server, ProcessDocument now, PolicyDocument policy) {
    lines.add(
        "Ebb %s at %s, up %s%s"
            .formatted(
                Format.text(now.server().version()),
                server,
                Format.seconds(now.server().uptimeSeconds()),
                now.server().ready() ? "" : ", DRAINING"));
    line("policy", policy(now.policy(), policy));
    if (!policy.quarantine().isEmpty()) {
      line(
          "",
          "in quarantine: "
              + String.join(
                  ", ",
                  policy.quarantine().stream()
                      .map(each -> Format.text(each.strategy().policy()))
                      .toList()));
    }
    ProcessDocument.Pool pool = now.pool();
    line(
        "pool",
        "%s %s of %s, %s"
            .formatted(
                bar(pool.occupancy()),
                Format.bytes(pool.usedBytes()),
                Format.bytes(pool.capacityBytes()),
                Format.percent(pool.occupancy())));
    double heap = (double) now.jvm().heapUsedBytes() / now.jvm().heapMaxBytes();
    line(
        "heap",
        "%s %s of %s, %s threads"
            .formatted(
                bar(heap),
                Format.bytes(now.jvm().heapUsedBytes()),
                Format.bytes(now.jvm().heapMaxBytes()),
                Format.count(now.jvm().threads())));
    lines.add("");
  }

  private static String policy(ProcessDocument.Active active, PolicyDocument policy) {
    StrategyDocument version = policy.version();
    String from =
        version.plugin() == null
            ? ""
            : " (%s %s)".formatted(Format.text(version.plugin()), Format.text(version.version()));
    String rule = active.rule() == null ? "" : ", by rule " + Format.text(active.rule());
    String instead =
        active.name().equals(active.configured())
            ? ""
            : ", in place of " + Format.text(active.configured());
    return PolicyLines.name(active.name(), active.chosen()) + from + rule + instead;
  }

  private void values(StatsDocument now, StatsDocument before) {
    ChainStats chains = now.keys().chains();
    if (chains.lookups() > 0) {
      ratio(
          "prefix hits",
          grown(now, before, each -> each.keys().chains().hits()),
          grown(now, before, each -> each.keys().chains().lookups()),
          (double) chains.hits() / chains.lookups());
    }
    long hits = grown(now, before, each -> each.traffic().hits());
    long lookups = hits + grown(now, before, each -> each.traffic().misses());
    ratio("hit ratio", hits, lookups, now.traffic().hitRatio());
    row(
        "hits",
        rate(now, before, each -> each.traffic().hits()),
        "misses",
        rate(now, before, each -> each.traffic().misses()));
    row(
        "stored",
        rate(now, before, each -> each.traffic().creations()),
        "not kept",
        rate(now, before, each -> each.traffic().notAdmitted()));
    row(
        "evicted",
        rate(now, before, each -> each.evictions().entries()),
        "on demand",
        rate(now, before, each -> each.evictions().demand()));
    row(
        "expired",
        rate(now, before, each -> each.traffic().expired()),
        "evicted too early",
        rate(now, before, each -> each.evictions().prematureEvictions()));
    row(
        "commands",
        rate(now, before, each -> each.clients().commands()),
        "clients",
        Format.count(now.clients().connections()));
    row("keys", Format.count(now.keys().count()), "pinned", Format.count(now.keys().pinned()));
    lines.add("");
    took("read", now.latencies().reading());
    took("store", now.latencies().storing());
    took("evict", now.latencies().evicting());
    tenants(now);
  }

  private void tenants(StatsDocument now) {
    if (now.tenants().isEmpty()) {
      return;
    }
    lines.add("");
    now.tenants().stream()
        .sorted(Comparator.comparingLong(StatsDocument.Use::usedBytes).reversed())
        .limit(TENANTS)
        .forEach(each ->
            line(
                "tenant",
                "%-24s %10s  %8s hits"
                    .formatted(
                        Format.text(each.name()),
                        Format.bytes(each.usedBytes()),
                        share(each.hits(), each.hits() + each.misses()))));
  }

  private void took(String what, StatsDocument.Took took) {
    line(
        what,
        "p50 %10s   p99 %10s   %s in all"
            .formatted(time(took.p50()), time(took.p99()), Format.count(took.count())));
  }

  /** Shows a ratio of what was looked up lately, and of all. */
  private void ratio(String name, long hits, long lookups, @Nullable Double sinceStart) {
    line(
        name,
        "%8s now   %8s since the start"
            .formatted(share(hits, lookups), Format.percent(sinceStart)));
  }

  private static String time(@Nullable Double seconds) {
    return seconds == null ? Format.UNKNOWN : Format.seconds(seconds);
  }

  private void engine(EngineDocument now, EngineDocument before) {
    ratio(
        "hit ratio",
        grown(now, before, each -> each.tokens().matched()),
        grown(now, before, each -> each.tokens().prompt()),
        now.tokens().hitRatio());
    row(
        "sequences",
        Format.count(now.sequences().open()),
        "opened",
        rate(now, before, each -> each.sequences().opened()));
    row(
        "finished",
        rate(now, before, each -> each.sequences().finished()),
        "aborted",
        rate(now, before, each -> each.sequences().aborted()));
    row(
        "evicted",
        rate(now, before, each -> each.evictions().entries()),
        "preempted",
        rate(now, before, each -> each.sequences().preempted()));
    RequestsDocument requests = now.requests();
    if (requests != null) {
      requests(requests);
    }
  }

  private void requests(RequestsDocument requests) {
    lines.add("");
    row(
        "running",
        "%s of %s"
            .formatted(
                Format.count(requests.running()), Format.count(requests.batchSize().limit())),
        "waiting",
        Format.count(requests.waiting()));
    line("batch size", RequestLines.batchSize(requests.batchSize()));
    line("first token", RequestLines.latency(requests.firstToken()));
    line("next token", RequestLines.latency(requests.interToken()));
    line("ended", RequestLines.ended(requests));
  }

  private static <D> long grown(D now, D before, ToLongFunction<D> counter) {
    return counter.applyAsLong(now) - counter.applyAsLong(before);
  }

  private <D> String rate(D now, D before, ToLongFunction<D> counter) {
    long grown = grown(now, before, counter);
    return seconds > 0 && grown >= 0
        ? String.format(Locale.ROOT, "%,.1f/s", grown / seconds)
        : Format.UNKNOWN;
  }

  private static String share(long part, long whole) {
    return whole > 0 ? Format.percent((double) part / whole) : Format.UNKNOWN;
  }

  private static String bar(double share) {
    int full = Double.isNaN(share) ? 0 : (int) Math.round(BAR * Math.clamp(share, 0, 1));
    return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "]";
  }

  private void row(String left, String leftValue, String right, String rightValue) {
    lines.add("%-12s %14s      %-18s %14s".formatted(left, leftValue, right, rightValue));
  }

  private void line(String label, String value) {
    lines.add("%-12s %s".formatted(label, value).stripTrailing());
  }
}
