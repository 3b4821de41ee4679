package dev.ebb.host.cli.server;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.QuarantineDocument;
import dev.ebb.host.admin.policy.StrategyDocument;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.RequestsDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.cli.policy.PolicyLines;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.Ratio;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The screen of {@code ebb top}: rates since the previous one, within 80 columns and 24 rows. */
public final class TopText {

  static final int COLUMNS = 80;
  static final int ROWS = 24;
  private static final int INDENT = 13;
  private static final int TENANTS = 5;

  private static final TextTemplate<ProcessDocument> MEMORY =
      TextTemplate.of(
          ProcessDocument.class,
          """
          pool         {pool.occupancy:bar} {pool.usedBytes:bytes} of {pool.capacityBytes:bytes}, {pool.occupancy:percent}
          heap         {heap:bar} {jvm.heapUsedBytes:bytes} of {jvm.heapMaxBytes:bytes}, {jvm.threads:count} threads
          """,
          new Computed<>(
              "heap", now -> (double) now.jvm().heapUsedBytes() / now.jvm().heapMaxBytes()));

  private static final TextTemplate<StatsDocument> VALUES =
      TextTemplate.of(
          StatsDocument.class,
          """

          [{?keys.chains.lookups}prefix hits  {prefixHits,8:recent} now   {prefixHits,8:percent} since the start][, {elsewhere} {prefixHitsElsewhere:percent}]
          hit ratio    {hitRatio,8:recent} now   {hitRatio,8:percent} since the start[, disk {diskHits:percent}]
          hits         {traffic.hits,14:rate}      misses             {traffic.misses,14:rate}
          stored       {traffic.creations,14:rate}      not kept           {traffic.notAdmitted,14:rate}
          evicted      {evictions.entries,14:rate}      on demand          {evictions.demand,14:rate}
          expired      {traffic.expired,14:rate}      evicted too early  {evictions.prematureEvictions,14:rate}
          commands     {clients.commands,14:rate}      clients            {clients.connections,14:count}
          keys         {keys.count,14:count}      pinned             {keys.pinned,14:count}

          read         p50 {latencies.reading.p50,10:seconds}   p99 {latencies.reading.p99,10:seconds}   {latencies.reading.count:count} in all
          store        p50 {latencies.storing.p50,10:seconds}   p99 {latencies.storing.p99,10:seconds}   {latencies.storing.count:count} in all
          evict        p50 {latencies.evicting.p50,10:seconds}   p99 {latencies.evicting.p99,10:seconds}   {latencies.evicting.count:count} in all
          """,
          new Computed<>("prefixHits", StatsText::prefixHits),
          new Computed<>("hitRatio", StatsText::hitRatio),
          new Computed<>("prefixHitsElsewhere", StatsText::prefixHitsElsewhere),
          new Computed<>("elsewhere", StatsText::elsewhere),
          new Computed<>(
              "diskHits", now -> StatsText.hitShare(now, now.traffic().sources().disk())));

  private static final TextTemplate<StatsDocument.Use> TENANT =
      TextTemplate.of(
          StatsDocument.Use.class,
          "tenant       {name,-24} {usedBytes,10:bytes}  {hitRatio,8:percent} hits",
          new Computed<>("hitRatio", StatsText::hitRatio));

  private static final TextTemplate<EngineDocument> ENGINE =
      TextTemplate.of(
          EngineDocument.class,
          """

          hit ratio    {hitRatio,8:recent} now   {hitRatio,8:percent} since the start[, disk {diskHits:percent}]
          sequences    {sequences.open,14:count}      opened             {sequences.opened,14:rate}
          finished     {sequences.finished,14:rate}      aborted            {sequences.aborted,14:rate}
          evicted      {evictions.entries,14:rate}      preempted          {sequences.preempted,14:rate}
          """,
          new Computed<>(
              "hitRatio", now -> new Ratio(now.tokens().matched(), now.tokens().prompt())),
          new Computed<>("diskHits", now -> StatsText.diskHits(now.tokens())));

  private static final TextTemplate<RequestsDocument> REQUESTS =
      RequestLines.template(
          """

          running      {ofLimit,14}      waiting            {waiting,14:count}
          batch size   {batchSize.limit:count}[: {batchSize.reason}][; changed {batchSize.changes:time|times}, {lastChange}]
          first token  p50 {firstToken.p50,10:seconds}   p99 {firstToken.p99,10:seconds}   {firstToken.count:count} in all
          next token   p50 {interToken.p50,10:seconds}   p99 {interToken.p99,10:seconds}   {interToken.count:count} in all
          ended        {ended}
          """);

  private TopText() {}

  public static List<String> lines(
      ServerAddress server, ProcessDocument now, ProcessDocument earlier, PolicyDocument policy) {
    ProcessDocument before = earlier.getClass() == now.getClass() ? earlier : now;
    double seconds = StatsText.seconds(before, now);
    List<String> lines = new ArrayList<>();
    lines.add(StatsText.title(server, now, ", DRAINING"));
    lines.add("policy       " + policy(now.policy(), policy));
    if (!policy.quarantine().isEmpty()) {
      lines.add("             in quarantine: " + quarantine(policy.quarantine()));
    }
    StatsText.advice(now).forEach(each -> lines.addAll(wrapped(each)));
    lines.addAll(MEMORY.lines(now));
    switch (now) {
      case StatsDocument values -> {
        lines.addAll(TierLines.brief(values.tiers()));
        lines.addAll(VALUES.lines(values, (StatsDocument) before, seconds));
        tenants(values, lines);
      }
      case EngineDocument engine -> {
        lines.addAll(TierLines.brief(engine.tiers()));
        lines.addAll(ENGINE.lines(engine, (EngineDocument) before, seconds));
        if (engine.requests() != null) {
          lines.addAll(REQUESTS.lines(engine.requests()));
        }
      }
    }
    return lines.stream().limit(ROWS).map(TopText::fitted).toList();
  }

  /** Continues a long line below its text. */
  private static List<String> wrapped(String line) {
    List<String> lines = new ArrayList<>();
    String rest = line;
    while (rest.length() > COLUMNS) {
      int end = rest.lastIndexOf(' ', COLUMNS);
      end = end <= INDENT ? COLUMNS : end;
      lines.add(rest.substring(0, end));
      rest = " ".repeat(INDENT) + rest.substring(end).strip();
    }
    lines.add(rest);
    return lines;
  }

  private static String fitted(String line) {
    return line.length() <= COLUMNS ? line : line.substring(0, COLUMNS - 3) + "...";
  }

  private static String policy(ProcessDocument.Active active, PolicyDocument policy) {
    StrategyDocument version = policy.version();
    String from =
        version.plugin() == null
            ? ""
            : " (%s %s)".formatted(Format.text(version.plugin()), Format.text(version.version()));
    String rule = active.rule() == null ? "" : ", by rule " + Format.text(active.rule());
    String instead =
        PolicyLines.isStandIn(active) ? ", in place of " + Format.text(active.configured()) : "";
    return PolicyLines.name(active) + from + rule + instead;
  }

  private static String quarantine(List<QuarantineDocument> cases) {
    return cases.stream()
        .map(each -> Format.text(each.strategy().policy()))
        .collect(Collectors.joining(", "));
  }

  private static void tenants(StatsDocument now, List<String> lines) {
    if (!now.tenants().isEmpty()) {
      lines.add("");
    }
    StatsText.largest(now.tenants(), TENANTS).forEach(each -> lines.addAll(TENANT.lines(each)));
  }
}
