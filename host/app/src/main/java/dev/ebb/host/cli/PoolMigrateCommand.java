package dev.ebb.host.cli;

import dev.ebb.host.admin.MigrationDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb pool migrate}: moves a sequence, or blocks, to another device. */
@Command(
    name = "migrate",
    description =
        "Starts to move a sequence of an embedded engine, or blocks with their owners, to"
            + " another device",
    footer = {
      "  ebb pool migrate --sequence 12 --to host",
      "  ebb pool migrate --blocks 4,8-15 --from cuda:0 --to cuda:1 --checksum"
    })
final class PoolMigrateCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");
  private static final int MOST_BLOCKS = 4_096;

  @Option(
      names = "--sequence",
      paramLabel = "N",
      description = "The sequence's number, as 'ebb pool stats' shows it")
  private @Nullable Long sequence;

  @Option(
      names = "--blocks",
      paramLabel = "LIST",
      description = "Numbers of blocks, such as 4,8-15: each goes with its sequence or prefix")
  private @Nullable String blocks;

  @Option(names = "--from", paramLabel = "DEVICE", description = "The device of the blocks")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "DEVICE",
      required = true,
      description = "The target device, such as cuda:1 or host")
  private String device;

  @Option(names = "--checksum", description = "Reads each copy back and compares it")
  private boolean checksum;

  @Override
  public Integer call() {
    return server.show(this::request, PoolMigrateCommand::lines);
  }

  private Answer<MigrationDocument.All> request(AdminClient client) {
    Map<String, Object> wish = new LinkedHashMap<>();
    if ((sequence == null) == (blocks == null)) {
      throw server.wrong("say what to move, one of: --sequence, --blocks");
    }
    if (blocks != null) {
      if (from == null) {
        throw server.wrong("--blocks: name their device with --from");
      }
      wish.put("blocks", numbers(blocks));
      wish.put("from", from);
    } else if (sequence != null) {
      if (sequence < 1) {
        throw server.wrong("--sequence: '%d' must be 1 or more".formatted(sequence));
      }
      wish.put("sequence", sequence);
    }
    wish.put("device", device);
    wish.put("checksum", checksum);
    return client.send("POST", "/api/v1/pool/migrate", wish, MigrationDocument.All.class);
  }

  private List<Integer> numbers(String text) {
    List<Integer> numbers = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      Matcher range = RANGE.matcher(part.strip());
      if (!range.matches()) {
        throw server.wrong(
            "--blocks: '%s' must be numbers and ranges, such as 4,8-15".formatted(text));
      }
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (last < first || numbers.size() + (long) last - first >= MOST_BLOCKS) {
        throw server.wrong(
            "--blocks: '%s' must rise, and name at most %d blocks".formatted(text, MOST_BLOCKS));
      }
      for (int block = first; block <= last; block++) {
        numbers.add(block);
      }
    }
    return numbers;
  }

  private static List<String> lines(MigrationDocument.All answer) {
    List<String> lines = new ArrayList<>();
    for (MigrationDocument each : answer.migrations()) {
      lines.add(
          "migration %s has started: %s blocks from %s to %s; 'ebb pool migration-status %s' shows its progress"
              .formatted(
                  Format.text(each.id()),
                  Format.count(each.blocks()),
                  Format.text(each.from()),
                  Format.text(each.to()),
                  Format.text(each.id())));
    }
    return lines;
  }
}
