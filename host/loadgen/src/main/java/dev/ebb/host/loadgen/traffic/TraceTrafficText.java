package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.loadgen.BenchText;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.TextTemplate;
import dev.ebb.host.trace.OnError;

/** The results of {@link TraceTraffic} as text and as JSON. */
public final class TraceTrafficText {

  private static final double[] PERCENTILES = {50, 99, 100};

  private static final TextTemplate<TraceTrafficResult> HEAD =
      TextTemplate.of(
          TraceTrafficResult.class,
          """
          {addresses}[{?routed}, {route}]
          requests      {requests:count} of {chunks:chunk|chunks}, in {seconds:%.1f} s
          """,
          new Computed<>("addresses", result -> result.server().replace(",", ", ")),
          new Computed<>("routed", TraceTrafficText::isRouted),
          new Computed<>("route", TraceTrafficText::routing));

  private static final TextTemplate<TraceTrafficResult> HITS =
      TextTemplate.of(
          TraceTrafficResult.class,
          """
          prefix hits   {hitRatio:%.4f}: {hits:chunk|chunks}
          [{?others}from others   {remote.chunks:count} of the chunks read; {remote.readBytes:bytes} moved for reads, {remote.replicatedBytes:bytes} as replicas, {remote.movedBytes:bytes} of evicted values]
          lost          {lost:chunk was|chunks were} found by EXISTS and not by GET
          resident      {resident:count} of {distinct:count} different chunks at the end, {unreachableShare:%.2f %%} of them unreachable
          [{?split}split         {split:more chunk has|more chunks have} the values of some {parts} only]
          [{?objects}useless       {objects.uselessShare:%.2f %%} of {objects.bytes:bytes} in {objects.objects:object|objects}: no prompt can use them]
          [{?requests}latency       of a request: p50 {p50:%.3f} ms, p99 {p99:%.3f} ms, max {max:%.3f} ms]
          [{?wrong}wrong values  {wrong:count}; chunks of an earlier run with another --value-size or --seed are wrong too]
          """,
          new Computed<>("parts", result -> result.objects() == null ? "ranks" : "groups"),
          new Computed<>("others", result -> isRouted(result) && result.remote() != null),
          new Computed<>("p50", result -> millis(result, 50)),
          new Computed<>("p99", result -> millis(result, 99)),
          new Computed<>("max", result -> millis(result, 100)));

  private static final TextTemplate<ServerTraffic> SERVER =
      TextTemplate.of(
          ServerTraffic.class,
          "server        {server}: {requests:request|requests}, prefix hits {hitRatio:%.4f}: {hits:count} of"
              + " {chunks:chunk|chunks}[{?remote}; {remote.chunks:count} from others,"
              + " {remote.readBytes:bytes} for reads, {remote.replicatedBytes:bytes} as replicas,"
              + " {remote.movedBytes:bytes} evicted]");

  private static final TextTemplate<TraceTrafficResult> ERRORS =
      TextTemplate.of(
          TraceTrafficResult.class,
          "[{?firstError}errors        {errors:count}, the first: {firstError}]");

  private TraceTrafficText() {}

  /** Writes a result for people: lines, each ended. */
  public static String write(String trace, TraceTrafficResult result) {
    StringBuilder text = new StringBuilder("trace         " + trace + " through ");
    text.append(HEAD.text(result));
    text.append(OnError.skipped(result.skippedLines(), result.skippedReasons()));
    text.append(HITS.text(result));
    if (isRouted(result)) {
      result.servers().forEach(server -> text.append(SERVER.text(server)));
    }
    return text.append(ERRORS.text(result)).toString();
  }

  private static boolean isRouted(TraceTrafficResult result) {
    return result.servers().size() > 1;
  }

  private static String routing(TraceTrafficResult result) {
    return result.routing().toString();
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
            .values(
                result,
                "seconds requests chunks hits hitRatio lost skippedLines skippedReasons distinct"
                    + " resident split unreachable")
            .put("objects", result.objects() == null ? null : result.objects().objects())
            .put("objectBytes", result.objects() == null ? null : result.objects().bytes())
            .put("uselessBytes", result.objects() == null ? null : result.objects().uselessBytes())
            .put("latencyMillis", latencies)
            .values(result, "wrong errors firstError")
        + System.lineSeparator();
  }

  private static JsonFields json(ServerTraffic server) {
    ServerTraffic.Remote remote = server.remote();
    return new JsonFields()
        .values(server, "server requests chunks hits hitRatio")
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
