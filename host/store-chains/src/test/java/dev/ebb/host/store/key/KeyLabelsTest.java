package dev.ebb.host.store.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.stats.NameTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyLabelsTest {

  private final KeyParser parser = parser(List.of());

  @ParameterizedTest
  @CsvSource({
    "meta-llama/Llama-3@8@3@a1b2@bfloat16, meta-llama/Llama-3, 3,",
    "meta-llama/Llama-3@8@3@a1b2@halfkv_bytes, meta-llama/Llama-3, 3,",
    "m@8@3@a1b2@fp8_e4m3metadata, m, 3,",
    "m@8@3@a1b2@half:kv_bytes, m, 3,",
    "m@8@3@a1b2@half:metadata, m, 3,",
    "m@8@3@a1b2@half@tag%value, m, 3,",
    "m@5@0@a1b2@acme, m, 5, acme",
    "m@5@0@a1b2@acmekv_bytes, m, 5, acme",
    "m@5@0@a1b2@, m, 5,",
    "m@5@0@a1b2@metadata, m, 5,",
    "m@5@0@a1b2@halfway, m, 5, halfway",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@4@3@a3f1c29be0447d15@half, meta-llama/Llama-3.1-8B-Instruct,"
        + " 3,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@fp8_e4m3fn,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@fp8_e5m2fnuz,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@int64, meta-llama/Llama-3.1-8B-Instruct,"
        + " 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@-a3f1c29be0447d15@bfloat16,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881@bfloat16,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16@user%alice@tenant%t1,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16@user%a@b,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16@31,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16@1@user%alice@tenant%t1,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "/models/llama@v2@4@3@a3f1c29be0447d15@bfloat16, /models/llama@v2, 3,",
    "/models/llama@v2@4@3@a3f1c29be0447d15@bfloat16@31metadata, /models/llama@v2, 3,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@4@3@a3f1c29be0447d15@bfloat16,"
        + " meta-llama/Llama-3.1-8B-Instruct, 3,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@4@3@a3f1c29be0447d15@bfloat16@user%alice,"
        + " meta-llama/Llama-3.1-8B-Instruct, 3,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@4@3@a3f1c29be0447d15@user%alice,"
        + " meta-llama/Llama-3.1-8B-Instruct, 3,",
    "vllm@/models/llama@v2@4@3@a3f1c29be0447d15, /models/llama@v2, 3,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@2@1@-5230961234567890123,"
        + " meta-llama/Llama-3.1-8B-Instruct, 1,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@2@1@-5230961234567890123@1,"
        + " meta-llama/Llama-3.1-8B-Instruct, 1,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@2@1@-5230961234567890123metadata,"
        + " meta-llama/Llama-3.1-8B-Instruct, 1,",
    "vllm@meta-llama/Llama-3.1-8B-Instruct@1@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "huggingface@meta-llama/Llama-3.1-8B-Instruct@1@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "sglang@meta-llama/Llama-3.1-8B-Instruct@1@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881kv_bytes,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "vllm@1@0@a3f1c29be0447d15@half, vllm, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16kv_bytes,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16metadata,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16@user%alice@tenant%t1metadata,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@1@0@a3f1c29be0447d15@bfloat16@31metadata,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@01000100@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@08070807@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881,"
        + " meta-llama/Llama-3.1-8B-Instruct, 7,",
    "meta-llama/Llama-3.1-8B-Instruct@100a100a@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881,"
        + " meta-llama/Llama-3.1-8B-Instruct, 10,",
    "meta-llama/Llama-3.1-8B-Instruct@201f201f@0@2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881,"
        + " meta-llama/Llama-3.1-8B-Instruct, 31,",
    "meta-llama/Llama-3.1-8B-Instruct@01000100@1@a3f1c29be0447d15@tenant-a,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0, tenant-a",
    "meta-llama/Llama-3.1-8B-Instruct@01000100@1@a3f1c29be0447d15@half,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0, half",
    "meta-llama/Llama-3.1-8B-Instruct@01000100@c@a3f1c29be0447d15,"
        + " meta-llama/Llama-3.1-8B-Instruct, 0,",
    "meta-llama/Llama-3.1-8B-Instruct@08070807@a3f1c29be0447d15, meta-llama/Llama-3.1-8B-Instruct,"
        + " 7,",
    "meta-llama/Llama-3.1-8B-Instruct@08070807@a3f1c29be0447d15@tenant-a,"
        + " meta-llama/Llama-3.1-8B-Instruct, 7, tenant-a",
    "meta-llama/Llama-3.1-8B-Instruct@08070807@a3f1c29be0447d15@7,"
        + " meta-llama/Llama-3.1-8B-Instruct, 7, 7",
    "blue@meta-llama/Llama-3.1-8B-Instruct@08070807@0@a3f1c29be0447d15,"
        + " meta-llama/Llama-3.1-8B-Instruct, 7,",
    "blue@meta-llama/Llama-3.1-8B-Instruct@08070807@1@a3f1c29be0447d15@tenant-a,"
        + " meta-llama/Llama-3.1-8B-Instruct, 7, tenant-a",
  })
  void aKeyOfAnEngineSaysWhoUsesIt(String key, String model, int rank, String tenant) {
    KeyLabels labels = labels(key);
    assertThat(labels.facts().workload()).isEqualTo(model);
    assertThat(labels.rank()).isEqualTo(rank);
    assertThat(labels.facts().tenant()).isEqualTo(tenant);
    assertThat(labels.partition()).isEqualTo("acme".equals(tenant) ? 1 : 0);
    assertThat(labels(key)).as("seen before").isSameAs(labels);
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
        "m@1@2@a1b2",
        "m@100a100a@0",
        "m@100a100a@",
        "m@100a100a@x@a1b2",
        "m@100a100@0@a1b2",
        "m@100a100a@0@hash",
        "m@100a100a@0@",
        "blue@m@100a100a@a1b2c3",
        "blue@@100a100a@0@a1b2c3",
        "blue@m@100a100a@0@",
        "blue@m@100a100a",
        "a@b@1@2@a1b2@acme",
        "a@b@1@2@hash@half",
        "vllm@m@1@0@hash",
        "vllm@m@1@0@",
        "vllm@@1@0",
        "metadata",
        "kv_bytes",
        "user@example.com"
      })
  void anyOtherKeyIsJustAKey(String key) {
    assertThat(labels(key)).isSameAs(KeyLabels.NONE);
    assertThat(parser.models()).isEmpty();
  }

  @Test
  void aKeyWithALongNameIsJustAKey() {
    String longest = "n".repeat(KeyParser.LONGEST_NAME);
    for (String key :
        List.of("%s@8@3@a1b2@half".formatted(longest), "m@8@3@a1b2@%s".formatted(longest))) {
      assertThat(labels(key)).isNotSameAs(KeyLabels.NONE);
      assertThat(labels(key.replace(longest, longest + "n"))).isSameAs(KeyLabels.NONE);
    }
  }

  @Test
  void beyondABoundNamesAreCountedTogether() {
    for (int i = 0; i < NameTable.MAX_NAMES + 50; i++) {
      KeyLabels labels = labels("m@1@2@h@tenant" + i);
      labels.hit();
      assertThat(labels.facts().tenant()).isEqualTo("tenant" + i);
    }
    List<UseStats> tenants = parser.tenants();
    assertThat(tenants).hasSize(NameTable.MAX_NAMES + 1);
    assertThat(tenants.getFirst().name()).isEqualTo(NameTable.OTHERS);
    assertThat(tenants.getFirst().hits()).isEqualTo(50);
  }

  @ParameterizedTest
  @CsvSource({
    "acme:1,, acme, 1",
    "acme,,, 0",
    "m@8@3@a1b2@half, m, acme, 1",
    "m@8@3@a1b2@other, m, acme, 1",
    "n@8@3@a1b2@other, n, other, 0",
    "n@8@3@a1b2@half, n,, 0",
    "x,,, 0"
  })
  void aPrefixOfATenantTakesPrecedenceOverTheKey(
      String key, String model, String tenant, int partition) {
    KeyParser owned =
        parser(List.of(new TenantPrefix("acme:", "acme"), new TenantPrefix("m@", "acme")));
    KeyLabels labels = labels(owned, key);
    assertThat(labels.facts().workload()).isEqualTo(model);
    assertThat(labels.facts().tenant()).isEqualTo(tenant);
    assertThat(labels.partition()).isEqualTo(partition);
    assertThat(labels(owned, key)).as("seen before").isSameAs(labels);
  }

  private static KeyParser parser(List<TenantPrefix> prefixes) {
    return new KeyParser(
        1, name -> name.equals("acme") ? 1 : 0, prefixes, ChainKeys.AUTO, new Models(Map.of()));
  }

  private KeyLabels labels(String key) {
    return labels(parser, key);
  }

  private static KeyLabels labels(KeyParser parser, String key) {
    return parser.parse(key.getBytes(StandardCharsets.UTF_8)).labels();
  }
}
