package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Which requests find each other's cached prefixes. */
class TenantsTest {

  private static final Map<String, String> KEYS =
      Map.of("key-a", "ann", "key-a2", "ann", "key-b", "bob");
  private static final int[] PROMPT = TestServer.prompt(7, 6 * TestServer.BLOCK + 3);
  private static final int ALL_BLOCKS = 6 * TestServer.BLOCK;

  @TempDir private Path folder;
  private Path config;
  private Path model;

  @BeforeEach
  void write() throws IOException {
    config = TestServer.configure(folder);
    model = new TinyModel().write(folder.resolve("tiny.gguf"));
  }

  private TestServer start(Map<String, String> keys, boolean share) {
    return TestServer.start(model, config, keys, share);
  }

  private static JsonNode complete(TestServer server, String key, Object... properties)
      throws Exception {
    Map<String, Object> body = new HashMap<>(Map.of("prompt", PROMPT, "temperature", 0));
    for (int i = 0; i < properties.length; i += 2) {
      body.put((String) properties[i], properties[i + 1]);
    }
    HttpResponse<String> response = server.post("/v1/completions", body, key);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return TestServer.JSON.readTree(response.body());
  }

  private static int cached(TestServer server, String key, Object... properties) throws Exception {
    return TestServer.cached(complete(server, key, properties));
  }

  @Test
  void aTenantDoesNotSeeThePromptsOfAnother() throws Exception {
    try (TestServer server = start(KEYS, false)) {
      JsonNode first = complete(server, "key-a");
      JsonNode other = complete(server, "key-b");
      assertThat(TestServer.cached(other)).isZero();
      assertThat(TestServer.text(other)).isEqualTo(TestServer.text(first));
      assertThat(cached(server, "key-a")).isEqualTo(ALL_BLOCKS);
      assertThat(cached(server, "key-a2")).isEqualTo(ALL_BLOCKS);
      assertThat(cached(server, "key-b", "user", "ann")).isEqualTo(ALL_BLOCKS);
    }
  }

  @Test
  void tenantsShareIfTheServerSaysSo() throws Exception {
    try (TestServer server = start(KEYS, true)) {
      assertThat(cached(server, "key-a")).isZero();
      assertThat(cached(server, "key-b")).isEqualTo(ALL_BLOCKS);
      assertThat(cached(server, "key-b", "cache_salt", "mine")).isZero();
    }
  }

  @Test
  void aSaltSeparatesRequestsOfOneTenant() throws Exception {
    try (TestServer server = start(KEYS, false)) {
      assertThat(cached(server, "key-a", "cache_salt", "one")).isZero();
      assertThat(cached(server, "key-a")).isZero();
      assertThat(cached(server, "key-a", "cache_salt", "two")).isZero();
      assertThat(cached(server, "key-b", "cache_salt", "one")).isZero();
      JsonNode again = complete(server, "key-a", "cache_salt", "one");
      assertThat(TestServer.cached(again)).isEqualTo(ALL_BLOCKS);
      assertThat(TestServer.text(again)).isEqualTo(TestServer.text(complete(server, "key-a")));
    }
  }

  @Test
  void withoutKeysTheClientNamesTheTenant() throws Exception {
    try (TestServer server = start(Map.of(), false)) {
      assertThat(cached(server, "", "user", "ann")).isZero();
      assertThat(cached(server, "", "user", "bob")).isZero();
      assertThat(cached(server, "")).isZero();
      assertThat(cached(server, "", "user", "ann")).isEqualTo(ALL_BLOCKS);
      assertThat(cached(server, "", "cache_salt", "[\"\",\"ann\",null]")).isZero();
    }
  }

  @Test
  void theHolderOfAKeyWithoutTenantCannotNameThatOfAnotherKey() throws Exception {
    try (TestServer server = start(Map.of("key-a", "ann", "key", ""), false)) {
      assertThat(cached(server, "key-a")).isZero();
      assertThat(cached(server, "key", "user", "ann")).isZero();
    }
  }

  @Test
  void anEmptySaltIsRefused() throws Exception {
    try (TestServer server = start(Map.of(), false)) {
      HttpResponse<String> response =
          server.post("/v1/completions", Map.of("prompt", "a", "cache_salt", ""));
      assertThat(response.statusCode()).isEqualTo(400);
      assertThat(response.body()).contains("cache_salt = ''", "not empty");
    }
  }
}
