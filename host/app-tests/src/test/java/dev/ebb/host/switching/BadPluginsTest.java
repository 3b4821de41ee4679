package dev.ebb.host.switching;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.policy.PluginsDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.QuarantineDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.app.Serving;
import dev.ebb.host.config.Configs;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.BadPolicies;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.Entry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.ObjectMapper;

/** A serving host and JARs that misbehave, each in its own way: it serves on, and says what was. */
class BadPluginsTest {

  private static final int VALUES = 400;
  private static final int VALUE_BYTES = 20_000;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** What the policies below use; threads that are abandoned end with their test. */
  private static final String MEMBERS =
      """
      static Entry foreign() {
        return (Entry) java.lang.reflect.Proxy.newProxyInstance(
            Entry.class.getClassLoader(), new Class<?>[] {Entry.class}, (p, m, a) -> null);
      }

      static void nap() {
        try { Thread.sleep(20); } catch (InterruptedException goesOn) { }
      }

      static boolean over() { return Boolean.getBoolean("%s"); }
      """;

  private final String over = "acme.over." + UUID.randomUUID();

  @TempDir private Path home;

  @AfterEach
  void endThreads() {
    System.setProperty(over, "true");
  }

  /** Good on the small cache of the self-test, and bad where it counts. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "throws       | if (!tested) throw new IllegalStateException(\"always\");  | threw",
        "sometimes    | if (!tested && victims % 100 == 99) throw new Error(\"some day\"); | threw",
        "loops        | while (!tested && !over()) { Thread.onSpinWait(); }         | overran",
        "sleeps       | while (!tested && !over()) { nap(); }                       | overran",
        "foreign      | if (!tested) return foreign();                              |"
            + " offered-wrong",
        "nothing      | if (!tested) return null;                                   |"
            + " offered-nothing",
        "keeps        | if (!tested && first != null) return first;                 |"
            + " offered-wrong",
        "recurses     | if (!tested) return victim(demand);                         | threw",
      })
  void whatFailsWhileActiveIsReplacedAndPutInQuarantine(String type, String inVictim, String kind)
      throws Exception {
    String name = type.substring(0, 1).toUpperCase(Locale.ROOT) + type.substring(1);
    drop("bad", name, inVictim, MEMBERS.formatted(over));
    try (Running running = start()) {
      assertThat(running.put("/api/v1/policy", type)).isEqualTo(200);
      running.storm();

      PolicyDocument policy = running.await("builtin-lru");
      QuarantineDocument quarantine = running.policy().quarantine().getFirst();
      assertThat(policy.configured()).isEqualTo(type);
      assertThat(quarantine.kind()).isEqualTo(kind);
      assertThat(quarantine.strategy().plugin()).isEqualTo("bad");
      assertThat(quarantine.reason()).contains("policy '" + type + "'");
      if (kind.equals("threw")) {
        assertThat(quarantine.stack()).contains("acme." + name + "$Policy.victim");
      }
      assertThat(running.get("/api/v1/plugins", PluginsDocument.class).toString())
          .contains("the policy '" + type + "' is in quarantine");
      assertThat(running.put("/api/v1/policy", type)).isEqualTo(400);
      assertThat(running.get("/api/v1/stats", StatsDocument.class).policy().abandonedThreads())
          .isEqualTo(kind.equals("overran") ? 1 : 0);

      assertThat(running.put("/api/v1/policy", "good")).isEqualTo(200);
      running.storm();
      running.await("good");
    }
  }

  @Test
  void aFixedJarIsNotInQuarantineAndTakesOver() throws Exception {
    drop("bad", "Fixed", "if (!tested) throw new IllegalStateException();", "");
    try (Running running = start()) {
      running.put("/api/v1/policy", "fixed");
      running.storm();
      running.await("builtin-lru");

      drop("bad", "Fixed", "", "");
      running.await("fixed");
      running.storm();
      assertThat(running.policy().policy()).isEqualTo("fixed");
    }
  }

  @Test
  void aPolicyWhoseQuarantineIsClearedMayTryAgain() throws Exception {
    drop("bad", "Bad", "if (!tested) throw new IllegalStateException();", "");
    try (Running running = start()) {
      running.put("/api/v1/policy", "bad");
      running.storm();
      running.await("builtin-lru");

      assertThat(running.send("DELETE", "/api/v1/quarantine/bad", "").statusCode()).isEqualTo(200);
      assertThat(running.put("/api/v1/policy", "bad")).isEqualTo(200);
      running.storm();
      running.await("builtin-lru");
      assertThat(running.policy().quarantine().getFirst().faults()).isEqualTo(2);
    }
  }

  /** What is wrong in one of these is nothing that the cache would notice: it serves on with it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "new ThreadLocal<Object>().set(new Object[1000]);",
        "if (victims == 1) { Thread.ofPlatform().daemon().start(() -> { while (!over()) { nap(); }"
            + " }); }",
        "kept.add(first);",
      })
  void otherProblemsDoNotStopServing(String inVictim) throws Exception {
    drop(
        "odd",
        "Odd",
        inVictim,
        "final List<Object> kept = new ArrayList<>();" + MEMBERS.formatted(over));
    try (Running running = start()) {
      assertThat(running.put("/api/v1/policy", "odd")).isEqualTo(200);
      running.storm();
      running.await("odd");
      assertThat(running.put("/api/v1/policy", "good")).isEqualTo(200);
      running.storm();
      assertThat(running.policy().quarantine()).isEmpty();
    }
  }

  @Test
  void oneThatThrowsInCloseIsLetGo() throws Exception {
    drop(
        "odd",
        "Odd",
        "",
        "public void close() { throw new IllegalStateException(\"not closing\"); }");
    try (Running running = start()) {
      running.put("/api/v1/policy", "odd");
      running.storm();
      assertThat(running.put("/api/v1/policy", "good")).isEqualTo(200);
      Files.delete(home.resolve("plugins/odd.jar"));
      Awaiting.until(() -> {
        System.gc();
        return !running.get("/api/v1/plugins", PluginsDocument.class).toString().contains("id=odd")
            && running.get("/api/v1/plugins/history", SwapDocument.History.class).loaders() == 0;
      });
    }
  }

  @Test
  void jarsThatLieAreRefusedWhileTheHostServes() throws Exception {
    try (Running running = start()) {
      Path folder = home.resolve("plugins");
      PluginJarBuilder.plugin("bundled").policy("b").bundling(Entry.class).writeTo(folder, "b.jar");
      PluginJarBuilder.plugin("next")
          .policy("n")
          .manifest("Plugin-Requires", ">=9.0.0 & <10.0.0")
          .writeTo(folder, "n.jar");
      PluginJarBuilder.plugin("liar")
          .policy("l")
          .without("Plugin-Version")
          .writeTo(folder, "l.jar");
      Path whole = PluginJarBuilder.plugin("cut").policy("c").writeTo(home, "c.jar");
      byte[] bytes = Files.readAllBytes(whole);
      Files.write(folder.resolve("c.jar"), Arrays.copyOf(bytes, bytes.length / 2));

      Awaiting.until(() ->
          running.reports().stream().filter(report -> report.state() == PluginState.REFUSED).count()
              == 4);
      assertThat(running.reports())
          .allMatch(report -> report.state() == PluginState.LOADED || !report.reason().isEmpty());
      running.storm();
      running.await("good");
    }
  }

  private void drop(String id, String type, String inVictim, String members) {
    PluginJarBuilder.plugin(id)
        .provider("acme." + type, BadPolicies.source(type, inVictim, members))
        .writeTo(Configs.plugins(home), id + ".jar");
  }

  private Running start() {
    PluginJarBuilder.plugin("acme").policy("good").writeTo(Configs.plugins(home), "acme.jar");
    Host host =
        Host.open(
            Configs.of(
                home,
                """
                ebb.pool.size = 4 MiB
                ebb.server.port = 0
                ebb.admin.port = 0
                ebb.eviction.policy = good
                ebb.eviction.deadline = 2 s
                ebb.plugins.rescan = 1 s
                """));
    return new Running(host, Serving.start(host));
  }

  /** The process with its clients and its operator. */
  private record Running(Host host, Serving serving) implements AutoCloseable {

    /**
     * Stores more than fits. Each value is read back as it was put, or not at all: a policy that
     * offers an entry again whose object the cache has reused evicts the newest value.
     */
    void storm() {
      int found = 0;
      try (Jedis jedis = new Jedis("127.0.0.1", serving.address().getPort(), 60_000)) {
        for (int i = 0; i < VALUES; i++) {
          byte[] key = ("key" + i).getBytes(StandardCharsets.UTF_8);
          byte[] value = new byte[VALUE_BYTES];
          value[0] = (byte) i;
          assertThat(jedis.set(key, value)).isEqualTo("OK");
          byte[] read = jedis.get(key);
          assertThat(read == null || Arrays.equals(read, value))
              .as("the value of key%d", i)
              .isTrue();
          found += read == null ? 0 : 1;
        }
      }
      assertThat(found).isGreaterThan(VALUES / 2);
    }

    int put(String path, String policy) {
      return send("PUT", path, "{\"policy\": \"" + policy + "\"}").statusCode();
    }

    <T> T get(String path, Class<T> type) {
      return new ObjectMapper().readValue(send("GET", path, "").body(), type);
    }

    PolicyDocument policy() {
      return get("/api/v1/policy", PolicyDocument.class);
    }

    PolicyDocument await(String active) {
      Awaiting.until(() -> policy().policy().equals(active));
      return policy();
    }

    List<PluginReport> reports() {
      return host.plugins().reports();
    }

    HttpResponse<String> send(String method, String path, String json) {
      int port = requireNonNull(serving.adminAddress()).getPort();
      try {
        return HTTP.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Content-Type", "application/json")
                .method(
                    method,
                    json.isEmpty()
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(json))
                .build(),
            HttpResponse.BodyHandlers.ofString());
      } catch (IOException failed) {
        throw new AssertionError(failed);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError(interrupted);
      }
    }

    @Override
    public void close() {
      serving.close();
      host.close();
    }
  }
}
