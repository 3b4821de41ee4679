package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.testing.Awaiting;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that works as LMCache does shows the order of its chunks. */
class PrefixHitsTest {

  static final int CHUNKS = 10;

  @TempDir private Path home;

  /** Looks a prompt's chunks up until one is missing, reads them, and stores the rest. */
  static void serve(AdminProcess process) {
    int found = 0;
    while (found < CHUNKS && process.jedis().exists(key(found) + "metadata")) {
      found++;
    }
    for (int i = 0; i < found; i++) {
      process.jedis().get(key(i) + "kv_bytes");
    }
    for (int i = found; i < CHUNKS; i++) {
      process.put(key(i) + "kv_bytes", 1_000);
      process.put(key(i) + "metadata", 28);
    }
  }

  static String key(int chunk) {
    return "model@1@0@%08x@half".formatted(chunk);
  }

  private static ChainStats chains(AdminProcess process) {
    return process.get("/api/v1/stats").as(StatsDocument.class).keys().chains();
  }

  @Test
  void prefixHitsAndUnreachableEntriesAreCounted() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      serve(process);
      serve(process);
      Awaiting.until(() -> chains(process).requests() == 2);

      ChainStats chains = chains(process);
      assertThat(chains.lookups()).isEqualTo(2 * CHUNKS);
      assertThat(chains.hits()).isEqualTo(CHUNKS);
      assertThat(chains.linked()).isEqualTo(CHUNKS - 1);
      assertThat(chains.unreachable()).isZero();
      assertThat(chains.known()).isEqualTo(CHUNKS);
      assertThat(chains.withdrawn()).isZero();

      process.jedis().del(key(0) + "kv_bytes");
      assertThat(process.get("/metrics").body())
          .contains(
              "\nebb_prefix_requests_total 2.0\n",
              "\nebb_prefix_lookups_total 20.0\n",
              "\nebb_prefix_hits_total 10.0\n",
              "\nebb_chained_entries 8.0\n",
              "\nebb_unreachable_entries 9.0\n",
              "\nebb_chain_keys 10.0\n",
              "\nebb_chain_corrections_total 0.0\n");
    }
  }

  @Test
  void objectGroupsAreReported() {
    String models = "ebb.server.models { \"qwen\" { groups = \"state,full\" } }";
    try (AdminProcess process = AdminProcess.start(home, models)) {
      for (int group = 0; group < 2; group++) {
        process.put("qwen@01000100@" + group + "@0a@", 1_000 + 2_000 * group);
      }
      StatsDocument.Hybrid hybrid = process.get("/api/v1/stats").as(StatsDocument.class).hybrid();
      assertThat(hybrid).isNotNull();
      assertThat(hybrid.groups())
          .extracting(StatsDocument.Group::kind, StatsDocument.Group::usedBytes)
          .containsExactly(tuple("state", 1_024L), tuple("full", 3_072L));
      assertThat(hybrid.usedBytes()).isEqualTo(4_096);
      assertThat(process.get("/metrics").body())
          .contains(
              "\nebb_group_used_bytes{group=\"1\",kind=\"full\",model=\"qwen\"} 3072.0\n",
              "\nebb_group_useless_bytes 0.0\n",
              "\nebb_group_lost_hits_total 0.0\n");
    }
  }

  @Test
  void nothingIsLearnedIfItIsOff() {
    try (AdminProcess process = AdminProcess.start(home, "ebb.server.chains = off")) {
      serve(process);
      serve(process);
      assertThat(chains(process)).isEqualTo(ChainStats.NONE);
    }
  }
}
