package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.login.PasswordHash;
import dev.ebb.host.testing.Awaiting;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;

/** The question of Dynamo's routers to a shared cache. */
class ResidentBlocksTest {

  private static final String PATH = "/api/v1/blocks";

  /** XXH3 with seed 1337 of the tokens 100 to 115, and of 200 to 215, as Python computes it. */
  private static final String FIRST = Long.toUnsignedString(0x9633b31c7a2562c7L);

  private static final String SECOND = Long.toUnsignedString(0x51043647f54d17edL);

  private static final String EVENTS =
      "ebb.server.kv-events { enabled = true, endpoint = \"tcp://127.0.0.1:*\" }\n";

  private static final String USERS =
      """
      ebb.server.users {
        boss { password-hash = "HASH", rights = [read, write] }
        ann { password-hash = "HASH", rights = [read], prefixes = ["m@"] }
        bob { password-hash = "HASH", rights = [read], prefixes = ["other@"] }
      }
      """;

  private static final String PASSWORD = "s3cret";

  private static final String HASH = PasswordHash.of(PASSWORD.toCharArray(), 100_000).encoded();

  private static final ProtocolCommand REQUEST =
      () -> "EBB.REQUEST".getBytes(StandardCharsets.UTF_8);
  private static final ProtocolCommand BLOCKS = () -> "EBB.BLOCKS".getBytes(StandardCharsets.UTF_8);

  @TempDir private Path home;

  private static byte[] tokens() {
    ByteBuffer tokens = ByteBuffer.allocate(32 * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 32; i++) {
      tokens.putInt(i < 16 ? 100 + i : 184 + i);
    }
    return tokens.array();
  }

  private static byte[] bytes(String word) {
    return word.getBytes(StandardCharsets.UTF_8);
  }

  private static void store(AdminProcess process) {
    process
        .jedis()
        .sendCommand(
            REQUEST,
            bytes("BEGIN"),
            bytes("r"),
            bytes("CHUNK"),
            bytes("16"),
            bytes("TOKENS"),
            tokens(),
            bytes("KEYS"),
            bytes("m@1@0@0a@half"),
            bytes("m@1@0@0b@half"));
    process.put("m@1@0@0a@half", 100);
    process.put("m@1@0@0b@half", 100);
    process.jedis().sendCommand(REQUEST, "END", "r");
  }

  private static String ranges(AdminProcess process, String... hashes) {
    return process
        .call("POST", PATH, "{\"block_hashes\": [%s]}".formatted(String.join(",", hashes)))
        .json()
        .get("ranges")
        .toString();
  }

  @Test
  void theBlocksOfAStatedPromptAreResidentFromItsStart() {
    try (AdminProcess process = AdminProcess.start(home, EVENTS)) {
      assertThat(ranges(process, FIRST)).isEqualTo("[]");
      store(process);
      Awaiting.until(() -> ranges(process, FIRST, SECOND, "7").equals("[[0,2]]"));
      // A hash alone does not say what is before the block.
      assertThat(ranges(process, SECOND)).isEqualTo("[]");
      process.jedis().del("m@1@0@0a@half");
      Awaiting.until(() -> ranges(process, FIRST, SECOND).equals("[[1,2]]"));
      assertThat(process.call("POST", PATH, "{\"block_hashes\": [18446744073709551616]}").body())
          .contains("18446744073709551616", "64 bits");
    }
  }

  @Test
  void aUserSeesTheBlocksOfItsOwnKeys() {
    try (AdminProcess process = AdminProcess.start(home, EVENTS + USERS.replace("HASH", HASH))) {
      process.jedis().auth("boss", PASSWORD);
      store(process);
      Awaiting.until(() ->
          List.of(1L, 1L, 0L).equals(process.jedis().sendCommand(BLOCKS, FIRST, SECOND, "1")));
      for (String user : List.of("ann", "bob")) {
        try (Jedis client = new Jedis("127.0.0.1", process.serving().address().getPort(), 60_000)) {
          client.auth(user, PASSWORD);
          assertThat(client.sendCommand(BLOCKS, FIRST, SECOND))
              .as(user)
              .isEqualTo(user.equals("ann") ? List.of(1L, 1L) : List.of(0L, 0L));
        }
      }
    }
  }

  @Test
  void withoutEventsTheAnswerNamesTheKey() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      var answer = process.call("POST", PATH, "{\"block_hashes\": [1]}");
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.body()).contains("ebb.server.kv-events.enabled = true");
    }
  }
}
