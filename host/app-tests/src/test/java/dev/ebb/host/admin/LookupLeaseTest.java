package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.stats.StatsDocument;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that looks a chunk up and reads it later finds it, while others store more than fits.
 */
class LookupLeaseTest {

  private static final int CHUNK = 60_000;

  @TempDir private Path home;

  @Test
  void aChunkThatWasLookedUpIsThereUntilItIsRead() {
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.pool.size = 4 MiB\nebb.server.lookup-lease = 1 minute")) {
      store(process, 0, 2);
      assertThat(process.jedis().exists(key(0) + "metadata")).isTrue();

      store(process, 2, 300);
      assertThat(process.jedis().exists(key(1) + "metadata")).isFalse();
      assertThat(process.get("/metrics").body()).contains("\nebb_lookup_leases 1.0\n");
      assertThat(process.jedis().strlen(key(0) + "kv_bytes")).isEqualTo(CHUNK);
      assertThat(process.jedis().get(key(0) + "kv_bytes")).hasSize(CHUNK);
      assertThat(process.get("/metrics").body())
          .contains(
              "\nebb_lookup_leases 0.0\n", "ebb_lookup_leases_ended_total{reason=\"read\"} 1.0");
    }
  }

  @Test
  void theDurationChangesWhileServing() {
    try (AdminProcess process =
        AdminProcess.start(
            home,
            """
            ebb.pool.size = 4 MiB
            ebb.server.lookup-lease = 1 minute
            # Else what is stored after a lookup follows the chunk that it found, and is evicted first.
            ebb.server.chains = off
            """)) {
      AdminProcess.Answer changed =
          process.call(
              "PATCH",
              "/api/v1/config",
              "{\"version\": 1, \"changes\": {\"ebb.server.lookup-lease\": \"0 s\"}}");
      assertThat(changed.status()).as(changed.body()).isEqualTo(200);

      store(process, 0, 1);
      assertThat(process.jedis().exists(key(0) + "metadata")).isTrue();
      StatsDocument.Keys keys = process.get("/api/v1/stats").as(StatsDocument.class).keys();
      assertThat(keys.leases().held()).isZero();
      store(process, 1, 300);
      assertThat(process.jedis().exists(key(0) + "metadata")).isFalse();
    }
  }

  private static String key(int chunk) {
    return "model@1@0@%08x@half".formatted(chunk);
  }

  private static void store(AdminProcess process, int from, int to) {
    for (int i = from; i < to; i++) {
      process.put(key(i) + "kv_bytes", CHUNK);
      process.put(key(i) + "metadata", 28);
    }
  }
}
