package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.cluster.MemoryCluster;
import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FailsWhenActive;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI document has every call, and real answers match it. */
class OpenApiTest {

  private static final Path DOCUMENT =
      Path.of("../admin/src/main/resources/dev/ebb/host/admin", ApiRoutes.DOCUMENT);

  private static final String WRITE = "ebb.reference.write";
  private static final String HOW =
      "run: mvn test -pl host/app-tests -am -Dtest=OpenApiTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false -D%s=true"
          .formatted(WRITE);

  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TempDir private Path home;

  private AdminProcess start() {
    return AdminProcess.start(
        home,
        """
        ebb.shadow { rate = 1, policies = [second] }
        ebb.server.kv-events { enabled = true, endpoint = "tcp://127.0.0.1:*" }
        ebb.eviction.rules = [
          { name = full, when = occupancy, above = "90 %", clear-at = "80 %", policy = second }
        ]
        """,
        new MemoryCluster("a", "z", "r1").node("b", "z", "r2", 1).put("key9", 10, "a", "b"));
  }

  @Test
  void theDocumentIsGeneratedFromTheOperations() throws Exception {
    try (AdminProcess process = start()) {
      String generated =
          MAPPER
                  .writerWithDefaultPrettyPrinter()
                  .writeValueAsString(OpenApi.of(process.operations()))
                  .replace("\r\n", "\n")
              + "\n";
      if (Boolean.getBoolean(WRITE)) {
        Files.writeString(DOCUMENT, generated);
      }
      assertThat(Files.readString(DOCUMENT)).as(HOW).isEqualTo(generated);
    }
  }

  @Test
  void everyCallIsServedWithinTheDocument() {
    try (AdminProcess process = start()) {
      JsonNode document = process.get("/api/v1/openapi.json").json();
      Set<String> served = new TreeSet<>();
      document
          .get("paths")
          .properties()
          .forEach(path ->
              path.getValue()
                  .propertyNames()
                  .forEach(
                      method -> served.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
      assertThat(served)
          .containsExactlyInAnyOrderElementsOf(
              process.operations().stream().map(Operation::toString).toList());
      Set<String> ids = new TreeSet<>();
      for (JsonNode id : document.findValues("operationId")) {
        assertThat(ids.add(id.stringValue())).as("one id twice: %s", id).isTrue();
      }
    }
  }

  /** Calls in an order in which each has something to answer. */
  private static final List<String> CALLS =
      List.of(
          "GET /health/live",
          "GET /health/ready",
          "POST /api/v1/evict {\"key\": \"key1\"}",
          "POST /api/v1/evict {\"to\": 0.2}",
          "POST /api/v1/pins {\"key\": \"key9\", \"seconds\": 60}",
          "PUT /api/v1/policy {\"policy\": \"third\"}",
          "POST /api/v1/cluster/migrations {\"keys\": [\"key9\"], \"node\": \"b\"}",
          "GET /api/v1/openapi.json",
          "GET /api/v1/stats",
          "GET /api/v1/tiers",
          "GET /api/v1/history",
          "GET /api/v1/models",
          "GET /api/v1/hints",
          "GET /api/v1/policies",
          "GET /api/v1/policy",
          "GET /api/v1/plugins",
          "GET /api/v1/config",
          "GET /api/v1/plugins/history",
          "GET /api/v1/policy/rules",
          "GET /api/v1/shadows",
          "GET /api/v1/entries",
          "GET /api/v1/entries/key9",
          "GET /api/v1/explain/key9",
          "GET /api/v1/pins",
          "GET /api/v1/cluster",
          "GET /api/v1/cluster/nodes",
          "GET /api/v1/cluster/nodes/b",
          "GET /api/v1/cluster/values?key=key9",
          "GET /api/v1/cluster/migrations",
          "GET /api/v1/cluster/migrations/1",
          "POST /api/v1/route {\"keys\": [\"key9\"]}",
          "POST /api/v1/blocks {\"block_hashes\": [1]}",
          "GET /api/v1/pool",
          "GET /api/v1/pool/map?cells=10",
          "GET /api/v1/pool/curve",
          "GET /api/v1/pool/migrations",
          "GET /api/v1/evictions",
          "PATCH /api/v1/config {\"dryRun\": true, \"changes\": {\"ebb.eviction.policy\": \"second\"}}",
          "POST /api/v1/policy/rollback {}",
          "DELETE /api/v1/quarantine/bad",
          "POST /api/v1/plugins/reload {}",
          "POST /api/v1/policy/rules/pause {}",
          "POST /api/v1/policy/rules/resume {}",
          "POST /api/v1/shadows {\"policies\": [\"third\"]}",
          "DELETE /api/v1/shadows/third",
          "POST /api/v1/policy/canary {\"policy\": \"second\", \"seconds\": 60}",
          "GET /api/v1/policy/canary",
          "POST /api/v1/policy/canary/keep {}",
          "POST /api/v1/policy/canary {\"policy\": \"first\", \"seconds\": 60}",
          "DELETE /api/v1/policy/canary",
          "DELETE /api/v1/pins/key9",
          "DELETE /api/v1/entries/key9",
          "GET /api/v1/namespaces",
          "DELETE /api/v1/adapters/sql",
          "POST /api/v1/cluster/nodes/b/drain {}",
          "POST /api/v1/cluster/nodes/b/activate {}");

  /** Calls that only an embedded engine answers, after one that it answers in its own way. */
  private static final List<String> ENGINE_CALLS =
      List.of(
          "GET /api/v1/stats",
          "GET /api/v1/history",
          "GET /api/v1/pool",
          "POST /api/v1/pool/defrag {}",
          "POST /api/v1/pool/migrate {\"sequence\": 1, \"device\": \"host\"}",
          "GET /api/v1/pool/migrations",
          "GET /api/v1/pool/migrations/1");

  @Test
  void realAnswersMatchTheirSchemas() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Bad", FailsWhenActive.SOURCE)
        .writeTo(Configs.plugins(home), "bad.jar");
    try (AdminProcess process = start()) {
      for (int i = 0; i < 10; i++) {
        process.put("key" + i, 60_000);
        process.put("m@1@0@a%d@half@lora%%sql".formatted(i), 1_000);
      }
      process.put("model@1@0@abc@ann", 100);
      process.put("hybrid@01000100@0@0a@", 100);
      process.put("hybrid@01000100@1@0a@", 100);
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"bad\"}");
      process.jedis().get("key9");
      Awaiting.until(
          () -> !process.get("/api/v1/policy").as(PolicyDocument.class).quarantine().isEmpty());
      Awaiting.until(() -> !process.get("/api/v1/history").json().at("/points").isEmpty());
      Schemas schemas = new Schemas(process.get("/api/v1/openapi.json").json());
      Set<String> left =
          process.operations().stream()
              .filter(each -> each.answer().document() != null)
              .map(Operation::toString)
              .collect(Collectors.toCollection(TreeSet::new));
      for (String call : CALLS) {
        String[] parts = call.split(" ", 3);
        Answer answer =
            parts.length == 3
                ? process.call(parts[0], parts[1], parts[2])
                : parts[0].equals("GET") ? process.get(parts[1]) : process.delete(parts[1]);
        Operation operation = operation(process, parts[0], parts[1]);
        assertThat(answer.status())
            .as("%s: %s", call, answer.body())
            .isEqualTo(operation.answer().status());
        assertThat(schemas.problems(operation, answer.body())).as(call).isEmpty();
        left.remove(operation.toString());
      }
      assertThat(left)
          .containsExactlyInAnyOrder(
              "POST /api/v1/pool/defrag",
              "POST /api/v1/pool/migrate",
              "GET /api/v1/pool/migrations/{id}");
    }
  }

  @Test
  void anEngineServesItsCallsOnly() {
    PluginJarBuilder.plugin("acme").policy("first").writeTo(Configs.plugins(home), "acme.jar");
    KvLayout layout = new KvLayout(1, 1, 8, 4, DType.FP16);
    EbbOptions options =
        EbbOptions.of(layout, home)
            .withSettings(
                """
                ebb {
                  pool.size = 16 KiB
                  eviction.policy = first
                  admin { enabled = true, port = 0 }
                }
                """);
    try (HostDevice host = new HostDevice();
        Ebb ebb = Ebb.start(options, new FailingDevice("cuda:0", host), host);
        Sequence _ = ebb.open(SequenceRequest.of(Namespace.of("m"), 1, 2, 3).withDevice("cuda:0"));
        HttpClient client = HttpClient.newHttpClient()) {
      String address = "http://127.0.0.1:" + requireNonNull(ebb.adminAddress()).getPort();
      JsonNode document = MAPPER.readTree(body(client, address, "GET /api/v1/openapi.json"));
      assertThat(document.get("paths").propertyNames())
          .contains("/api/v1/pool/migrations/{id}", "/api/v1/history", "/api/v1/entries")
          .doesNotContain("/api/v1/models", "/api/v1/cluster");
      Schemas schemas = new Schemas(document);
      for (String call : ENGINE_CALLS) {
        String[] parts = call.split(" ", 3);
        String path = parts[1].replaceFirst("1$", "{id}").replace("/api/v{id}", "/api/v1");
        JsonNode schema = document.at("/paths").get(path).get(parts[0].toLowerCase(Locale.ROOT));
        assertThat(schemas.problems(schema, body(client, address, call))).as(call).isEmpty();
      }
    }
  }

  private static String body(HttpClient client, String address, String call) {
    String[] parts = call.split(" ", 3);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + parts[1]))
            .header("Content-Type", "application/json")
            .method(
                parts[0],
                parts.length == 3
                    ? HttpRequest.BodyPublishers.ofString(parts[2])
                    : HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
      return response.body();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void errorsMatchTheirSchema() {
    try (AdminProcess process = start()) {
      Schemas schemas = new Schemas(process.get("/api/v1/openapi.json").json());
      assertThat(schemas.problems("Error", process.get("/api/v1/nothing").body())).isEmpty();
      assertThat(schemas.problems("Error", "{\"error\": 1}")).isNotEmpty();
    }
  }

  @Test
  void aRequestWithoutARequiredFieldIsRefused() {
    try (AdminProcess process = start()) {
      List<String> required = new ArrayList<>();
      for (Operation operation : process.operations()) {
        List<Field> body = operation.body();
        if (body != null && body.stream().anyMatch(Field::required)) {
          required.add(operation.path());
          assertThat(process.call(operation.method(), operation.path(), "{}").status())
              .as(operation.toString())
              .isEqualTo(400);
        }
        if (operation.query().stream().anyMatch(Field::required)) {
          required.add(operation.path());
          assertThat(process.get(operation.path()).status()).isEqualTo(400);
        }
      }
      assertThat(required).hasSize(8);
    }
  }

  private static Operation operation(AdminProcess process, String method, String path) {
    String plain = path.replaceFirst("\\?.*", "");
    List<Operation> found =
        process.operations().stream()
            .filter(each -> each.method().equals(method))
            .filter(each -> plain.matches(each.path().replaceAll("\\{\\w+}", "[^/]+")))
            .toList();
    return found.stream()
        .filter(each -> each.path().equals(plain))
        .findFirst()
        .orElseGet(found::getFirst);
  }

  /** The schemas of the document. Clients accept further properties; this test does not. */
  private static final class Schemas {
    private final ObjectNode components;
    private final JsonNode document;

    Schemas(JsonNode document) {
      this.document = document;
      components = (ObjectNode) document.get("components").deepCopy();
      components
          .get("schemas")
          .forEach(schema -> ((ObjectNode) schema).put("additionalProperties", false));
    }

    List<Error> problems(Operation operation, String body) {
      return problems(
          document
              .get("paths")
              .get(operation.path())
              .get(operation.method().toLowerCase(Locale.ROOT)),
          body);
    }

    /** Checks an answer of success, which each operation has one of. */
    List<Error> problems(JsonNode operation, String body) {
      JsonNode success = operation.get("responses").iterator().next();
      JsonNode schema = success.get("content").get("application/json").get("schema");
      return problems((ObjectNode) schema.deepCopy(), body);
    }

    List<Error> problems(String name, String body) {
      return problems(MAPPER.createObjectNode().put("$ref", "#/components/schemas/" + name), body);
    }

    private List<Error> problems(ObjectNode schema, String body) {
      schema.set("components", components);
      Schema compiled =
          SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schema);
      return List.copyOf(compiled.validate(MAPPER.readTree(body)));
    }
  }
}
