package dev.ebb.host.sequences;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.app.Serving;
import dev.ebb.host.config.Configs;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol of engines in other processes, over real sockets and real shared memory. */
class EngineClientsTest {

  private static final int BLOCK_TOKENS = SequenceHost.BLOCK_TOKENS;
  private static final int BLOCKS = 64;

  /** An open sequence, as its client knows it. */
  private record Open(
      EngineSocket client, long id, String salt, List<Integer> tokens, Table table) {}

  /** What the replies have said about a sequence. */
  private static final class Table {
    private final List<Integer> blocks = new ArrayList<>();
    private long epoch;
    private int readOnly;

    void changed(List<?> changes) {
      if (changes.size() > 2) {
        int same = ((Long) changes.get(3)).intValue();
        assertThat(same).isLessThanOrEqualTo(blocks.size());
        if (changes.get(0).equals(epoch)) {
          assertThat(same).isEqualTo(blocks.size());
        }
        blocks.subList(same, blocks.size()).clear();
        changes.stream().skip(5).forEach(block -> blocks.add(((Long) block).intValue()));
        assertThat(changes).element(4).isEqualTo((long) blocks.size() - same);
      }
      epoch = (Long) changes.get(0);
    }
  }

  @TempDir Path home;
  private final List<Open> open = new ArrayList<>();

  /** The prefixes of whole blocks that were published, with their salt. */
  private final Set<List<Object>> published = new HashSet<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomCommandsAgreeWithANaiveModel(long seed) throws IOException {
    Random random = new Random(seed);
    int refused = 0;
    int reused = 0;
    try (Host host = host();
        Serving serving = Serving.start(host)) {
      List<EngineSocket> clients = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        clients.add(connect(serving));
      }
      for (int step = 0; step < 3_000; step++) {
        int client = random.nextInt(clients.size());
        switch (random.nextInt(100)) {
          case 0 -> {
            // Its sequences end as if they had never been there.
            EngineSocket dead = clients.get(client);
            dead.close();
            open.removeIf(each -> each.client == dead);
            clients.set(client, connect(serving));
            awaitFree(clients.get(client));
          }
          default -> {
            int matched = step(clients.get(client), random);
            refused += matched < 0 ? 1 : 0;
            reused += Math.max(0, matched);
          }
        }
        check();
      }
      assertThat(refused).isPositive();
      assertThat(reused).isPositive();
      for (Open each : List.copyOf(open)) {
        end(each, "ABORT");
      }
      awaitFree(clients.getFirst());
      for (EngineSocket client : clients) {
        client.close();
      }
    }
  }

  /** Executes a random command. Returns how many tokens matched, -1 if there was no room. */
  private int step(EngineSocket client, Random random) throws IOException {
    List<Open> own = open.stream().filter(each -> each.client == client).toList();
    if (own.isEmpty() || random.nextInt(4) == 0) {
      return open(client, random);
    }
    Open one = own.get(random.nextInt(own.size()));
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        List<Integer> more = EngineSocket.tokens(random, 1 + random.nextInt(9));
        try {
          one.table.changed(client.call("APPEND", one.id, more));
          one.tokens.addAll(more);
          write(one);
        } catch (EngineSocket.Refused full) {
          requireShort(full, pages(one.tokens.size() + more.size()) - one.table.blocks.size());
          return -1;
        }
      }
      case 2 -> {
        int written = random.nextInt(one.tokens.size() + 1);
        List<?> reply = client.call("PUBLISH", one.id, written);
        one.table.changed((List<?>) reply.get(1));
        one.table.readOnly = ((Long) reply.get(0)).intValue();
        publish(one, written);
        assertThat(one.table.readOnly).isGreaterThanOrEqualTo(whole(written));
      }
      case 3 -> {
        assertThat(client.<Object>call("PAUSE", one.id)).isEqualTo("OK");
        one.table.changed(client.call("RESUME", one.id));
      }
      case 4 -> {
        int written = random.nextInt(one.tokens.size() + 1);
        assertThat(client.<Object>call("FINISH", one.id, written)).isEqualTo("OK");
        publish(one, written);
        open.remove(one);
      }
      default -> end(one, "ABORT");
    }
    return 0;
  }

  private int open(EngineSocket client, Random random) throws IOException {
    return open(client, "s" + random.nextInt(2), EngineSocket.tokens(random, random.nextInt(50)));
  }

  private int open(EngineSocket client, String salt, List<Integer> tokens) throws IOException {
    try {
      List<?> reply = client.call("OPEN", "SALT", salt, tokens);
      int matched = ((Long) reply.get(1)).intValue();
      Table table = new Table();
      table.changed((List<?>) reply.get(2));
      table.readOnly = matched;
      assertThat(matched % BLOCK_TOKENS).isZero();
      assertThat(matched).isLessThanOrEqualTo(tokens.size());
      assertThat(matched == 0 || published.contains(prefix(salt, tokens, matched))).isTrue();
      Open opened = new Open(client, (Long) reply.get(0), salt, new ArrayList<>(tokens), table);
      open.add(opened);
      write(opened);
      return matched;
    } catch (EngineSocket.Refused full) {
      requireShort(full, pages(tokens.size()));
      return -1;
    }
  }

  /** Checks that there were too few blocks, since all others could be evicted. */
  private void requireShort(EngineSocket.Refused full, int pages) {
    assertThat(full).hasMessageStartingWith("OOM ");
    assertThat(pages).isGreaterThan(BLOCKS - used().size());
  }

  private Set<Integer> used() {
    Set<Integer> used = new HashSet<>();
    open.forEach(each -> used.addAll(each.table.blocks));
    return used;
  }

  private void end(Open ended, String how) throws IOException {
    assertThat(ended.client.<Object>call(how, ended.id)).isEqualTo("OK");
    open.remove(ended);
    assertThatThrownBy(() -> ended.client.call("APPEND", ended.id, List.of(1)))
        .hasMessageContaining("'%d'".formatted(ended.id));
  }

  private void publish(Open of, int written) {
    for (int tokens = BLOCK_TOKENS; tokens <= written; tokens += BLOCK_TOKENS) {
      published.add(prefix(of.salt, of.tokens, tokens));
    }
  }

  private static List<Object> prefix(String salt, List<Integer> tokens, int count) {
    List<Object> prefix = new ArrayList<>(tokens.subList(0, count));
    prefix.add(salt);
    return prefix;
  }

  /** Writes what depends on all tokens before, as K and V do. */
  private static void write(Open of) {
    for (int token = of.table.readOnly; token < of.tokens.size(); token++) {
      of.client.put(
          of.table.blocks.get(token / BLOCK_TOKENS), token % BLOCK_TOKENS, value(of, token));
    }
  }

  private static int value(Open of, int token) {
    return prefix(of.salt, of.tokens, token + 1).hashCode();
  }

  /**
   * Checks the rows of all open sequences, and that no two have a block that one of them writes.
   */
  private void check() {
    Set<Integer> writable = new HashSet<>();
    for (Open each : open) {
      List<Integer> blocks = each.table.blocks;
      assertThat(blocks).hasSize(pages(each.tokens.size()));
      for (int token = 0; token < each.tokens.size(); token++) {
        assertThat(each.client.get(blocks.get(token / BLOCK_TOKENS), token % BLOCK_TOKENS))
            .isEqualTo(value(each, token));
      }
      for (int block : blocks.subList(each.table.readOnly / BLOCK_TOKENS, blocks.size())) {
        assertThat(writable.add(block)).isTrue();
      }
    }
    for (Open each : open) {
      assertThat(each.table.blocks.subList(0, each.table.readOnly / BLOCK_TOKENS))
          .noneMatch(writable::contains);
    }
  }

  /** Waits until one sequence can have all blocks that no open one has: none is lost. */
  private void awaitFree(EngineSocket client) throws IOException {
    int free = BLOCKS - used().size();
    List<Integer> tokens = new ArrayList<>();
    for (int i = 0; i < free * BLOCK_TOKENS; i++) {
      tokens.add(9);
    }
    List<?> reply = client.call("OPEN", "SALT", "all", "WAIT", 20_000, tokens);
    assertThat(((List<?>) reply.get(2))).hasSize(free == 0 ? 2 : 5 + free);
    client.call("ABORT", (Long) reply.get(0));
  }

  private static int pages(int tokens) {
    return Math.ceilDiv(tokens, BLOCK_TOKENS);
  }

  private static int whole(int tokens) {
    return tokens / BLOCK_TOKENS * BLOCK_TOKENS;
  }

  @Test
  void theDiskHasPublishedPrefixesAfterARestart() throws IOException {
    Random random = new Random(5);
    int read = 0;
    for (int run = 0; run < 4; run++) {
      try (Host host = host();
          Serving serving = Serving.start(host);
          EngineSocket client = connect(serving)) {
        for (List<Object> prefix : List.copyOf(published)) {
          read += open(client, (String) prefix.getLast(), tokens(prefix));
          check();
          end(open.getLast(), "ABORT");
        }
        for (int step = 0; step < 300; step++) {
          step(client, random);
          check();
        }
        open.clear();
      }
    }
    assertThat(read).isPositive();
  }

  private static List<Integer> tokens(List<Object> prefix) {
    return prefix.stream().limit(prefix.size() - 1).map(Integer.class::cast).toList();
  }

  @Test
  void aPartialModelIsRefusedAndNamesWhatItLacks() throws IOException {
    try (Host host = host();
        Serving serving = Serving.start(host);
        EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      assertRefused(client, "MODEL", "OPEN", List.of(1));
      assertRefused(client, "'LAYERS'", "MODEL", "m");
      assertRefused(client, "'0'", "MODEL", "m", "LAYERS", 0);
      assertRefused(
          client, "'fp7'", "MODEL", "m", "DTYPE", "fp7", "LAYERS", 1, "KVHEADS", 1, "HEADDIM", 1);
      assertRefused(
          client, "'3'", "MODEL", "m", "LAYERS", 1, "KVHEADS", 2, "HEADDIM", 1, "QUERYHEADS", 3);
      assertRefused(client, "0' blocks", "MODEL", "m", "LAYERS", 99, "KVHEADS", 9, "HEADDIM", 99);
      // None of these has decided the model.
      client.call(MODEL);
    }
  }

  @Test
  void anotherModelReplacesThatOfDisconnectedClients() throws IOException {
    Object[] other = {"MODEL", "m", "LAYERS", 1, "KVHEADS", 1, "HEADDIM", 1};
    try (Host host = host();
        Serving serving = Serving.start(host);
        EngineSocket second = new EngineSocket(requireNonNull(serving.unixSocket()))) {
      EngineSocket first = connect(serving);
      assertRefused(second, "LAYERS 2", other);
      first.close();
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      List<?> place = null;
      while (place == null) {
        try {
          place = second.call(other);
        } catch (EngineSocket.Refused early) {
          // The server has not noticed yet that the first one is gone.
          assertThat(System.nanoTime()).isLessThan(deadline);
        }
      }
      assertThat(place.get(2)).isEqualTo(2L * 16 * Short.BYTES);
    }
  }

  private static void assertRefused(EngineSocket client, String part, Object... words) {
    assertThatThrownBy(() -> client.call(words)).hasMessageContaining(part);
  }

  @Test
  void sequencesNeedSharedMemory() {
    Configs.plugins(home);
    try (Host host = Host.open(Configs.of(home, "ebb.server.sequences.memory = 1 MiB"))) {
      assertThatThrownBy(() -> new SequencesModule(host.config()))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("ebb.server.sequences.memory")
          .hasMessageContaining("ebb.server.shared-memory");
    }
  }

  private static final Object[] MODEL = SequenceHost.model(BLOCK_TOKENS);

  private static EngineSocket connect(Serving serving) throws IOException {
    EngineSocket client = new EngineSocket(requireNonNull(serving.unixSocket()));
    client.map(client.call(MODEL));
    assertThat(client.blocks()).isEqualTo(BLOCKS);
    return client;
  }

  private Host host() throws IOException {
    PluginJarBuilder.plugin("acme")
        .version("1.2.3")
        .policy("first")
        .writeTo(Configs.plugins(home), "acme.jar");
    return SequenceHost.open(
        home,
        BLOCKS,
        """
        ebb.admin.enabled = false
        ebb.eviction.policy = first
        ebb.tiers.disk { path = "%s/tier", size = 8 MiB, region-size = 1 MiB }
        """
            .formatted(home));
  }
}
