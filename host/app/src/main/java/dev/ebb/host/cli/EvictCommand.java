package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.store.EvictionResult;
import dev.ebb.host.units.ByteSize;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb evict}: evicts manually. */
@Command(
    name = "evict",
    description = "Evicts manually: the policy chooses the entries, unless a key is named",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb evict --to 0.7",
      "  ebb evict --size '2 GiB'",
      "  ebb evict --blocks 100",
      "  ebb evict 'model@1@0@a1b2@bfloat16'"
    })
final class EvictCommand extends AnswerCommand<EvictionResult> {

  private static final long BLOCK_BYTES = 64 << 10;

  @Option(
      names = "--to",
      paramLabel = "SHARE",
      description = "Until this share of the pool is in use, 0 to 1")
  private @Nullable Double share;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "This much memory, for example '2 GiB'")
  private @Nullable String size;

  @Option(names = "--blocks", paramLabel = "N", description = "This many blocks of 64 KiB")
  private @Nullable Long blocks;

  @Option(names = "--entries", paramLabel = "N", description = "This many entries")
  private @Nullable Long entries;

  @Parameters(arity = "0..1", paramLabel = "KEY", description = KeyText.HELP)
  private @Nullable KeyText key;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  EvictCommand() {}

  @Override
  Answer<EvictionResult> ask(AdminClient client) {
    return client.send("POST", "/api/v1/evict", wish(), EvictionResult.class);
  }

  private Map<String, Object> wish() {
    long given = Stream.of(share, size, blocks, entries, key).filter(Objects::nonNull).count();
    if (given != 1) {
      throw wrong("say what to evict, one of: --to, --size, --blocks, --entries, a KEY");
    }
    if (key != null) {
      return Map.of("key", key.encoded());
    }
    if (share != null) {
      if (!(share >= 0 && share <= 1)) {
        throw wrong("--to: '%s' must be 0 to 1, such as 0.7".formatted(share));
      }
      return Map.of("to", share);
    }
    if (entries != null) {
      return Map.of("entries", positive("--entries", entries, Long.MAX_VALUE));
    }
    return Map.of("bytes", bytes());
  }

  private long bytes() {
    if (blocks != null) {
      return positive("--blocks", blocks, Long.MAX_VALUE / BLOCK_BYTES) * BLOCK_BYTES;
    }
    OptionalLong bytes = ByteSize.parse(String.valueOf(size));
    if (bytes.isEmpty() || bytes.getAsLong() == 0) {
      throw wrong("--size: '%s' must be a size with its unit, such as '2 GiB'".formatted(size));
    }
    return bytes.getAsLong();
  }

  private long positive(String option, long value, long most) {
    if (value < 1 || value > most) {
      throw wrong("%s: '%d' must be 1 to %d".formatted(option, value, most));
    }
    return value;
  }

  @Override
  List<String> lines(EvictionResult answer) {
    String done =
        "evicted %s, %s; in use %s before, %s after"
            .formatted(
                Format.count(answer.entries(), "entry", "entries"),
                Format.bytes(answer.freedBytes()),
                Format.bytes(answer.before()),
                Format.bytes(answer.after()));
    return answer.whyNotMore().isEmpty()
        ? List.of(done)
        : List.of(done, "not more: " + Format.text(answer.whyNotMore()));
  }
}
