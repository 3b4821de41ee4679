package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.ByteSize;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb evict}: eviction by hand. */
@Command(
    name = "evict",
    description = "Evicts by hand: the policy says who leaves, unless a key is named",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb evict --to 0.7",
      "  ebb evict --size '2 GiB'",
      "  ebb evict --blocks 100",
      "  ebb evict 'model@1@0@a1b2@bfloat16'"
    })
final class EvictCommand extends AnswerCommand {

  private static final long BLOCK_BYTES = 64 << 10;

  @ArgGroup(multiplicity = "1")
  private What what;

  // The field is set by picocli.
  @SuppressWarnings("NullAway.Init")
  EvictCommand() {}

  /** One of them. */
  private static final class What {
    @Option(
        names = "--to",
        paramLabel = "SHARE",
        description = "Until so much of the pool is in use, 0 to 1")
    private @Nullable Double share;

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        description = "So much memory, for example '2 GiB'")
    private @Nullable String size;

    @Option(
        names = "--blocks",
        paramLabel = "N",
        description = "So much memory in blocks of 64 KiB")
    private @Nullable Long blocks;

    @Option(names = "--entries", paramLabel = "N", description = "So many entries")
    private @Nullable Long entries;

    @Parameters(arity = "1", paramLabel = "KEY", description = KeyText.HELP)
    private @Nullable KeyText key;
  }

  @Override
  Answer ask(AdminClient client) {
    return client.send("POST", "/api/v1/evict", wish());
  }

  private Map<String, Object> wish() {
    if (what.key != null) {
      return Map.of("key", what.key.encoded());
    }
    if (what.share != null) {
      if (!(what.share >= 0 && what.share <= 1)) {
        throw wrong("--to: '%s' must be 0 to 1, such as 0.7".formatted(what.share));
      }
      return Map.of("to", what.share);
    }
    if (what.entries != null) {
      return Map.of("entries", positive("--entries", what.entries, Long.MAX_VALUE));
    }
    return Map.of("bytes", bytes());
  }

  private long bytes() {
    if (what.blocks != null) {
      return positive("--blocks", what.blocks, Long.MAX_VALUE / BLOCK_BYTES) * BLOCK_BYTES;
    }
    OptionalLong bytes = ByteSize.parse(String.valueOf(what.size));
    if (bytes.isEmpty() || bytes.getAsLong() == 0) {
      throw wrong(
          "--size: '%s' must be a size with its unit, such as '2 GiB'".formatted(what.size));
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
  List<String> lines(Fields answer) {
    String done =
        "evicted %s entries, %s; in use %s before, %s after"
            .formatted(
                answer.count("/entries"),
                answer.bytes("/freedBytes"),
                answer.bytes("/before"),
                answer.bytes("/after"));
    return answer.raw("/whyNotMore").isEmpty()
        ? List.of(done)
        : List.of(done, "not more: " + answer.text("/whyNotMore"));
  }
}
