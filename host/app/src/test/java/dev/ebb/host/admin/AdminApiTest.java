package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class AdminApiTest {

  @TempDir private Path home;

  @SuppressWarnings("NullAway.Init")
  private AdminProcess process;

  @BeforeEach
  void start() {
    process = AdminProcess.start(home, "ebb.server.password = \"\"\n");
  }

  @AfterEach
  void stop() {
    process.close();
  }

  @Test
  void statsTellWhatClientsDid() {
    process.put("a", 1_000);
    process.jedis().get("a");
    process.jedis().get("b");

    JsonNode stats = process.get("/api/v1/stats").json();

    assertThat(stats.at("/traffic/hits").longValue()).isEqualTo(1);
    assertThat(stats.at("/traffic/misses").longValue()).isEqualTo(1);
    assertThat(stats.at("/traffic/hitRatio").doubleValue()).isEqualTo(0.5);
    assertThat(stats.at("/traffic/creations").longValue()).isEqualTo(1);
    assertThat(stats.at("/keys/count").longValue()).isEqualTo(1);
    assertThat(stats.at("/pool/capacityBytes").longValue()).isEqualTo(2 << 20);
    assertThat(stats.at("/pool/usedBytes").longValue()).isEqualTo(1 << 10);
    assertThat(stats.at("/policy/name").asString()).isEqualTo("first");
    assertThat(stats.at("/clients/connections").longValue()).isEqualTo(1);
    assertThat(stats.at("/clients/commands").longValue()).isEqualTo(3);
    assertThat(stats.at("/server/ready").booleanValue()).isTrue();
  }

  @Test
  void aRatioOfNothingIsNull() {
    assertThat(process.get("/api/v1/stats").json().at("/traffic/hitRatio").isNull()).isTrue();
  }

  @Test
  void policiesAreListedWithTheirSettings() {
    JsonNode list = process.get("/api/v1/policies").json();

    assertThat(list.get("policy").asString()).isEqualTo("first");
    assertThat(list.at("/policies").valueStream().map(each -> each.get("name").asString()))
        .containsExactly("first", "second", "third", "none");
    JsonNode second = list.at("/policies/1");
    assertThat(second.get("plugin").asString()).isEqualTo("acme");
    assertThat(second.get("version").asString()).isEqualTo("1.2.3");
    assertThat(second.get("problem").isNull()).isTrue();
    assertThat(second.get("settings").toString())
        .isEqualTo(
            "[{\"key\":\"ageing\",\"value\":\"none\",\"defaultValue\":\"none\"},"
                + "{\"key\":\"size\",\"value\":4,\"defaultValue\":4}]");
  }

  @Test
  void thePolicyChangesUnderTraffic() {
    process.put("a", 1_000);

    Answer changed = process.call("PUT", "/api/v1/policy", "{\"policy\": \"second\"}");

    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().get("before").asString()).isEqualTo("first");
    JsonNode now = process.get("/api/v1/policy").json();
    assertThat(now.at("/policy").asString()).isEqualTo("second");
    assertThat(now.at("/configured").asString()).isEqualTo("second");
    assertThat(now.at("/version/plugin").asString()).isEqualTo("acme");
    assertThat(now.at("/previous/policy").asString()).isEqualTo("first");
    assertThat(now.at("/quarantine")).isEmpty();
    assertThat(process.jedis().get("a")).hasSize(1_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"policy\": \"secnd\"} | no policy named 'secnd'; available: [first, second, third, none]; did you mean 'second'?",
        "{\"policy\": 5}         | policy = '5' must be a text",
        "{\"polcy\": \"second\"} | unknown property 'polcy'; allowed: [policy]",
        "{}                      | the property 'policy' is missing",
        "[]                      | the body must be a JSON object with [policy]",
        "{\"policy\":            | the body '{\"policy\":' is not JSON",
      })
  void aWrongPolicyIsRefusedAndTheOldOneServesOn(String body, String error) {
    Answer answer = process.call("PUT", "/api/v1/policy", body);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).isEqualTo(error);
    assertThat(process.serving().policy()).isEqualTo("first");
  }

  @Test
  void pluginsAreListed() {
    JsonNode plugin = process.get("/api/v1/plugins").json().at("/plugins/0");

    assertThat(plugin.get("id").asString()).isEqualTo("acme");
    assertThat(plugin.get("state").asString()).isEqualTo("loaded");
    assertThat(plugin.get("sha256").asString()).hasSize(64);
  }

  @Test
  void entriesAreListedByPrefix() {
    process.put("model@1", 100);
    process.put("model@2", 70_000);
    process.put("other", 100);

    JsonNode page = process.get("/api/v1/entries?prefix=model%40&limit=10").json();

    assertThat(page.get("next").asString()).isEqualTo("0");
    assertThat(page.get("entries").valueStream().map(each -> each.get("text").asString()))
        .containsExactlyInAnyOrder("model@1", "model@2");
  }

  @Test
  void pagesTogetherHoldEveryEntryOnce() {
    for (int i = 0; i < 95; i++) {
      process.put("key " + i, 10);
    }
    List<String> seen = new ArrayList<>();
    String cursor = "0";
    do {
      JsonNode page = process.get("/api/v1/entries?limit=7&cursor=" + cursor).json();
      assertThat(page.get("entries").size()).isLessThanOrEqualTo(7);
      page.get("entries").forEach(entry -> seen.add(entry.get("text").asString()));
      cursor = page.get("next").asString();
    } while (!cursor.equals("0"));
    assertThat(seen).hasSize(95).doesNotHaveDuplicates();
  }

  @Test
  void anEntryIsFoundByItsKeyWhateverItsBytesAre() {
    byte[] key = {0, (byte) 0xFF, '/', '%', ' ', '?', 'a'};
    process.jedis().set(key, new byte[5]);

    JsonNode listed = process.get("/api/v1/entries").json().at("/entries/0");
    String encoded = listed.get("key").asString();
    assertThat(encoded).isEqualTo("%00%FF%2F%25%20%3Fa");
    JsonNode entry = process.get("/api/v1/entries/" + encoded).json();

    assertThat(entry.get("key").asString()).isEqualTo(encoded);
    assertThat(entry.get("bytes").longValue()).isEqualTo(5);
    assertThat(entry.get("state").asString()).isEqualTo("active");
    assertThat(entry.get("expiresAt").isNull()).isTrue();
    assertThat(process.delete("/api/v1/entries/" + encoded).status()).isEqualTo(200);
    assertThat(process.get("/api/v1/entries/" + encoded).status()).isEqualTo(404);
    assertThat(process.jedis().dbSize()).isZero();
  }

  @Test
  void pinsAreSetListedAndTakenBack() {
    process.put("a/b", 100);

    Answer made =
        process.call(
            "POST", "/api/v1/pins", "{\"key\": \"a/b\", \"owner\": \"ops\", \"seconds\": 60}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().get("key").asString()).isEqualTo("a%2Fb");

    JsonNode pin = process.get("/api/v1/pins").json().at("/pins/0");
    assertThat(pin.get("owner").asString()).isEqualTo("ops");
    assertThat(pin.get("expiresAt").asString()).startsWith("20");
    assertThat(process.get("/api/v1/entries/a%2Fb").json().at("/pins/0/owner").asString())
        .isEqualTo("ops");

    assertThat(process.delete("/api/v1/pins/a%2Fb?owner=other").status()).isEqualTo(404);
    assertThat(process.delete("/api/v1/pins/a%2Fb?owner=ops").status()).isEqualTo(200);
    assertThat(process.get("/api/v1/pins").json().get("pins").size()).isZero();
  }

  @Test
  void bothValuesOfAChunkAreSeenAndThePinOfOneIsThatOfBoth() {
    process.put("m@1@0@ab@halfkv_bytes", 1_000);
    process.put("m@1@0@ab@halfmetadata", 28);

    JsonNode entries = process.get("/api/v1/entries?prefix=m%40").json().get("entries");
    assertThat(entries.size()).isEqualTo(2);
    assertThat(entries.valueStream().map(entry -> entry.get("bytes").longValue()))
        .containsExactlyInAnyOrder(1_000L, 28L);
    Answer made = process.call("POST", "/api/v1/pins", "{\"key\": \"m@1@0@ab@halfmetadata\"}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().get("key").asString()).endsWith("kv_bytes");
  }

  @Test
  void whatCannotBePinnedIsSaid() {
    process.put("large", 1_000_000);

    Answer tooLarge = process.call("POST", "/api/v1/pins", "{\"key\": \"large\"}");
    assertThat(tooLarge.status()).isEqualTo(409);
    assertThat(tooLarge.error()).contains("budget");
    assertThat(process.call("POST", "/api/v1/pins", "{\"key\": \"absent\"}").status())
        .isEqualTo(404);
    assertThat(process.call("POST", "/api/v1/pins", "{\"key\": \"%zz\"}").error())
        .contains("'%zz' has a percent sign without two hexadecimal digits");
  }

  @Test
  void whatHasLeftIsReported() {
    for (int i = 0; i < 5; i++) {
      process.put("key " + i, 60_000);
    }
    JsonNode before = process.get("/api/v1/evictions?tail=0").json();
    assertThat(before.get("evictions").size()).isZero();
    process.call("POST", "/api/v1/evict", "{\"to\": 0}");

    JsonNode since = process.get("/api/v1/evictions?since=" + before.get("next")).json();

    assertThat(since.get("evictions").valueStream().map(each -> each.get("key").asString()))
        .containsExactly("key%200", "key%201", "key%202", "key%203", "key%204");
    JsonNode first = since.at("/evictions/0");
    assertThat(first.get("bytes").longValue()).isEqualTo(65_536);
    assertThat(first.get("cause").asString()).isEqualTo("evicted");
    assertThat(first.get("policy").asString()).isEqualTo("first");
    assertThat(first.get("accesses").longValue()).isEqualTo(1);
    assertThat(since.get("missed").longValue()).isZero();
    assertThat(since.at("/passes").size()).isPositive();
    assertThat(process.get("/api/v1/evictions?tail=2").json().get("evictions").size()).isEqualTo(2);
    assertThat(process.get("/api/v1/evictions?tail=2&since=0").status()).isEqualTo(400);
    assertThat(process.get("/api/v1/evictions?since=-1").status()).isEqualTo(400);
  }

  @Test
  void thePolicyExplainsAnEntry() {
    process.call("PUT", "/api/v1/policy", "{\"policy\": \"third\"}");
    process.put("a/b", 100);
    process.jedis().get("a/b");

    JsonNode explained = process.get("/api/v1/explain/a%2Fb").json();

    assertThat(explained.at("/entry/key").asString()).isEqualTo("a%2Fb");
    assertThat(explained.get("policy").asString()).isEqualTo("third");
    assertThat(explained.get("score").doubleValue()).isEqualTo(2);
    assertThat(process.get("/api/v1/explain/absent").status()).isEqualTo(404);
  }

  @Test
  void statsTellOfPartsAndTenants() {
    process.put("model@1@0@abc@ann", 100);
    process.jedis().get("model@1@0@abc@ann");

    JsonNode stats = process.get("/api/v1/stats").json();

    assertThat(stats.at("/partitions/0/name").asString()).isEqualTo("default");
    assertThat(stats.at("/partitions/0/keys").longValue()).isEqualTo(1);
    assertThat(stats.at("/tenants/0/name").asString()).isEqualTo("ann");
    assertThat(stats.at("/models/0/hits").longValue()).isEqualTo(1);
    assertThat(stats.at("/fairness").doubleValue()).isEqualTo(1);
    assertThat(stats.at("/evictions/rePrefillRate").isNull()).isTrue();
  }

  @Test
  void entriesAreEvictedByHand() {
    for (int i = 0; i < 10; i++) {
      process.put("key" + i, 60_000);
    }
    JsonNode one = process.call("POST", "/api/v1/evict", "{\"key\": \"key3\"}").json();
    assertThat(one.get("entries").longValue()).isEqualTo(1);
    assertThat(process.jedis().exists("key3")).isFalse();

    JsonNode some = process.call("POST", "/api/v1/evict", "{\"bytes\": 100000}").json();
    assertThat(some.get("freedBytes").longValue()).isEqualTo(2 * 65_536);

    JsonNode all = process.call("POST", "/api/v1/evict", "{\"to\": 0}").json();
    assertThat(all.get("after").longValue()).isZero();
    assertThat(process.jedis().dbSize()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"bytes\": 1, \"to\": 0}",
        "{\"bytes\": 0}",
        "{\"bytes\": \"1\"}",
        "{\"bytes\": 1e99}",
        "{\"to\": 2}"
      })
  void aWrongEvictionEvictsNothing(String body) {
    process.put("a", 10);
    assertThat(process.call("POST", "/api/v1/evict", body).status()).isEqualTo(400);
    assertThat(process.jedis().dbSize()).isEqualTo(1);
    assertThat(process.call("POST", "/api/v1/evict", "{\"key\": \"b\"}").status()).isEqualTo(404);
  }

  @Test
  void anUnknownPathIsNotFound() {
    Answer answer = process.get("/api/v1/nothing");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.error()).contains("'/api/v1/nothing'");
  }

  @Test
  void aWrongMethodListsTheRightOnes() {
    Answer answer = process.call("POST", "/api/v1/policy", "{}");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.response().headers().firstValue("Allow")).contains("GET, PUT");
  }

  @Test
  void aWrongParameterIsRefused() {
    assertThat(process.get("/api/v1/entries?limit=0").error())
        .isEqualTo("limit = '0' must be a whole number from 1 to 1000");
    assertThat(process.get("/api/v1/entries?limt=5").error())
        .isEqualTo("unknown parameter 'limt'; allowed: [cursor, limit, prefix]");
    assertThat(process.get("/api/v1/stats?x").error())
        .isEqualTo("unknown parameter 'x'; there is none");
    assertThat(process.get("/api/v1/entries?limit=1&limit=2").error()).contains("twice");
  }

  @Test
  void aBodyTooLargeIsRefused() {
    Answer announced = process.call("PUT", "/api/v1/policy", " ".repeat(70_000));
    assertThat(announced.status()).isEqualTo(413);
    Answer streamed =
        process.send(
            process
                .request("/api/v1/policy")
                .header("Content-Type", "application/json")
                .PUT(
                    HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(new byte[70_000]))));
    assertThat(streamed.status()).isEqualTo(413);
  }

  @Test
  void headGivesNoBody() {
    Answer answer =
        process.send(
            process.request("/api/v1/stats").method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void readyEndsWithDrainingAndTheRestServesOn() throws IOException {
    assertThat(process.get("/health/ready").status()).isEqualTo(200);
    process.jedis().close();
    process.serving().drain(Duration.ofSeconds(5));
    assertThat(process.get("/health/ready").status()).isEqualTo(503);
    assertThat(process.get("/health/live").status()).isEqualTo(200);
    assertThat(process.get("/api/v1/stats").json().at("/server/ready").booleanValue()).isFalse();
  }
}
