package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.policy.PluginsDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.store.stats.EvictionResult;
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

    StatsDocument stats = stats();

    assertThat(stats.traffic().hits()).isEqualTo(1);
    assertThat(stats.traffic().misses()).isEqualTo(1);
    assertThat(stats.traffic().hitRatio()).isEqualTo(0.5);
    assertThat(stats.traffic().creations()).isEqualTo(1);
    assertThat(stats.keys().count()).isEqualTo(1);
    assertThat(stats.pool().capacityBytes()).isEqualTo(2 << 20);
    assertThat(stats.pool().usedBytes()).isEqualTo(1 << 10);
    assertThat(stats.policy().name()).isEqualTo("first");
    assertThat(stats.clients().connections()).isEqualTo(1);
    assertThat(stats.clients().commands()).isEqualTo(3);
    assertThat(stats.server().ready()).isTrue();
  }

  @Test
  void aRatioOfNothingIsNull() {
    assertThat(stats().traffic().hitRatio()).isNull();
  }

  @Test
  void policiesAreListedWithTheirSettings() {
    PolicyDocument.All list = process.get("/api/v1/policies").as(PolicyDocument.All.class);

    assertThat(list.policy()).isEqualTo("first");
    assertThat(list.policies().stream().map(PolicyDocument.Described::name))
        .containsExactly("first", "second", "third", "auto", "none");
    PolicyDocument.Described second = list.policies().get(1);
    assertThat(second.plugin()).isEqualTo("acme");
    assertThat(second.version()).isEqualTo("1.2.3");
    assertThat(second.problem()).isNull();
    assertThat(second.settings())
        .containsExactly(
            new SettingValue("ageing", "none", "none"), new SettingValue("size", 4, 4));
  }

  @Test
  void thePolicyChangesUnderTraffic() {
    process.put("a", 1_000);

    Answer changed = process.call("PUT", "/api/v1/policy", "{\"policy\": \"second\"}");

    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.as(PolicyDocument.Changed.class).before()).isEqualTo("first");
    PolicyDocument now = process.get("/api/v1/policy").as(PolicyDocument.class);
    assertThat(now.policy()).isEqualTo("second");
    assertThat(now.configured()).isEqualTo("second");
    assertThat(now.version().plugin()).isEqualTo("acme");
    assertThat(requireNonNull(now.previous()).policy()).isEqualTo("first");
    assertThat(now.quarantine()).isEmpty();
    assertThat(process.jedis().get("a")).hasSize(1_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"policy\": \"secnd\"} | no policy named 'secnd' (did you mean 'second'?); available:"
            + " [first, second, third, auto, none]",
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
    PluginsDocument.Plugin plugin =
        process.get("/api/v1/plugins").as(PluginsDocument.class).plugins().getFirst();

    assertThat(plugin.id()).isEqualTo("acme");
    assertThat(plugin.state()).isEqualTo("loaded");
    assertThat(plugin.sha256()).hasSize(64);
  }

  @Test
  void entriesAreListedByPrefix() {
    process.put("model@1", 100);
    process.put("model@2", 70_000);
    process.put("other", 100);

    EntryDocument.Page page = entries("?prefix=model%40&limit=10");

    assertThat(page.next()).isEqualTo("0");
    assertThat(page.entries().stream().map(EntryDocument::text))
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
      EntryDocument.Page page = entries("?limit=7&cursor=" + cursor);
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(7);
      page.entries().forEach(entry -> seen.add(entry.text()));
      cursor = page.next();
    } while (!cursor.equals("0"));
    assertThat(seen).hasSize(95).doesNotHaveDuplicates();
  }

  @Test
  void anEntryIsFoundByItsKeyWhateverItsBytesAre() {
    byte[] key = {0, (byte) 0xFF, '/', '%', ' ', '?', 'a'};
    process.jedis().set(key, new byte[5]);

    String encoded = entries("").entries().getFirst().key();
    assertThat(encoded).isEqualTo("%00%FF%2F%25%20%3Fa");
    EntryDocument entry = process.get("/api/v1/entries/" + encoded).as(EntryDocument.class);

    assertThat(entry.key()).isEqualTo(encoded);
    assertThat(entry.bytes()).isEqualTo(5);
    assertThat(entry.state()).isEqualTo("active");
    assertThat(entry.expiresAt()).isNull();
    assertThat(process.delete("/api/v1/entries/" + encoded).status()).isEqualTo(200);
    assertThat(process.get("/api/v1/entries/" + encoded).status()).isEqualTo(404);
    assertThat(process.jedis().dbSize()).isZero();
  }

  @Test
  void pinsAreSetListedAndRemoved() {
    process.put("a/b", 100);

    Answer made =
        process.call(
            "POST", "/api/v1/pins", "{\"key\": \"a/b\", \"owner\": \"ops\", \"seconds\": 60}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.as(EntryDocument.PinDocument.class).key()).isEqualTo("a%2Fb");

    assertThat(pins())
        .singleElement()
        .satisfies(pin -> {
          assertThat(pin.owner()).isEqualTo("ops");
          assertThat(pin.expiresAt()).startsWith("20");
        });
    assertThat(process.get("/api/v1/entries/a%2Fb").as(EntryDocument.class).pins())
        .extracting(EntryDocument.PinDocument::owner)
        .containsExactly("ops");

    assertThat(process.delete("/api/v1/pins/a%2Fb?owner=other").status()).isEqualTo(404);
    assertThat(process.delete("/api/v1/pins/a%2Fb?owner=ops").status()).isEqualTo(200);
    assertThat(pins()).isEmpty();
  }

  @Test
  void bothValuesOfAChunkAreSeenAndThePinOfOneIsThatOfBoth() {
    process.put("m@1@0@ab@halfkv_bytes", 1_000);
    process.put("m@1@0@ab@halfmetadata", 28);

    assertThat(entries("?prefix=m%40").entries().stream().map(EntryDocument::bytes))
        .containsExactlyInAnyOrder(1_000L, 28L);
    Answer made = process.call("POST", "/api/v1/pins", "{\"key\": \"m@1@0@ab@halfmetadata\"}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.as(EntryDocument.PinDocument.class).key()).endsWith("kv_bytes");
  }

  @Test
  void aRefusedPinNamesItsReason() {
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
    EvictionDocument.Log before = evictions("?tail=0");
    assertThat(before.evictions()).isEmpty();
    process.call("POST", "/api/v1/evict", "{\"to\": 0}");

    EvictionDocument.Log since = evictions("?since=" + before.next());

    assertThat(since.evictions().stream().map(EvictionDocument::key))
        .containsExactly("key%200", "key%201", "key%202", "key%203", "key%204");
    EvictionDocument first = since.evictions().getFirst();
    assertThat(first.bytes()).isEqualTo(65_536);
    assertThat(first.cause()).isEqualTo("evicted");
    assertThat(first.policy()).isEqualTo("first");
    assertThat(first.accesses()).isEqualTo(1);
    assertThat(since.missed()).isZero();
    assertThat(since.passes()).isNotEmpty();
    assertThat(evictions("?tail=2").evictions()).hasSize(2);
    assertThat(process.get("/api/v1/evictions?tail=2&since=0").status()).isEqualTo(400);
    assertThat(process.get("/api/v1/evictions?since=-1").status()).isEqualTo(400);
  }

  @Test
  void thePolicyExplainsAnEntry() {
    process.call("PUT", "/api/v1/policy", "{\"policy\": \"third\"}");
    process.put("a/b", 100);
    process.jedis().get("a/b");

    EntryDocument.Explained explained =
        process.get("/api/v1/explain/a%2Fb").as(EntryDocument.Explained.class);

    assertThat(explained.entry().key()).isEqualTo("a%2Fb");
    assertThat(explained.policy()).isEqualTo("third");
    assertThat(explained.score()).isEqualTo(2);
    assertThat(process.get("/api/v1/explain/absent").status()).isEqualTo(404);
  }

  @Test
  void statsTellOfPartsAndTenants() {
    process.put("model@1@0@abc@ann", 100);
    process.jedis().get("model@1@0@abc@ann");

    StatsDocument stats = stats();

    assertThat(stats.partitions().getFirst().name()).isEqualTo("default");
    assertThat(stats.partitions().getFirst().keys()).isEqualTo(1);
    assertThat(stats.tenants().getFirst().name()).isEqualTo("ann");
    assertThat(stats.models().getFirst().hits()).isEqualTo(1);
    assertThat(stats.fairness()).isEqualTo(1);
    assertThat(stats.evictions().rePrefillRate()).isNull();
  }

  @Test
  void entriesAreEvictedByHand() {
    for (int i = 0; i < 10; i++) {
      process.put("key" + i, 60_000);
    }
    assertThat(evict("{\"key\": \"key3\"}").entries()).isEqualTo(1);
    assertThat(process.jedis().exists("key3")).isFalse();

    assertThat(evict("{\"bytes\": 100000}").freedBytes()).isEqualTo(2 * 65_536);

    assertThat(evict("{\"to\": 0}").after()).isZero();
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
    assertThat(process.get("/health/ready").as(HealthDocument.class))
        .isEqualTo(new HealthDocument("ready", List.of(), List.of()));
    assertThat(process.serving().answers(Duration.ofSeconds(20))).isTrue();
    process.jedis().close();
    process.serving().drain(Duration.ofSeconds(5));
    assertThat(process.get("/health/ready").status()).isEqualTo(503);
    HealthDocument draining = process.get("/health/ready").as(HealthDocument.class);
    assertThat(draining.status()).isEqualTo("draining");
    assertThat(draining.reasons()).singleElement().asString().contains("no new clients");
    assertThat(process.get("/health/live").status()).isEqualTo(200);
    assertThat(stats().server().ready()).isFalse();
  }

  private StatsDocument stats() {
    return process.get("/api/v1/stats").as(StatsDocument.class);
  }

  private EntryDocument.Page entries(String query) {
    return process.get("/api/v1/entries" + query).as(EntryDocument.Page.class);
  }

  private List<EntryDocument.PinDocument> pins() {
    return process.get("/api/v1/pins").as(EntryDocument.Pins.class).pins();
  }

  private EvictionDocument.Log evictions(String query) {
    return process.get("/api/v1/evictions" + query).as(EvictionDocument.Log.class);
  }

  private EvictionResult evict(String request) {
    return process.call("POST", "/api/v1/evict", request).as(EvictionResult.class);
  }
}
