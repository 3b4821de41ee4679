package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.loadgen.BenchText;
import dev.ebb.host.replay.ReplayTable;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.Plural;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The results of {@link TraceTraffic} as text and as JSON. */
public final class TraceTrafficText {

  private static final double[] PERCENTILES = {50, 99, 100};

  private TraceTrafficText() {}

  /**
   * Writes a result for people.
   *
   * @return lines, each ended
   */
  public static String write(String trace, TraceTrafficResult result) {
    StringBuilder text = new StringBuilder();
    boolean several = result.servers().size() > 1;
    BenchText.line(
        text,
        "trace",
        "%s through %s%s",
        trace,
        result.server().replace(",", ", "),
        several ? ", " + routing(result) : "");
    BenchText.line(
        text,
        "requests",
        "%,d of %s, in %.1f s",
        result.requests(),
        Plural.of(result.chunks(), "chunk", "chunks"),
        result.seconds());
    ReplayTable.skipped(text, result.skippedLines(), result.skippedReasons());
    BenchText.line(
        text,
        "prefix hits",
        "%.4f: %s",
        result.hitRatio(),
        Plural.of(result.hits(), "chunk", "chunks"));
    if (several) {
      remote(text, result.remote());
    }
    BenchText.line(
        text,
        "lost",
        "%s found by EXISTS and not by GET",
        Plural.of(result.lost(), "chunk was", "chunks were"));
    BenchText.line(
        text,
        "resident",
        "%,d of %,d different chunks at the end, %.2f %% of them unreachable",
        result.resident(),
        result.distinct(),
        100 * result.unreachableShare());
    if (result.split() > 0) {
      BenchText.line(
          text,
          "split",
          "%s the values of some %s only",
          Plural.of(result.split(), "more chunk has", "more chunks have"),
          result.objects() == null ? "ranks" : "groups");
    }
    ResidentObjects.Count objects = result.objects();
    if (objects != null) {
      BenchText.line(
          text,
          "useless",
          "%.2f %% of %s in %s: no prompt can use them",
          100 * objects.uselessShare(),
          ByteSize.format(objects.bytes()),
          Plural.of(objects.objects(), "object", "objects"));
    }
    if (result.requests() > 0) {
      BenchText.line(
          text,
          "latency",
          "of a request: p50 %.3f ms, p99 %.3f ms, max %.3f ms",
          millis(result, 50),
          millis(result, 99),
          millis(result, 100));
    }
    if (result.wrong() > 0) {
      BenchText.line(
          text,
          "wrong values",
          "%,d; chunks of an earlier run with another --value-size or --seed are wrong too",
          result.wrong());
    }
    if (several) {
      result.servers().forEach(server -> server(text, server));
    }
    BenchText.faults(text, "errors", result.errors(), result.firstError());
    return text.toString();
  }

  private static String routing(TraceTrafficResult result) {
    return result.routing().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static void remote(StringBuilder text, ServerTraffic.@Nullable Remote remote) {
    if (remote != null) {
      BenchText.line(
          text,
          "from others",
          "%,d of the chunks read; %s moved for reads, %s as replicas, %s of evicted values",
          remote.chunks(),
          ByteSize.format(remote.readBytes()),
          ByteSize.format(remote.replicatedBytes()),
          ByteSize.format(remote.movedBytes()));
    }
  }

  private static void server(StringBuilder text, ServerTraffic server) {
    ServerTraffic.Remote remote = server.remote();
    BenchText.line(
        text,
        "server",
        "%s: %s, prefix hits %.4f: %,d of %s%s",
        server.server(),
        Plural.of(server.requests(), "request", "requests"),
        server.hitRatio(),
        server.hits(),
        Plural.of(server.chunks(), "chunk", "chunks"),
        remote == null
            ? ""
            : String.format(
                Locale.ROOT,
                "; %,d from others, %s for reads, %s as replicas, %s evicted",
                remote.chunks(),
                ByteSize.format(remote.readBytes()),
                ByteSize.format(remote.replicatedBytes()),
                ByteSize.format(remote.movedBytes())));
  }

  /**
   * Writes a result for programs: counts, seconds, milliseconds; unknown values are null.
   *
   * @return one line, ended
   */
  public static String json(String trace, TraceTrafficResult result) {
    JsonFields latencies = new JsonFields();
    for (double percentile : PERCENTILES) {
      latencies.number(BenchText.name(percentile), millis(result, percentile));
    }
    return new JsonFields()
            .put("trace", trace)
            .put("server", result.server())
            .put("route", result.servers().size() > 1 ? routing(result) : null)
            .list("servers", result.servers(), TraceTrafficText::json)
            .number("seconds", result.seconds())
            .put("requests", result.requests())
            .put("chunks", result.chunks())
            .put("hits", result.hits())
            .number("hitRatio", result.hitRatio())
            .put("lost", result.lost())
            .put("skippedLines", result.skippedLines())
            .put("skippedReasons", result.skippedReasons())
            .put("distinct", result.distinct())
            .put("resident", result.resident())
            .put("split", result.split())
            .put("unreachable", result.unreachable())
            .put("objects", result.objects() == null ? null : result.objects().objects())
            .put("objectBytes", result.objects() == null ? null : result.objects().bytes())
            .put("uselessBytes", result.objects() == null ? null : result.objects().uselessBytes())
            .put("latencyMillis", latencies)
            .put("wrong", result.wrong())
            .put("errors", result.errors())
            .put("firstError", result.firstError())
        + System.lineSeparator();
  }

  private static JsonFields json(ServerTraffic server) {
    ServerTraffic.Remote remote = server.remote();
    return new JsonFields()
        .put("server", server.server())
        .put("requests", server.requests())
        .put("chunks", server.chunks())
        .put("hits", server.hits())
        .number("hitRatio", server.hitRatio())
        .put("chunksFromOthers", remote == null ? null : remote.chunks())
        .put("readBytes", remote == null ? null : remote.readBytes())
        .put("replicatedBytes", remote == null ? null : remote.replicatedBytes())
        .put("movedBytes", remote == null ? null : remote.movedBytes());
  }

  private static double millis(TraceTrafficResult result, double percentile) {
    return result.latencies().getTotalCount() == 0
        ? Double.NaN
        : result.latencies().getValueAtPercentile(percentile) / 1e6;
  }
}
