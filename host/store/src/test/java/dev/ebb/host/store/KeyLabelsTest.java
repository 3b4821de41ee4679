package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.NameTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyLabelsTest {

  private final LabelTable table = new LabelTable(tenant -> tenant.equals("acme") ? 1 : 0);

  @ParameterizedTest
  @CsvSource({
    "meta-llama/Llama-3@8@3@a1b2@bfloat16, meta-llama/Llama-3, 3,",
    "meta-llama/Llama-3@8@3@a1b2@halfkv_bytes, meta-llama/Llama-3, 3,",
    "m@8@3@a1b2@fp8_e4m3metadata, m, 3,",
    "m@8@3@a1b2@half@tag%value, m, 3,",
    "m@5@0@a1b2@acme, m, 5, acme",
    "m@5@0@a1b2@acmekv_bytes, m, 5, acme",
    "m@5@0@a1b2@, m, 5,",
    "m@5@0@a1b2@metadata, m, 5,",
    "m@5@0@a1b2@halfway, m, 5, halfway",
  })
  void aKeyOfAnEngineSaysWhoUsesIt(String key, String model, int rank, String tenant) {
    KeyLabels labels = table.of(StoreClient.bytes(key));
    assertThat(labels.model()).isEqualTo(model);
    assertThat(labels.rank()).isEqualTo(rank);
    assertThat(labels.tenant()).isEqualTo(tenant);
    assertThat(labels.facts().tenant()).isEqualTo(tenant);
    assertThat(labels.facts().workload()).isEqualTo(model);
    assertThat(labels.partition()).isEqualTo("acme".equals(tenant) ? 1 : 0);
    assertThat(table.of(StoreClient.bytes(key))).as("seen before").isSameAs(labels);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "k",
        "@",
        "@@@@",
        "@1@2@h@x",
        "a@b",
        "m@1@2@h",
        "m@1@x@h@half",
        "m@x@1@h@half",
        "m@@1@h@half",
        "m@-1@2@h@half",
        "m@1234567@2@h@half",
        "metadata",
        "kv_bytes",
        "user@example.com"
      })
  void anyOtherKeyIsJustAKey(String key) {
    assertThat(table.of(StoreClient.bytes(key))).isSameAs(KeyLabels.NONE);
    assertThat(table.models()).isEmpty();
  }

  @Test
  void beyondABoundNamesAreCountedTogether() {
    for (int i = 0; i < NameTable.MAX_NAMES + 50; i++) {
      KeyLabels labels = table.of(StoreClient.bytes("m@1@2@h@tenant" + i));
      labels.hit();
      assertThat(labels.tenant()).isEqualTo("tenant" + i);
    }
    List<UseStats> tenants = table.tenants();
    assertThat(tenants).hasSize(NameTable.MAX_NAMES + 1);
    assertThat(tenants.getFirst().name()).isEqualTo(NameTable.OTHERS);
    assertThat(tenants.getFirst().hits()).isEqualTo(50);
  }
}
