package dev.ebb.host.cli.server;

import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.RequestsDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.cli.policy.PolicyLines;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.Ratio;
import dev.ebb.host.text.TextTemplate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server's statistics on one screen. */
final class StatsText {

  private static final int TENANTS = 10;

  private static final TextTemplate<ProcessDocument> HEAD =
      TextTemplate.of(
          ProcessDocument.class,
          """
          policy       {policyName}[ by rule {policy.rule}][{?instead}, in place of {policy.configured}]
          pool         {pool.occupancy:bar} {pool.usedBytes:bytes} of {pool.capacityBytes:bytes}, {pool.occupancy:percent}; {eviction}[{?split} of each part]
          """,
          new Computed<>("policyName", now -> PolicyLines.name(now.policy())),
          new Computed<>("instead", now -> PolicyLines.isStandIn(now.policy())),
          new Computed<>("eviction", EvictionCommand::starts),
          new Computed<>("split", now -> !now.pool().onDemand() && now.partitions().size() > 1));

  private static final TextTemplate<EngineDocument> ENGINE =
      TextTemplate.of(
          EngineDocument.class,
          """
          sequences    {sequences.open:count} open, {sequences.opened:rated} opened
          finished     {sequences.finished:rated}
          aborted      {sequences.aborted:rated}
          preempted    {sequences.preempted:rated}
          """);

  private static final TextTemplate<RequestsDocument> REQUESTS =
      RequestLines.template(
          """
          requests     {running:count} running, {waiting:count} waiting, {batchSize.limit:count} at most
          batch size   {batchSize.limit:count}[: {batchSize.reason}][; changed {batchSize.changes:time|times}, {lastChange}]
          ended        {ended}
          first token  p50 {firstToken.p50,10:seconds}   p99 {firstToken.p99,10:seconds}   {firstToken.count:count} in all
          next token   p50 {interToken.p50,10:seconds}   p99 {interToken.p99,10:seconds}   {interToken.count:count} in all
          """);

  private static final TextTemplate<EngineDocument> TOKENS =
      TextTemplate.of(
          EngineDocument.class,
          """
          hit tokens   {tokens.hitRatio:percent}[; of which disk {diskHits:percent}]
          prompt       {tokens.prompt:rated}
          matched      {tokens.matched:rated}
          cached       {cached:block|blocks}, {entries.reused:count} in use, {entries.pinned:count} pinned
          evicted      {evictions.entries:rated}
          expired      {entries.expired:rated}
          refused      {reclaim.refusals:rated}
          """,
          new Computed<>("cached", now -> now.entries().active() + now.entries().reused()),
          new Computed<>("diskHits", now -> diskHits(now.tokens())));

  /** A client that reads only what it found has a hit ratio of 100 %, so prefix hits come first. */
  private static final TextTemplate<StatsDocument> VALUES =
      TextTemplate.of(
          StatsDocument.class,
          """
          keys         {keys.count:count}, {keys.expiring:count} with a time to live
          [prefix hits  {prefixHits:percent}][, {prefixHits:recent} since the last look][; of which {elsewhere} {prefixHitsElsewhere:percent}]
          hit ratio    {hitRatio:percent}[, {hitRatio:recent} since the last look][; of which disk {diskHits:percent}][, other nodes {nodeHits:percent}]
          hits         {traffic.hits:rated}
          misses       {traffic.misses:rated}
          put          {traffic.creations:rated}
          evicted      {evictions.entries:rated}
          expired      {traffic.expired:rated}
          not kept     {traffic.notAdmitted:rated}
          clients      {clients.connections:count} connected, {clients.connectionsEver:count} ever
          commands     {clients.commands:rated}
          [{?chained}chains       {keys.chains.linked:entry|entries} with a resident predecessor, {keys.chains.unreachable:count} unreachable, about {keys.chains.unknown:count} unknown]
          """,
          new Computed<>("prefixHits", StatsText::prefixHits),
          new Computed<>("hitRatio", StatsText::hitRatio),
          new Computed<>("prefixHitsElsewhere", StatsText::prefixHitsElsewhere),
          new Computed<>("elsewhere", StatsText::elsewhere),
          new Computed<>("diskHits", now -> hitShare(now, now.traffic().sources().disk())),
          new Computed<>("nodeHits", now -> hitShare(now, now.traffic().sources().nodes())),
          new Computed<>("chained", now -> isChained(now.keys().chains())));

  private static final TextTemplate<StatsDocument.Group> GROUP =
      TextTemplate.of(
          StatsDocument.Group.class,
          "group {group,-7}{kind} of {model}: {usedBytes:bytes} in {objects:object|objects},"
              + " {evicted:count} evicted");

  private static final TextTemplate<StatsDocument> HYBRID =
      TextTemplate.of(
          StatsDocument.class,
          """
          [useless      {hybrid.uselessBytes:bytes} of {hybrid.usedBytes:bytes}, which no prompt can use]
          [thinned      {hybrid.thinned:rated}]
          [unusable     {hybrid.useless:rated}]
          [lost hits    {hybrid.lostHits:rated}]
          [{?tenants}fairness     {fairness:decimal}]
          """);

  private static final TextTemplate<StatsDocument> SEQUENCES =
      TextTemplate.of(
          StatsDocument.class,
          """
          sequences    {sequences.open:count} open, {sequences.opened:rated} opened
          preempted    {sequences.preempted:rated}
          hit tokens   {tokens.hitRatio:percent}[; of which disk {diskHits:percent}]
          """,
          new Computed<>("diskHits", now -> diskHits(now.tokens())));

  private static final TextTemplate<StatsDocument.Use> TENANT =
      TextTemplate.of(
          StatsDocument.Use.class,
          "tenant       {name}: {usedBytes:bytes} in {entries:entry|entries}, {hitRatio:percent} of"
              + " {asked:request|requests} were hits, {evicted:count} evicted",
          new Computed<>("hitRatio", StatsText::hitRatio),
          new Computed<>("asked", tenant -> tenant.hits() + tenant.misses()));

  /** A part of a pool that has several: each is filled and evicted from for itself. */
  private static final String PART =
      "part         {occupancy:bar} {name}: {usedBytes:bytes} of {capacityBytes:bytes},"
          + " {occupancy:percent}, ";

  private static final TextTemplate<StatsDocument.Part> KEYS =
      TextTemplate.of(StatsDocument.Part.class, PART + "{keys:key|keys}");

  private static final TextTemplate<EngineDocument.Part> ENTRIES =
      TextTemplate.of(EngineDocument.Part.class, PART + "{entries:entry|entries}");

  private static final TextTemplate<ProcessDocument> HEAP =
      TextTemplate.of(
          ProcessDocument.class,
          "heap         {jvm.heapUsedBytes:bytes} of {jvm.heapMaxBytes:bytes}, {jvm.threads:count}"
              + " threads");

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
    StatsText text = new StatsText(seconds(before, now));
    text.lines.add(title(server, now, ", taking no more clients"));
    text.lines.addAll(advice(now));
    text.lines.addAll(HEAD.lines(now));
    switch (now) {
      case StatsDocument values -> text.values(values, (StatsDocument) before);
      case EngineDocument engine -> text.engine(engine, (EngineDocument) before);
    }
    text.lines.addAll(HEAP.lines(now));
    return text.lines;
  }

  /** What to do, most important first. */
  static List<String> advice(ProcessDocument now) {
    return now.advice().stream()
        .map(each ->
            "%-12s %s (since %s)"
                .formatted("advice", Format.text(each.text()), Format.moment(each.since())))
        .toList();
  }

  static String title(ServerAddress server, ProcessDocument now, String closing) {
    return "Ebb %s at %s, up %s%s"
        .formatted(
            Format.text(now.server().version()),
            server,
            Format.seconds(now.server().uptimeSeconds()),
            now.server().ready() ? "" : closing);
  }

  static double seconds(ProcessDocument before, ProcessDocument now) {
    Instant start = Instant.parse(before.server().time());
    return Duration.between(start, Instant.parse(now.server().time())).toMillis() / 1e3;
  }

  static Ratio prefixHits(StatsDocument now) {
    return new Ratio(now.keys().chains().hits(), now.keys().chains().lookups());
  }

  static Ratio hitRatio(StatsDocument now) {
    return new Ratio(now.traffic().hits(), now.traffic().hits() + now.traffic().misses());
  }

  /** Returns the share of requested values that a tier but memory had; null if it had none. */
  static @Nullable Ratio hitShare(StatsDocument now, long hits) {
    return hits == 0 ? null : new Ratio(hits, now.traffic().hits() + now.traffic().misses());
  }

  /** Returns the share of prompt tokens that were read from the disk; null if none was. */
  static @Nullable Ratio diskHits(EngineDocument.@Nullable Tokens tokens) {
    return tokens == null || tokens.disk() == 0 ? null : new Ratio(tokens.disk(), tokens.prompt());
  }

  /** Returns the share of chunks that memory alone could not serve; null if there were none. */
  static @Nullable Ratio prefixHitsElsewhere(StatsDocument now) {
    ChainStats chains = now.keys().chains();
    return chains.hitsElsewhere() == 0 ? null : new Ratio(chains.hitsElsewhere(), chains.lookups());
  }

  /** Returns where prefix hits are that memory could not serve. */
  static String elsewhere(StatsDocument now) {
    boolean disk = now.tiers().size() > 1;
    return now.cluster() == null ? "disk" : disk ? "disk and other nodes" : "other nodes";
  }

  static Ratio hitRatio(StatsDocument.Use tenant) {
    return new Ratio(tenant.hits(), tenant.hits() + tenant.misses());
  }

  private static boolean isChained(ChainStats chains) {
    return chains.requests() > 0 || chains.unknown() > 0;
  }

  private void engine(EngineDocument now, EngineDocument before) {
    if (now.partitions().size() > 1) {
      now.partitions().forEach(part -> lines.addAll(ENTRIES.lines(part)));
    }
    lines.addAll(TierLines.summary(now.tiers()));
    lines.addAll(ENGINE.lines(now, before, seconds));
    if (now.requests() != null) {
      lines.addAll(REQUESTS.lines(now.requests()));
    }
    lines.addAll(TOKENS.lines(now, before, seconds));
  }

  private void values(StatsDocument now, StatsDocument before) {
    if (now.partitions().size() > 1) {
      now.partitions().forEach(part -> lines.addAll(KEYS.lines(part)));
    }
    lines.addAll(TierLines.summary(now.tiers()));
    lines.addAll(VALUES.lines(now, before, seconds));
    if (now.hybrid() != null) {
      now.hybrid().groups().forEach(group -> lines.addAll(GROUP.lines(group)));
    }
    lines.addAll(HYBRID.lines(now, before, seconds));
    if (now.sequences() != null && before.sequences() != null) {
      lines.addAll(SEQUENCES.lines(now, before, seconds));
    }
    largest(now.tenants(), TENANTS).forEach(tenant -> lines.addAll(TENANT.lines(tenant)));
    if (now.tenants().size() > TENANTS) {
      lines.add("%-12s and %d more".formatted("", now.tenants().size() - TENANTS));
    }
  }

  /** Returns the tenants with the most memory. */
  static List<StatsDocument.Use> largest(List<StatsDocument.Use> tenants, int most) {
    return tenants.stream()
        .sorted(Comparator.comparingLong(StatsDocument.Use::usedBytes).reversed())
        .limit(most)
        .toList();
  }
}
