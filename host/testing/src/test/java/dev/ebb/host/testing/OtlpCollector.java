package dev.ebb.host.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A collector of OpenTelemetry that accepts traces by OTLP over HTTP, in protobuf, and nothing
 * else: unknown fields, missing ids and repeated attributes are problems. It can also misbehave.
 */
public final class OtlpCollector implements AutoCloseable {

  /** How a request is answered. */
  public enum Behaviour {
    GOOD,
    /** Status 429. */
    BUSY,
    /** Status 400, after which nobody tries again. */
    REFUSES,
    /** Never answered. */
    HANGS
  }

  /**
   * A received span.
   *
   * @param parentId empty for the first one of a trace
   * @param attributes texts, numbers, booleans and lists of texts by name
   * @param error the description of its error; null if it has none
   */
  public record Received(
      String traceId,
      String spanId,
      String parentId,
      String name,
      String kind,
      long startNanos,
      long endNanos,
      Map<String, Object> attributes,
      @Nullable String error) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Received> spans = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final List<Map<String, Object>> resources = new ArrayList<>();
  private final List<Headers> requests = new ArrayList<>();
  private volatile Behaviour behaviour = Behaviour.GOOD;

  private OtlpCollector(HttpServer server) {
    this.server = server;
  }

  /** Starts a collector on a free port. */
  public static OtlpCollector start() {
    return start(0);
  }

  /** Starts a collector on a port. */
  public static OtlpCollector start(int port) {
    try {
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      OtlpCollector collector = new OtlpCollector(http);
      http.setExecutor(collector.threads);
      http.createContext("/", collector::receive);
      http.start();
      return collector;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public OtlpCollector behaving(Behaviour how) {
    behaviour = how;
    return this;
  }

  /** Returns the spans so far; fails if any request was not as it should be. */
  public synchronized List<Received> spans() {
    if (!problems.isEmpty()) {
      throw new AssertionError(problems.toString());
    }
    return List.copyOf(spans);
  }

  /** Returns the attributes of the sender, one for each accepted request. */
  public synchronized List<Map<String, Object>> resources() {
    return List.copyOf(resources);
  }

  /** Returns the headers of all requests, answered or not. */
  public synchronized List<Headers> requests() {
    return List.copyOf(requests);
  }

  private static Map<String, Object> attributes(List<KeyValue> attributes) {
    Map<String, Object> values = new TreeMap<>();
    for (KeyValue each : attributes) {
      if (values.put(each.getKey(), value(each.getValue())) != null) {
        throw new IllegalArgumentException("'%s' occurs twice".formatted(each.getKey()));
      }
    }
    return values;
  }

  private static Object value(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case INT_VALUE -> value.getIntValue();
      case DOUBLE_VALUE -> value.getDoubleValue();
      case BOOL_VALUE -> value.getBoolValue();
      case ARRAY_VALUE ->
          value.getArrayValue().getValuesList().stream().map(OtlpCollector::value).toList();
      default -> throw new IllegalArgumentException("unexpected " + value.getValueCase());
    };
  }

  private void receive(HttpExchange exchange) throws IOException {
    byte[] body;
    try (InputStream in = exchange.getRequestBody()) {
      boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      body = (zipped ? new GZIPInputStream(in) : in).readAllBytes();
    }
    synchronized (this) {
      requests.add(exchange.getRequestHeaders());
    }
    Behaviour how = behaviour;
    if (how == Behaviour.HANGS) {
      hang();
      exchange.close();
      return;
    }
    if (how == Behaviour.GOOD) {
      take(exchange, body);
    }
    byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
    exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
    int status = how == Behaviour.BUSY ? 429 : how == Behaviour.REFUSES ? 400 : 200;
    exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private void hang() {
    try {
      closed.await();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void take(HttpExchange exchange, byte[] body) {
    try {
      require(exchange.getRequestMethod(), "POST");
      require(exchange.getRequestURI().getPath(), "/v1/traces");
      require(exchange.getRequestHeaders().getFirst("Content-Type"), "application/x-protobuf");
      ExportTraceServiceRequest request = ExportTraceServiceRequest.parseFrom(body);
      known(request);
      request
          .getResourceSpansList()
          .forEach(of -> {
            Resource resource = of.getResource();
            resources.add(attributes(resource.getAttributesList()));
            of.getScopeSpansList().forEach(scope -> scope.getSpansList().forEach(this::add));
          });
    } catch (IOException | IllegalArgumentException wrong) {
      problems.add(String.valueOf(wrong));
    }
  }

  private void add(Span span) {
    if (span.getTraceId().size() != 16
        || span.getSpanId().size() != 8
        || (!span.getParentSpanId().isEmpty() && span.getParentSpanId().size() != 8)
        || span.getName().isEmpty()
        || span.getStartTimeUnixNano() == 0
        || span.getEndTimeUnixNano() < span.getStartTimeUnixNano()) {
      throw new IllegalArgumentException("not a span: " + span);
    }
    boolean failed = span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR;
    spans.add(
        new Received(
            hex(span.getTraceId()),
            hex(span.getSpanId()),
            hex(span.getParentSpanId()),
            span.getName(),
            span.getKind().name().replace("SPAN_KIND_", ""),
            span.getStartTimeUnixNano(),
            span.getEndTimeUnixNano(),
            attributes(span.getAttributesList()),
            failed ? span.getStatus().getMessage() : null));
  }

  private static void require(String actual, String expected) {
    if (!expected.equals(actual)) {
      throw new IllegalArgumentException("'%s' is not '%s'".formatted(actual, expected));
    }
  }

  /** Refuses fields that the specification does not have, at any depth. */
  private static void known(Message message) {
    if (!message.getUnknownFields().asMap().isEmpty()) {
      throw new IllegalArgumentException("unknown fields: " + message.getUnknownFields());
    }
    for (Object value : message.getAllFields().values()) {
      for (Object each : value instanceof List<?> list ? list : List.of(value)) {
        if (each instanceof Message part) {
          known(part);
        }
      }
    }
  }

  private static String hex(ByteString id) {
    return HexFormat.of().formatHex(id.toByteArray());
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
