package dev.ebb.host.kvevents;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsConfig.TokenSources;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.StatedTokens;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.spi.RemovalCause;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The libraries that vLLM and its routers decode events with. */
class PythonSubscriberTest {

  @TempDir private Path folder;

  private static String python(String... arguments) throws IOException {
    String[] command = new String[arguments.length + 1];
    command[0] = "python3";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static boolean hasLibraries() {
    try {
      return python("-c", "import msgspec, zmq; print('yes')").strip().equals("yes");
    } catch (IOException noPython) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(KvEventsFormat.class)
  void msgspecDecodesBothFormats(KvEventsFormat format) throws IOException {
    assumeTrue(hasLibraries(), "no python3 with msgspec and zmq");
    Path script = folder.resolve("subscriber.py");
    try (InputStream in = getClass().getResourceAsStream("subscriber.py")) {
      Files.copy(requireNonNull(in), script);
    }
    String any = "tcp://127.0.0.1:*";
    KvEventsConfig config =
        new KvEventsConfig(
            true, any, false, any, "kv", "CPU", format, 100, TokenSources.requests(0, 1 << 20));
    try (KvEventPublisher publisher = KvEventPublisher.start(config)) {
      byte[] chunk = "m@1@0@ffffffffffffffff@half".getBytes(StandardCharsets.UTF_8);
      byte[] parent = "m@1@0@7f@half".getBytes(StandardCharsets.UTF_8);
      publisher.listener().stored(parent, KeyListener.ONLY_GROUP, null, null);
      publisher.listener().stored(chunk, KeyListener.ONLY_GROUP, null, parent);
      publisher.listener().removed(chunk, KeyListener.ONLY_GROUP, RemovalCause.EVICTED);
      byte[] third = "m@1@0@80@half".getBytes(StandardCharsets.UTF_8);
      int[] tokens = {1, 300, 70_000, -1};
      publisher.index().stated(new StatedTokens(List.of(parent, third), 2, tokens, "sql", "s"));
      publisher.listener().stored(parent, KeyListener.ONLY_GROUP, null, null);
      publisher.listener().stored(third, KeyListener.ONLY_GROUP, null, parent);
      Awaiting.until(() -> publisher.stats().events() == 6);
      List<String> lines =
          python(
                  script.toString(),
                  requireNonNull(publisher.replayEndpoint()),
                  format.name().toLowerCase(Locale.ROOT))
              .lines()
              .toList();
      assertThat(lines)
          .containsExactly(
              "0 AllBlocksCleared()",
              "0 BlockStored(block_hashes=[127], parent_block_hash=None, token_ids=[], block_size=0, lora_id=None, medium='CPU', lora_name=None, extra_keys=None, group_idx=None, kv_cache_spec_kind=None, kv_cache_spec_sliding_window=None)",
              "0 BlockStored(block_hashes=[18446744073709551615], parent_block_hash=127, token_ids=[], block_size=0, lora_id=None, medium='CPU', lora_name=None, extra_keys=None, group_idx=None, kv_cache_spec_kind=None, kv_cache_spec_sliding_window=None)",
              "0 BlockRemoved(block_hashes=[18446744073709551615], medium='CPU', group_idx=None)",
              "0 BlockStored(block_hashes=[127], parent_block_hash=None, token_ids=[1, 300], block_size=2, lora_id=None, medium='CPU', lora_name='sql', extra_keys=[('s',)], group_idx=None, kv_cache_spec_kind=None, kv_cache_spec_sliding_window=None)",
              "0 BlockStored(block_hashes=[128], parent_block_hash=127, token_ids=[70000, 4294967295], block_size=2, lora_id=None, medium='CPU', lora_name='sql', extra_keys=None, group_idx=None, kv_cache_spec_kind=None, kv_cache_spec_sliding_window=None)");
    }
  }
}
