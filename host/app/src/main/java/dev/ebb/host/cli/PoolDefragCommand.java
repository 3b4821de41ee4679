package dev.ebb.host.cli;

import dev.ebb.host.admin.CompactionDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.ByteSize;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ebb pool defrag}: compacts manually. */
@Command(
    name = "defrag",
    description =
        "Compacts the pools of an embedded engine; blocks of open sequences stay in place",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb pool defrag", "  ebb pool defrag --device cuda:0 --size '256 MiB'"})
final class PoolDefragCommand extends AnswerCommand<CompactionDocument.All> {

  @Option(names = "--device", paramLabel = "NAME", description = "Only this device's pool")
  private @Nullable String device;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Moves no more than this of a pool, for example '256 MiB'; by default all")
  private @Nullable String size;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PoolDefragCommand() {}

  @Override
  Answer<CompactionDocument.All> ask(AdminClient client) {
    Map<String, Object> wish = new LinkedHashMap<>();
    if (device != null) {
      wish.put("device", device);
    }
    if (size != null) {
      wish.put("bytes", bytes(size));
    }
    return client.send("POST", "/api/v1/pool/defrag", wish, CompactionDocument.All.class);
  }

  private long bytes(String text) {
    OptionalLong bytes = ByteSize.parse(text);
    if (bytes.isEmpty() || bytes.getAsLong() == 0) {
      throw wrong("--size: '%s' must be a size with its unit, such as '256 MiB'".formatted(text));
    }
    return bytes.getAsLong();
  }

  @Override
  List<String> lines(CompactionDocument.All answer) {
    return answer.pools().stream().map(PoolDefragCommand::line).toList();
  }

  private static String line(CompactionDocument pool) {
    return "%s: moved %s blocks, %s, in %s; fragmentation %s before, %s after; longest free run %s blocks"
        .formatted(
            Format.text(pool.device()),
            Format.count(pool.blocksMoved()),
            Format.bytes(pool.bytesMoved()),
            Format.seconds(pool.seconds()),
            Format.percent(pool.fragmentationBefore()),
            Format.percent(pool.fragmentationAfter()),
            Format.count(pool.largestFreeRun()));
  }
}
