package dev.ebb.host.cli.pool;

import dev.ebb.host.admin.cluster.ClusterMigrationDocument;
import dev.ebb.host.admin.pool.MigrationDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.cli.server.ClusterLines;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.text.TextTemplate;
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
import picocli.CommandLine.Parameters;

/** {@code ebb pool migrate}: moves a sequence or blocks to another device, or values to a node. */
@Command(
    name = "migrate",
    description =
        "Starts to move a sequence of an embedded engine, or blocks with their owners, to"
            + " another device; or values of a cluster to another node",
    footer = {
      "  ebb pool migrate --sequence 12 --to host",
      "  ebb pool migrate --blocks 4,8-15 --from cuda:0 --to cuda:1 --checksum",
      "  ebb pool migrate system-prompt hex:00ff10 --target-node host-2 --wait"
    })
final class PoolMigrateCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");
  private static final int MOST_BLOCKS = 4_096;

  private static final TextTemplate<MigrationDocument> STARTED =
      TextTemplate.of(
          MigrationDocument.class,
          "migration {id} has started: {blocks:count} blocks from {from} to {to};"
              + " 'ebb pool migration-status {id}' shows its progress");
  private static final String MOVES = "/api/v1/cluster/migrations";

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
      description = "The target device, such as cuda:1 or host")
  private @Nullable String device;

  @Option(names = "--checksum", description = "Reads each copy back and compares it")
  private boolean checksum;

  @Parameters(
      arity = "0..*",
      paramLabel = "KEY",
      description =
          "With --target-node: the keys of values of a cluster. Text, or hex: and two digits for"
              + " each byte")
  private List<KeyText> keys = List.of();

  @Option(
      names = "--target-node",
      paramLabel = "NODE",
      description = "The node that becomes the primary one of these values")
  private @Nullable String node;

  @Option(names = "--wait", description = "With --target-node: waits until the values are moved")
  private boolean wait;

  @Override
  public Integer call() {
    if (node != null || !keys.isEmpty()) {
      return toNode();
    }
    if (wait) {
      throw server.wrong("--wait: needs --target-node");
    }
    return server.show(this::request, PoolMigrateCommand::lines);
  }

  private int toNode() {
    if (node == null || keys.isEmpty()) {
      throw server.wrong("KEY and --target-node: give both, to move values to another node");
    }
    if (sequence != null || blocks != null || from != null || device != null || checksum) {
      throw server.wrong(
          "--target-node: only KEY and --wait go with it; --sequence and --blocks need --to");
    }
    Map<String, Object> wish =
        Map.of("keys", keys.stream().map(KeyText::encoded).toList(), "node", node);
    try (AdminClient client = server.open()) {
      Answer<ClusterMigrationDocument> started =
          client.send("POST", MOVES, wish, ClusterMigrationDocument.class);
      return wait
          ? server.show(end(client, started.document().id()), ClusterLines.DONE::lines)
          : server.show(started, ClusterLines.STARTED::lines);
    }
  }

  private static Answer<ClusterMigrationDocument> end(AdminClient client, long id) {
    Answer<ClusterMigrationDocument> end =
        StatusLine.follow(
            () -> client.get(MOVES + "/" + id, ClusterMigrationDocument.class),
            now -> !now.document().state().equals("copying"),
            now -> ClusterLines.COPYING.line(now.document()));
    ClusterMigrationDocument migration = end.document();
    if (migration.state().equals("failed")) {
      throw new UserError(
          "migration %s failed: '%d' of %d values are not on node '%s': %s"
              .formatted(
                  migration.id(),
                  migration.valuesFailed(),
                  migration.values(),
                  migration.node(),
                  Format.text(migration.error())));
    }
    return end;
  }

  private Answer<MigrationDocument.All> request(AdminClient client) {
    Map<String, Object> wish = new LinkedHashMap<>();
    if ((sequence == null) == (blocks == null)) {
      throw server.wrong(
          "say what to move, one of: --sequence, --blocks, or KEY with --target-node");
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
    if (device == null) {
      throw server.wrong("--to: name the target device, such as cuda:1 or host");
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
    return answer.migrations().stream().map(STARTED::line).toList();
  }
}
