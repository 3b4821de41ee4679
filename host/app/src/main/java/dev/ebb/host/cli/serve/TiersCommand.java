package dev.ebb.host.cli.serve;

import dev.ebb.host.admin.stats.TierDocument;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.cli.server.TierLines;
import dev.ebb.host.disk.DiskCheck;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.text.TextTemplate;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb tiers}: shows the tiers of a running Ebb, and checks the files of a disk tier. */
@Command(
    name = "tiers",
    description = "Shows the tiers of a running Ebb: memory, and the disk if there is one",
    footer = {"  ebb tiers", "  ebb tiers --url http://cache-3:9090 --json"})
public final class TiersCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ServerOptions server;

  private static final TextTemplate<DiskCheck> CHECK =
      TextTemplate.of(
          DiskCheck.class,
          """
          regions   {usedRegions:count} of {regions:count} in use, {regionBytes:bytes} each
          values    {values:count} in {bytes:bytes}, with removed and replaced ones
          removals  {removals:count}
          damaged   {damagedValues:value|values}, {damagedRegions:region|regions}
          """);

  @Override
  public Integer call() {
    return server.show(
        client -> client.get("/api/v1/tiers", TierDocument.Tiers.class), TierLines::lines);
  }

  @Command(
      description = "Reads whole files of a disk tier, which no server uses, and checks them",
      footer = {
        "  ebb tiers check /data/ebb/values",
        "  ebb tiers check /nvme0/ebb /nvme1/ebb --json"
      })
  int check(
      @Parameters(
              paramLabel = "FILE",
              arity = "1..*",
              description = "The files of ebb.tiers.disk.path")
          List<Path> files,
      @Mixin JsonOption json) {
    Map<String, DiskCheck> found = new LinkedHashMap<>();
    files.forEach(file -> found.put(file.toString(), check(file)));
    if (json.wanted()) {
      out().println(Json.text(found.size() == 1 ? found.values().iterator().next() : found));
    } else {
      found.forEach((file, check) -> {
        if (files.size() > 1) {
          out().println(file);
        }
        CHECK.lines(check).forEach(out()::println);
      });
    }
    out().flush();
    String damaged =
        found.entrySet().stream()
            .filter(each -> each.getValue().damagedValues() + each.getValue().damagedRegions() > 0)
            .map(Map.Entry::getKey)
            .collect(Collectors.joining("', '"));
    if (!damaged.isEmpty()) {
      throw new UserError(
          "'%s' is damaged; a server can use it: what is damaged is never returned"
              .formatted(damaged));
    }
    return CommandLine.ExitCode.OK;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private static DiskCheck check(Path file) {
    try (StatusLine line = StatusLine.onStandardError()) {
      return DiskCheck.of(
          file, (done, regions) -> line.update(() -> "region %,d of %,d".formatted(done, regions)));
    }
  }

  @Command(
      description =
          "Lets a server use files of a disk tier without others of their set, which are lost",
      footer = {"  ebb tiers regroup /nvme0/ebb"})
  int regroup(
      @Parameters(
              paramLabel = "FILE",
              arity = "1..*",
              description = "The files of ebb.tiers.disk.path that are left")
          List<Path> files) {
    DiskLogs.regroup(files);
    out()
        .println(
            "%s is a set of its own now; name its files, and new ones, in ebb.tiers.disk.path"
                .formatted(files.stream().map(Path::toString).collect(Collectors.joining(", "))));
    out().flush();
    return CommandLine.ExitCode.OK;
  }
}
