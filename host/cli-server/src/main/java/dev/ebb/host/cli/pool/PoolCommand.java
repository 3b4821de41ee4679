package dev.ebb.host.cli.pool;

import dev.ebb.host.admin.cluster.ClusterMigrationDocument;
import dev.ebb.host.admin.pool.CompactionDocument;
import dev.ebb.host.admin.pool.MigrationDocument;
import dev.ebb.host.admin.pool.PoolDocument;
import dev.ebb.host.admin.pool.PoolPicture;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.Terminal;
import dev.ebb.host.cli.server.ClusterLines;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group {@code ebb pool}. */
@Command(
    name = "pool",
    description = "Plans the memory for KV blocks, and inspects that of a running Ebb",
    subcommands = {PoolSizeCommand.class, PoolAdviseCommand.class, PoolMigrateCommand.class})
public final class PoolCommand extends CommandGroup {

  private static final String POOL = "/api/v1/pool";
  private static final int WIDEST = 1_000;

  /** The lines of a terminal page beside the picture. */
  private static final int OTHER_LINES = 5;

  PoolCommand() {
    super("size", "advise", "stats", "map", "defrag", "migrate", "migration-status");
  }

  @Command(
      description = "Shows the pools of a running Ebb: the use of their memory, open sequences",
      footer = {"  ebb pool stats", "  ebb pool stats --url http://127.0.0.1:9091 --json"})
  int stats(@Mixin ServerOptions server) {
    return server.show(
        client -> client.get(POOL, PoolDocument.All.class),
        answer -> PoolLines.stats(answer.pools()));
  }

  @Command(
      description = "Draws the use of each block of a running Ebb's pools",
      footer = {
        "  ebb pool map",
        "  ebb pool map --device cuda:0 --width 120 --rows 40",
        "  ebb pool map --json"
      })
  int map(
      @Mixin ServerOptions server,
      @Mixin DeviceOption device,
      @Option(
              names = "--width",
              paramLabel = "N",
              description = "Characters in a line, 1 to 1000; by default the terminal's, else 80")
          @Nullable Integer width,
      @Option(
              names = "--rows",
              paramLabel = "N",
              description =
                  "Lines of a picture at most, 1 to 1000; by default what fits the terminal")
          @Nullable Integer rows) {
    int[] size = Terminal.size();
    int columns = width == null ? size[0] : (int) server.between("--width", width, 1, WIDEST);
    long lines =
        rows == null
            ? Math.max(1, size[1] - OTHER_LINES)
            : server.between("--rows", rows, 1, WIDEST);
    String path =
        "/map?cells="
            + Math.min(columns * lines, PoolPictureLines.MOST_CELLS)
            + (device.name == null ? "" : "&device=" + Percent.encode(device.name));
    return server.show(
        client -> client.get(POOL + path, PoolPicture.All.class),
        answer -> PoolPictureLines.of(answer.maps(), columns, Terminal.hasColours()));
  }

  /** The option {@code --device}. */
  static final class DeviceOption {
    @Option(names = "--device", paramLabel = "NAME", description = "Only this device's pool")
    private @Nullable String name;
  }

  @Command(
      description =
          "Compacts the pools of an embedded engine; blocks of open sequences stay in place",
      footer = {"  ebb pool defrag", "  ebb pool defrag --device cuda:0 --size '256 MiB'"})
  int defrag(
      @Mixin ServerOptions server,
      @Mixin DeviceOption device,
      @Option(
              names = "--size",
              paramLabel = "SIZE",
              description =
                  "Moves no more than this of a pool, for example '256 MiB'; by default all")
          @Nullable String size) {
    Map<String, Object> wish = new LinkedHashMap<>();
    if (device.name != null) {
      wish.put("device", device.name);
    }
    if (size != null) {
      wish.put("bytes", server.bytes("--size", size, "256 MiB"));
    }
    return server.show(
        client -> client.send("POST", POOL + "/defrag", wish, CompactionDocument.All.class),
        answer -> answer.pools().stream().map(PoolLines.COMPACTION::line).toList());
  }

  @Command(
      name = "migration-status",
      description = "Shows the progress of moves between devices or nodes, recent ones included",
      footer = {"  ebb pool migration-status", "  ebb pool migration-status 3 --json"})
  int migrationStatus(
      @Mixin ServerOptions server,
      @Parameters(arity = "0..1", paramLabel = "ID", description = "Only the move with this number")
          @Nullable Long id) {
    try (AdminClient client = server.open()) {
      // A server moves values between nodes, an engine moves blocks between devices.
      Optional<Answer<ClusterMigrationDocument.All>> nodes = betweenNodes(client, id);
      return nodes.isPresent()
          ? server.show(nodes.get(), answer -> ClusterLines.migrations(answer.migrations()))
          : server.show(
              betweenDevices(client, id), answer -> PoolLines.migrations(answer.migrations()));
    }
  }

  private static Optional<Answer<ClusterMigrationDocument.All>> betweenNodes(
      AdminClient client, @Nullable Long id) {
    String path = "/api/v1/cluster/migrations";
    return id == null
        ? client.find(path, ClusterMigrationDocument.All.class)
        : client
            .find(path + "/" + id, ClusterMigrationDocument.class)
            .map(one ->
                new Answer<>(
                    one.text(), () -> new ClusterMigrationDocument.All(List.of(one.document()))));
  }

  private static Answer<MigrationDocument.All> betweenDevices(
      AdminClient client, @Nullable Long id) {
    String path = POOL + "/migrations";
    if (id == null) {
      return client.get(path, MigrationDocument.All.class);
    }
    Answer<MigrationDocument> one = client.get(path + "/" + id, MigrationDocument.class);
    return new Answer<>(one.text(), () -> new MigrationDocument.All(List.of(one.document())));
  }
}
