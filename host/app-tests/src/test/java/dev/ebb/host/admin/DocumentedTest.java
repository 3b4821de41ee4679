package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.cluster.MemoryCluster;
import dev.ebb.host.config.Configs;
import dev.ebb.host.docs.GeneratedTable;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.commands.ProtocolCommand;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Checks the calls and metrics in the documentation against the program. */
class DocumentedTest {

  private static final Path DOCS = Path.of("..", "..", "docs");

  /** The metrics that {@code ebb engine} serves; the tests of its module check them. */
  private static final Set<String> OF_MODULES =
      Metric.all().stream()
          .map(Metric::name)
          .dropWhile(name -> !name.equals("ebb_num_requests_running"))
          .takeWhile(name -> !name.equals("ebb_tenant_hits_total"))
          .collect(Collectors.toSet());

  private static final Pattern CURL =
      Pattern.compile(
          "^curl -s( -X (\\S+))?( -H 'Content-Type: application/json' -d '([^']+)')?"
              + " localhost:9090(\\S+)$",
          Pattern.MULTILINE);
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{[^}]*})? (\\S+)");

  @TempDir private Path home;

  @Test
  void everyCallIsDocumented() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      GeneratedTable.check(
          "admin.md",
          "calls",
          DocumentedTest.class,
          List.of("call", "purpose", "parameters or body"),
          process.operations().stream().map(DocumentedTest::row).toList());
    }
  }

  private static List<String> row(Operation operation) {
    List<Field> body = operation.body();
    List<Field> fields = body == null || body.isEmpty() ? operation.query() : body;
    String mark = fields.equals(operation.query()) ? "?" : "";
    return List.of(
        "`" + operation + "`",
        operation.summary(),
        fields.stream()
            .map(field -> "`" + mark + field.name() + "`")
            .collect(Collectors.joining(", ")));
  }

  @Test
  void everyMetricIsDocumented() {
    GeneratedTable.check(
        "metrics.md",
        "metrics",
        DocumentedTest.class,
        List.of("metric", "type", "labels", "meaning"),
        Metric.all().stream().map(DocumentedTest::row).toList());
  }

  private static List<String> row(Metric metric) {
    return List.of(
        "`" + metric.name() + "`",
        metric.kind().name().toLowerCase(Locale.ROOT),
        metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", ")),
        metric.help());
  }

  @Test
  void everyDocumentedCommandWorksInItsOrder() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      process.put("system-prompt", 100);
      Matcher curl = CURL.matcher(text("admin.md"));
      int commands = 0;
      while (curl.find()) {
        String method = curl.group(2) == null ? "GET" : curl.group(2);
        // The policies of this test go by other names.
        String path = curl.group(5).replace("/sieve", "/second");
        String body =
            curl.group(4) == null
                ? ""
                : curl.group(4)
                    .replace("sieve", "second")
                    .replace("lru", "first")
                    .replace("\"version\": 1", "\"version\": " + version(process));
        Answer answer =
            body.isEmpty() && method.equals("DELETE")
                ? process.delete(path)
                : body.isEmpty() ? process.get(path) : process.call(method, path, body);
        assertThat(answer.status()).as("%s: %s", curl.group(), answer.body()).isBetween(200, 299);
        commands++;
      }
      assertThat(commands).isEqualTo(text("admin.md").split("\ncurl -s ", -1).length - 1);
    }
  }

  private static long version(AdminProcess process) {
    return process.get("/api/v1/config").json().get("version").longValue();
  }

  @Test
  void everyMetricIsServedAsItIsDocumented() {
    String settings =
        """
        ebb.eviction.rules = [{name=a, when=turnover, below=1 s, clear-at=2 s, policy=second}]
        ebb.shadow { policies = [second], rate = 1 }
        ebb.server.kv-events { enabled = true, endpoint = "tcp://127.0.0.1:*" }
        ebb.tracing.endpoint = "http://127.0.0.1:9"
        """;
    MemoryCluster cluster = new MemoryCluster("a", "z", "r");
    try (AdminProcess process = AdminProcess.start(home, settings, cluster)) {
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"third\"}");
      Storm.of(process);
      process.put("hybrid@01000100@0@0a@", 10);
      process.put("hybrid@01000100@1@0a@", 10);
      hint(process);
      Answer answer = process.get("/metrics");
      // A policy's gauges are asked for once a second, while there is something to do; candidates
      // need a while to differ.
      while (!answer.body().contains("\nebb_policy_gauge{")
          || !answer.body().contains("\nebb_shadow_prefix_hit_ratio{")
          || !answer.body().contains("\nebb_hit_ratio_at_memory{")
          || !answer.body().contains("\nebb_tenant_hit_ratio_at_memory{")) {
        PrefixHitsTest.serve(process);
        for (int i = 0; i < 200; i++) {
          process.jedis().get("nothing-" + i);
          process.put("nothing-" + i, 10);
          String tenant = i % 2 == 0 ? "ann" : "bob";
          process.jedis().get("tiny@0@0@%08x@%s".formatted(i, tenant));
        }
        answer = process.get("/metrics");
      }
      assertThat(answer.response().headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
      Set<String> served = families(answer.body());
      served.addAll(families(engineMetrics()));
      served.removeIf(name -> !name.startsWith("ebb_"));
      assertThat(served)
          .containsExactlyInAnyOrderElementsOf(
              Metric.all().stream()
                  .map(Metric::name)
                  .filter(name -> !OF_MODULES.contains(name))
                  .toList());
    }
  }

  private static void hint(AdminProcess process) {
    ProtocolCommand request = () -> "EBB.REQUEST".getBytes(StandardCharsets.UTF_8);
    ProtocolCommand hints = () -> "EBB.HINTS".getBytes(StandardCharsets.UTF_8);
    process.jedis().sendCommand(request, "BEGIN", "hinted", "KEYS", "hinted-chunk");
    process
        .jedis()
        .sendCommand(
            hints,
            "hinted",
            """
            {"protocol_version": "0.1", "message_id": "m", "actions": [
              {"action_id": "a", "action_type": "kv.retain", "action_version": "1.0",
               "payload": {"directives": [{"priority": 5}]}}]}\
            """);
    process.jedis().sendCommand(request, "END", "hinted");
  }

  /** What an engine in this process serves. */
  private String engineMetrics() {
    PluginJarBuilder.plugin("tokens")
        .tokenPolicy("newest")
        .writeTo(Configs.plugins(home), "tokens.jar");
    EbbOptions options =
        EbbOptions.of(new KvLayout(1, 1, 8, 4, DType.FP16), home)
            .withSettings(
                """
                ebb {
                  pool { device = host, size = 16 KiB }
                  eviction.policy = first
                  tokens.policy = newest
                  tiers.remote { server = "127.0.0.1:9", timeout = 100 ms }
                  admin { enabled = true, port = 0 }
                }
                """);
    try (Ebb ebb = Ebb.start(options);
        HttpClient client = HttpClient.newHttpClient()) {
      ebb.open(SequenceRequest.of(Namespace.of("tiny"), 1, 2, 3, 4, 5)).finish();
      int port = requireNonNull(ebb.adminAddress()).getPort();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(port))).build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  private static Set<String> families(String text) {
    Set<String> served = new TreeSet<>();
    String help = "";
    String type = "";
    for (String line : text.lines().toList()) {
      if (line.startsWith("# HELP ")) {
        help = line.split(" ", 4)[2];
      } else if (line.startsWith("# TYPE ")) {
        type = line.split(" ", 4)[2];
        assertThat(type).as(line).isEqualTo(help);
        assertThat(served).as("one family twice").doesNotContain(type);
        served.add(type);
      } else {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        assertThat(sample.group(1)).startsWith(type);
        assertThat(Double.parseDouble(sample.group(3).replace("+Inf", "Infinity"))).isNotNaN();
      }
    }
    return served;
  }

  @Test
  void theDashboardForGrafanaShowsOnlyWhatThereIs() {
    TreeSet<String> exist = new TreeSet<>();
    for (Metric metric : Metric.all()) {
      boolean histogram = metric.kind() == Metric.Kind.HISTOGRAM;
      exist.add(histogram ? metric.name() + "_bucket" : metric.name());
    }
    JsonNode dashboard = new ObjectMapper().readTree(text("grafana/ebb.json"));
    TreeSet<String> shown = new TreeSet<>();
    for (JsonNode expression : dashboard.findValues("expr")) {
      Matcher name = Pattern.compile("ebb_\\w+").matcher(expression.asString());
      while (name.find()) {
        shown.add(name.group());
      }
    }
    assertThat(shown).hasSizeGreaterThan(20);
    assertThat(exist).containsAll(shown);
  }

  private static String text(String page) {
    try {
      return Files.readString(DOCS.resolve(page));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
