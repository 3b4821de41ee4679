package dev.ebb.host.sequences;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.app.ConfigCheck;
import dev.ebb.host.app.Serving;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What engines in other processes can use of the configuration, and what they are refused. */
class EngineSettingsTest {

  private static final int BLOCKS = 8;

  @TempDir Path home;

  @Test
  void aRefusedPolicyIsForgotten() throws Exception {
    try (Host host = host("none");
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      client.call(model(2));
      assertThat(set(serving, "attentive")).contains("ACCUMULATED_ATTENTION");
      assertThat(set(serving, "adakv")).contains("'2' lane groups");
      // Another shape needs another engine, and that has the policy that was there before.
      client.call(model(1));
      assertThat(set(serving, "newest")).contains("\"committed\":true");
      client.call(model(2));
    }
  }

  @Test
  void aPolicyThatNeedsLaneGroupsIsRefusedAtTheModelUntilItOrTheModelChanges() throws Exception {
    try (Host host = host("adakv");
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      assertRefused(client, "LANEGROUPS", model(2, "QUERIES"));
      assertRefused(client, "'3'", model(2, "LANEGROUPS", "3", "QUERIES"));
      client.call(model(2, "LANEGROUPS", "2", "QUERIES"));
      assertThat(set(serving, "none")).contains("\"committed\":true");
      client.call(model(2));
    }
    try (Host host = host("adakv");
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      assertRefused(client, "LANEGROUPS", model(2, "QUERIES"));
      assertThat(set(serving, "newest")).contains("\"committed\":true");
      client.call(model(2));
    }
  }

  @Test
  void withoutAnEngineOnlyWhatNoneCanUseIsRefused() throws Exception {
    try (Host host = host("none");
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      assertThat(set(serving, "mean")).contains("QUERY_MEAN");
      assertThat(set(serving, "attentive")).contains("\"committed\":true");
      assertRefused(client, "QUERIES or ATTENTION of EBB.SEQ MODEL", model(1));
      client.call(model(1, "ATTENTION"));
      client.call(model(2, "ATTENTION"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mean",
        "newest\nebb.tokens.layers = [\"0-1 mean\"]",
        "none\nebb.tokens.pressure = [\"1 MiB mean\"]"
      })
  void whatNoneCanUseIsRefusedAtTheStartAndByACheck(String policy) throws IOException {
    LoadedConfig loaded = loaded(policy);
    try (Host host = Host.open(loaded)) {
      host.verify();
      assertThatThrownBy(() -> Serving.start(host))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("engines in other processes");
    }
    assertThat(ConfigCheck.findings(loaded))
        .filteredOn(finding -> finding.level() == ConfigCheck.Level.WRONG)
        .singleElement()
        .satisfies(finding -> assertThat(finding.text()).contains("engines in other processes"));
  }

  @Test
  void aRefusalForMemorySaysTheWholeWaitAndTheKey() throws IOException {
    try (Host host = host("none");
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      client.call(model(1));
      List<?> all = client.call("OPEN", tokens(BLOCKS));
      assertThatThrownBy(() -> client.call("OPEN", "WAIT", 250, tokens(1)))
          .hasMessageStartingWith("OOM ")
          .hasMessageContaining("waited '250' ms")
          .hasMessageContaining("enlarge ebb.server.sequences.memory");
      long id = (Long) all.get(0);
      assertThatThrownBy(() -> client.call("APPEND", id, List.of(1)))
          .hasMessageStartingWith("OOM ")
          .hasMessageNotContaining("waited");
      // More than all would never fit: a wait of a minute would be noticed.
      assertRefused(client, "'9' blocks", "OPEN", "WAIT", 60_000, tokens(BLOCKS + 1));
      assertRefused(
          client, "'9' blocks", "OPEN", "RESERVE", BLOCKS + 1, "WAIT", 60_000, List.of(1));
      client.call("ABORT", id);
      List<?> next = client.call("OPEN", tokens(1));
      // The wait was one attempt.
      assertThat(next.get(0)).isEqualTo(id + 2);
    }
  }

  @Test
  void onlyStatedObservationsAreTaken() throws IOException {
    try (Host host = host("none");
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      client.call(model(1));
      observe(client, "QUERIES", "ATTENTION");
      client.call(model(1, "QUERIES"));
      observe(client, "ATTENTION");
      client.call(model(1, "QUERIES", "ATTENTION"));
      observe(client);
    }
  }

  private static void observe(EngineSocket client, String... refused) throws IOException {
    List<?> opened = client.call("OPEN", tokens(1));
    for (String kind : List.of("QUERIES", "ATTENTION")) {
      Object[] command = {"OBSERVE", opened.get(0), kind, 0, 1, tokens(1)};
      if (List.of(refused).contains(kind)) {
        assertRefused(client, "without '%s'".formatted(kind), command);
      } else {
        assertThat(client.<Object>call(command)).isEqualTo("UNUSED");
      }
    }
    client.call("ABORT", opened.get(0));
  }

  private static void assertRefused(EngineSocket client, String part, Object... words) {
    assertThatThrownBy(() -> client.call(words)).hasMessageContaining(part);
  }

  private static List<Integer> tokens(int count) {
    return Collections.nCopies(count, 7);
  }

  /** States a model with one token in a block, and observations. */
  private static Object[] model(int layers, String... observations) {
    String words =
        "MODEL m LAYERS %d KVHEADS 1 HEADDIM 1 BLOCKTOKENS 1 DTYPE fp32 ".formatted(layers)
            + String.join(" ", observations);
    return words.strip().split(" ");
  }

  /** Changes the token policy, and returns the reply. */
  private static String set(Serving serving, String policy) throws Exception {
    URI uri =
        URI.create(
            "http://127.0.0.1:%d/api/v1/config"
                .formatted(requireNonNull(serving.adminAddress()).getPort()));
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest change =
          HttpRequest.newBuilder(uri)
              .header("Content-Type", "application/json")
              .method(
                  "PATCH",
                  HttpRequest.BodyPublishers.ofString(
                      "{\"version\": 1, \"changes\": {\"ebb.tokens.policy\": \"%s\"}}"
                          .formatted(policy)))
              .build();
      return http.send(change, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  private Host host(String policy) throws IOException {
    Host host = Host.open(loaded(policy));
    host.verify();
    return host;
  }

  private LoadedConfig loaded(String policy) throws IOException {
    PluginJarBuilder.plugin("acme")
        .tokenPolicy("newest")
        .tokenPolicy("snapkv", "", "KV_HEAD", "")
        .tokenPolicy("attentive", "Signal.ACCUMULATED_ATTENTION", "SEQUENCE", "")
        .tokenPolicy("mean", "Signal.QUERY_MEAN", "SEQUENCE", "")
        .writeTo(Configs.plugins(home), "acme.jar");
    Path folder = Files.createTempDirectory("ebb-seq");
    folder.toFile().deleteOnExit();
    return Configs.of(
        home,
        """
        ebb.pool.size = 2 MiB
        ebb.server.port = 0
        ebb.admin.port = 0
        ebb.eviction.policy = none
        ebb.server.unix-socket = "%1$s/ebb.sock"
        ebb.server.shared-memory = "%1$s"
        ebb.server.sequences.memory = %2$d B
        ebb.tokens.policy = %3$s
        """
            .formatted(folder, BLOCKS * 2 * Float.BYTES, policy));
  }
}
