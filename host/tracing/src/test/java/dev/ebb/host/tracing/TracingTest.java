package dev.ebb.host.tracing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.config.TracingConfig;
import dev.ebb.host.store.chain.RequestListener;
import dev.ebb.host.store.chain.SlowestSteps;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.OtlpCollector;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TracingTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00f067aa0ba902b7";

  private static Tracing start(String endpoint, double ratio, int queue, Duration timeout) {
    return start(endpoint, ratio, 1_000_000, queue, timeout);
  }

  private static Tracing start(
      String endpoint, double ratio, int traces, int queue, Duration timeout) {
    return requireNonNull(
        Tracing.start(
            new TracingConfig(
                URI.create(endpoint),
                Map.of("X-Tenant", "t1"),
                ratio,
                traces,
                "cache",
                queue,
                timeout)));
  }

  private static void spans(Tracing tracing, int count, @Nullable String traceparent) {
    for (int i = 0; i < count; i++) {
      tracing.request("r", traceparent).startSpan().setAttribute("n", i).end();
    }
  }

  @Test
  void allSpansOfManyThreadsArriveOnce() throws InterruptedException, ExecutionException {
    try (OtlpCollector collector = OtlpCollector.start()) {
      Tracing tracing = start(collector.url(), 1, 20_000, Duration.ofSeconds(10));
      try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          all.add(threads.submit(() -> spans(tracing, 2_500, null)));
        }
        for (Future<?> each : all) {
          each.get();
        }
      }
      tracing.close();

      List<OtlpCollector.Received> received = collector.spans();
      assertThat(received).hasSize(10_000);
      Set<String> ids = new HashSet<>();
      received.forEach(span -> ids.add(span.spanId()));
      assertThat(ids).hasSize(10_000);
      assertThat(received).allMatch(span -> span.parentId().isEmpty());
      assertThat(collector.resources()).allMatch(each -> "cache".equals(each.get("service.name")));
      assertThat(collector.requests()).allMatch(each -> "t1".equals(each.getFirst("X-Tenant")));
      assertThat(tracing.counts()).isEqualTo(new Tracing.Counts(10_000, 0, 0, 0, 0));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"01", "00"})
  void theClientDecidesWhetherItsTraceIsRecorded(String flags) {
    try (OtlpCollector collector = OtlpCollector.start()) {
      // Neither is what the ratio says.
      Tracing tracing =
          start(collector.url(), flags.equals("01") ? 0 : 1, 100, Duration.ofSeconds(10));
      spans(tracing, 3, "00-%s-%s-%s".formatted(TRACE, PARENT, flags));
      tracing.close();

      assertThat(collector.spans()).hasSize(flags.equals("01") ? 3 : 0);
      assertThat(collector.spans())
          .allSatisfy(span -> {
            assertThat(span.traceId()).isEqualTo(TRACE);
            assertThat(span.parentId()).isEqualTo(PARENT);
          });
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "é-\u0000"
      })
  void aWrongContextBeginsATrace(String traceparent) {
    try (OtlpCollector collector = OtlpCollector.start()) {
      Tracing tracing = start(collector.url(), 1, 100, Duration.ofSeconds(10));
      spans(tracing, 1, traceparent);
      tracing.close();

      assertThat(collector.spans())
          .singleElement()
          .satisfies(span -> {
            assertThat(span.parentId().isEmpty()).isTrue();
            assertThat(span.traceId()).isNotEqualTo(TRACE);
          });
    }
  }

  @Test
  void theRatioIsTheShareOfNewTraces() {
    try (OtlpCollector collector = OtlpCollector.start()) {
      Tracing tracing = start(collector.url(), 0.25, 20_000, Duration.ofSeconds(10));
      spans(tracing, 8_000, null);
      tracing.close();

      // Seven standard deviations.
      assertThat(collector.spans()).hasSizeBetween(1_730, 2_270);
    }
  }

  @Test
  void noMoreTracesBeginInASecondThanTheLimit() {
    try (OtlpCollector collector = OtlpCollector.start()) {
      Tracing tracing = start(collector.url(), 1, 100, 20_000, Duration.ofSeconds(10));
      long start = System.nanoTime();
      spans(tracing, 5_000, null);
      RequestSpans requests = new RequestSpans(tracing);
      for (int i = 0; i < 5_000; i++) {
        requests.ended(request("r" + i, null));
      }
      long seconds = 1 + (System.nanoTime() - start) / 1_000_000_000;
      // The client decides about its own.
      spans(tracing, 500, "00-%s-%s-01".formatted(TRACE, PARENT));
      for (int i = 0; i < 500; i++) {
        requests.ended(request("traced", "00-%s-%s-01".formatted(TRACE, PARENT)));
      }
      tracing.close();

      Tracing.Counts counts = tracing.counts();
      assertThat(counts.sent()).isBetween(1_100L, 1_000 + 100 + 100 * seconds);
      assertThat(counts.sent() + counts.limited()).isEqualTo(11_000);
      assertThat(collector.spans()).hasSize((int) counts.sent());
      assertThat(collector.spans())
          .filteredOn(span -> "traced".equals(span.attributes().get("ebb.request.id")))
          .hasSize(500)
          .allMatch(span -> span.parentId().equals(PARENT) && span.traceId().equals(TRACE));
    }
  }

  private static RequestListener.EndedRequest request(String id, @Nullable String traceparent) {
    return new RequestListener.EndedRequest(
        id,
        traceparent,
        RequestFacts.UNKNOWN,
        "lru",
        -1,
        -1,
        1_000,
        0,
        1,
        1,
        1,
        0,
        0,
        0,
        0,
        new SlowestSteps(1, -1, -1),
        null);
  }

  /** Both ways to decide agree, whatever the id. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.001, 0.3, 0.999, 1})
  void requestsAreSampledAsTheSdkSamplesTheirTraces(double ratio) {
    RootSampler sampler = new RootSampler(ratio, 1_000_000);
    Sampler sdk = Sampler.traceIdRatioBased(ratio);
    Random random = new Random(3);
    for (int i = 0; i < 10_000; i++) {
      long low = i == 0 ? Long.MIN_VALUE : i == 1 ? Long.MAX_VALUE : random.nextLong();
      String id = TraceId.fromLongs(random.nextLong(), low);
      SamplingDecision decision =
          sdk.shouldSample(Context.root(), id, "r", SpanKind.SERVER, Attributes.empty(), List.of())
              .getDecision();
      assertThat(sampler.samples(low))
          .as("%s at %s", id, ratio)
          .isEqualTo(decision == SamplingDecision.RECORD_AND_SAMPLE);
    }
  }

  /** Whoever makes spans never waits, and each span is counted. */
  @ParameterizedTest
  @EnumSource(names = "GOOD", mode = EnumSource.Mode.EXCLUDE)
  void aCollectorThatDoesNotAcceptSpansCostsSpansOnly(OtlpCollector.Behaviour how) {
    try (OtlpCollector collector = OtlpCollector.start().behaving(how)) {
      Tracing tracing = start(collector.url(), 1, 1_000, Duration.ofSeconds(1));
      spans(tracing, 5_000, null);
      Awaiting.until(() -> tracing.counts().notSent() > 0);
      assertThat(tracing.counts().queueFull()).isPositive();

      collector.behaving(OtlpCollector.Behaviour.GOOD);
      Awaiting.until(() -> tracing.counts().queued() == 0);
      spans(tracing, 10, null);
      tracing.close();
      Tracing.Counts counts = tracing.counts();
      assertThat(counts.sent()).isEqualTo(collector.spans().size()).isGreaterThanOrEqualTo(10);
      assertThat(counts.sent() + counts.queueFull() + counts.notSent()).isEqualTo(5_010);
    }
  }

  @Test
  void aCollectorMayStartLater() {
    int port = FreePort.any();
    Tracing tracing =
        start("http://127.0.0.1:%d/v1/traces".formatted(port), 1, 1_000, Duration.ofSeconds(2));
    spans(tracing, 10, null);
    Awaiting.until(() -> tracing.counts().notSent() == 10);
    try (OtlpCollector collector = OtlpCollector.start(port)) {
      spans(tracing, 10, null);
      tracing.close();
      assertThat(collector.spans()).hasSize(10);
    }
  }

  /** A collector that hangs does not keep a process from its end. */
  @Test
  void closingGivesUpAfterSomeSeconds() {
    try (OtlpCollector collector = OtlpCollector.start().behaving(OtlpCollector.Behaviour.HANGS)) {
      Tracing tracing = start(collector.url(), 1, 1_000, Duration.ofHours(1));
      spans(tracing, 700, null);
      tracing.close();

      assertThat(tracing.counts()).isEqualTo(new Tracing.Counts(0, 0, 0, 700, 0));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://h:4318", "http://h:4318/"})
  void anEndpointWithoutAPathGetsTheUsualOne(String endpoint) {
    assertThat(Tracing.withPath(URI.create(endpoint))).hasToString("http://h:4318/v1/traces");
    assertThat(Tracing.withPath(URI.create("http://h/x"))).hasToString("http://h/x");
  }
}
