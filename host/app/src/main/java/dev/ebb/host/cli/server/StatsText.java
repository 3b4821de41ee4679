package dev.ebb.host.cli.server;

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

/** The server's statistics on one screen. */
final class StatsText {

  private static final int BAR = 30;

  private static final int TENANTS = 10;

  private final List<String> lines = new ArrayList<>();

  /** Between the two documents that rates are computed from; 0 without an earlier one. */
  private final double seconds;

  private StatsText(double seconds) {
    this.seconds = seconds;
  }

  /** The screen; with rates if there is an earlier document to compare with. */
  static List<String> lines(
      ServerAddress server, ProcessDocument now, @Nullable ProcessDocument earlier) {
    ProcessDocument before =
        earlier != null && earlier.getClass() == now.getClass() ? earlier : now;
    StatsText text = new StatsText(seconds(before.server().time(), now.server().time()));
    text.head(server, now);
    switch (now) {
      case StatsDocument values -> text.values(values, (StatsDocument) before);
      case EngineDocument engine -> text.engine(engine, (EngineDocument) before);
    }
    text.line(
        "heap",
        "%s of %s, %s threads"
            .formatted(
                Format.bytes(now.jvm().heapUsedBytes()),
                Format.bytes(now.jvm().heapMaxBytes()),
                Format.count(now.jvm().threads())));
    return text.lines;
  }

  private static double seconds(String before, String now) {
    return Duration.between(Instant.parse(before), Instant.parse(now)).toMillis() / 1e3;
  }

  private void head(ServerAddress server, ProcessDocument now) {
    lines.add(
        "Ebb %s at %s, up %s%s"
            .formatted(
                Format.text(now.server().version()),
                server,
                Format.seconds(now.server().uptimeSeconds()),
                now.server().ready() ? "" : ", taking no more clients"));
    ProcessDocument.Active policy = now.policy();
    String by = policy.rule() == null ? "" : " by rule " + Format.text(policy.rule());
    String instead =
        policy.name().equals(policy.configured())
            ? ""
            : ", in place of " + Format.text(policy.configured());
    line("policy", PolicyLines.name(policy.name(), policy.chosen()) + by + instead);
    int parts =
        switch (now) {
          case StatsDocument values -> values.partitions().size();
          case EngineDocument engine -> engine.partitions().size();
        };
    line(
        "pool",
        "%s %s of %s, %s; evicted above %s down to %s%s"
            .formatted(
                bar(now.pool().occupancy()),
                Format.bytes(now.pool().usedBytes()),
                Format.bytes(now.pool().capacityBytes()),
                Format.percent(now.pool().occupancy()),
                Format.percent(now.pool().threshold()),
                Format.percent(now.pool().target()),
                parts > 1 ? " of each part" : ""));
  }

  /** A part of a pool that has several: each is filled and evicted from for itself. */
  private void part(String name, long usedBytes, long capacityBytes, String content) {
    double share = (double) usedBytes / capacityBytes;
    line(
        "part",
        "%s %s: %s of %s, %s, %s"
            .formatted(
                bar(share),
                Format.text(name),
                Format.bytes(usedBytes),
                Format.bytes(capacityBytes),
                Format.percent(share),
                content));
  }

  private void engine(EngineDocument now, EngineDocument before) {
    if (now.partitions().size() > 1) {
      for (EngineDocument.Part each : now.partitions()) {
        String entries = Format.count(each.entries(), "entry", "entries");
        part(each.name(), each.usedBytes(), each.capacityBytes(), entries);
      }
    }
    line(
        "sequences",
        "%s open, %s opened"
            .formatted(
                Format.count(now.sequences().open()),
                rated(now, before, each -> each.sequences().opened())));
    line("finished", rated(now, before, each -> each.sequences().finished()));
    line("aborted", rated(now, before, each -> each.sequences().aborted()));
    line("preempted", rated(now, before, each -> each.sequences().preempted()));
    RequestsDocument requests = now.requests();
    if (requests != null) {
      requests(requests);
    }
    line("hit tokens", Format.percent(now.tokens().hitRatio()));
    line("prompt", rated(now, before, each -> each.tokens().prompt()));
    line("matched", rated(now, before, each -> each.tokens().matched()));
    line(
        "cached",
        "%s, %s in use, %s pinned"
            .formatted(
                Format.count(now.entries().active() + now.entries().reused(), "block", "blocks"),
                Format.count(now.entries().reused()),
                Format.count(now.entries().pinned())));
    line("evicted", rated(now, before, each -> each.evictions().entries()));
    line("expired", rated(now, before, each -> each.entries().expired()));
    line("refused", rated(now, before, each -> each.reclaim().refusals()));
  }

  private void requests(RequestsDocument requests) {
    line(
        "requests",
        "%s running, %s waiting, %s at most"
            .formatted(
                Format.count(requests.running()),
                Format.count(requests.waiting()),
                Format.count(requests.batchSize().limit())));
    line("batch size", RequestLines.batchSize(requests.batchSize()));
    line("ended", RequestLines.ended(requests));
    line("first token", RequestLines.latency(requests.firstToken()));
    line("next token", RequestLines.latency(requests.interToken()));
  }

  private void values(StatsDocument now, StatsDocument before) {
    if (now.partitions().size() > 1) {
      for (StatsDocument.Part each : now.partitions()) {
        String keys = Format.count(each.keys(), "key", "keys");
        part(each.name(), each.usedBytes(), each.capacityBytes(), keys);
      }
    }
    line(
        "keys",
        "%s, %s with a time to live"
            .formatted(Format.count(now.keys().count()), Format.count(now.keys().expiring())));
    traffic(now, before);
    chains(now);
    hybrid(now.hybrid(), before.hybrid());
    tenants(now);
  }

  private void traffic(StatsDocument now, StatsDocument before) {
    prefixHits(now.keys().chains(), before.keys().chains());
    line("hit ratio", Format.percent(now.traffic().hitRatio()) + recentHits(now, before));
    line("hits", rated(now, before, each -> each.traffic().hits()));
    line("misses", rated(now, before, each -> each.traffic().misses()));
    line("put", rated(now, before, each -> each.traffic().creations()));
    line("evicted", rated(now, before, each -> each.traffic().evicted()));
    line("expired", rated(now, before, each -> each.traffic().expired()));
    line("not kept", rated(now, before, each -> each.traffic().notAdmitted()));
    line(
        "clients",
        "%s connected, %s ever"
            .formatted(
                Format.count(now.clients().connections()),
                Format.count(now.clients().connectionsEver())));
    line("commands", rated(now, before, each -> each.clients().commands()));
  }

  /** A client that reads only what it found has a hit ratio of 100 %, so this comes first. */
  private void prefixHits(ChainStats now, ChainStats before) {
    if (now.lookups() > 0) {
      line(
          "prefix hits",
          Format.percent((double) now.hits() / now.lookups())
              + recent(now.hits() - before.hits(), now.lookups() - before.lookups()));
    }
  }

  private void chains(StatsDocument now) {
    ChainStats chains = now.keys().chains();
    if (chains.requests() > 0 || chains.unknown() > 0) {
      line(
          "chains",
          "%s with a resident predecessor, %s unreachable, about %s unknown"
              .formatted(
                  Format.count(chains.linked(), "entry", "entries"),
                  Format.count(chains.unreachable()),
                  Format.count(chains.unknown())));
    }
  }

  private void hybrid(StatsDocument.@Nullable Hybrid now, StatsDocument.@Nullable Hybrid before) {
    if (now == null) {
      return;
    }
    for (StatsDocument.Group each : now.groups()) {
      line(
          "group " + each.group(),
          "%s of %s: %s in %s, %s evicted"
              .formatted(
                  each.kind(),
                  Format.text(each.model()),
                  Format.bytes(each.usedBytes()),
                  Format.count(each.objects(), "object", "objects"),
                  Format.count(each.evicted())));
    }
    line(
        "useless",
        "%s of %s, which no prompt can use"
            .formatted(Format.bytes(now.uselessBytes()), Format.bytes(now.usedBytes())));
    StatsDocument.Hybrid then = before == null ? now : before;
    line("thinned", rated(now, then, StatsDocument.Hybrid::thinned));
    line("unusable", rated(now, then, StatsDocument.Hybrid::useless));
    line("lost hits", rated(now, then, StatsDocument.Hybrid::lostHits));
  }

  private void tenants(StatsDocument now) {
    if (now.tenants().isEmpty()) {
      return;
    }
    line("fairness", Format.decimal(now.fairness()));
    now.tenants().stream()
        .sorted(Comparator.comparingLong(StatsDocument.Use::usedBytes).reversed())
        .limit(TENANTS)
        .forEach(this::tenant);
    if (now.tenants().size() > TENANTS) {
      line("", "and %d more".formatted(now.tenants().size() - TENANTS));
    }
  }

  private void tenant(StatsDocument.Use tenant) {
    long asked = tenant.hits() + tenant.misses();
    line(
        "tenant",
        "%s: %s in %s, %s of %s were hits, %s evicted"
            .formatted(
                Format.text(tenant.name()),
                Format.bytes(tenant.usedBytes()),
                Format.count(tenant.entries(), "entry", "entries"),
                Format.percent((double) tenant.hits() / asked),
                Format.count(asked, "request", "requests"),
                Format.count(tenant.evicted())));
  }

  /** A counter, and how fast it grew since the last look. */
  private <D> String rated(D now, D before, ToLongFunction<D> counter) {
    String count = Format.count(counter.applyAsLong(now));
    long grown = counter.applyAsLong(now) - counter.applyAsLong(before);
    return seconds > 0 && grown >= 0
        ? String.format(Locale.ROOT, "%-14s %,.1f/s", count, grown / seconds)
        : count;
  }

  private static String recentHits(StatsDocument now, StatsDocument before) {
    long hits = now.traffic().hits() - before.traffic().hits();
    long misses = now.traffic().misses() - before.traffic().misses();
    return recent(hits, hits + misses);
  }

  private static String recent(long hits, long lookups) {
    return lookups > 0
        ? ", %s since the last look".formatted(Format.percent((double) hits / lookups))
        : "";
  }

  private static String bar(double share) {
    int full = Double.isNaN(share) ? 0 : (int) Math.round(BAR * Math.clamp(share, 0, 1));
    return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "]";
  }

  private void line(String label, String value) {
    lines.add("%-12s %s".formatted(label, value).stripTrailing());
  }
}
