package dev.ebb.host.cli.serve;

import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.disk.DiskCheck;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.text.TextTemplate;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The group {@code ebb tiers}. */
@Command(name = "tiers", description = "Works with the files of disk tiers")
public final class TiersCommand extends CommandGroup {

  private static final TextTemplate<DiskCheck> CHECK =
      TextTemplate.of(
          DiskCheck.class,
          """
          regions   {usedRegions:count} of {regions:count} in use, {regionBytes:bytes} each
          values    {values:count} in {bytes:bytes}, with removed and replaced ones
          removals  {removals:count}
          damaged   {damagedValues:value|values}, {damagedRegions:region|regions}
          """);

  TiersCommand() {
    super("check");
  }

  @Command(
      description = "Reads the whole file of a disk tier, which no server uses, and checks it",
      footer = {"  ebb tiers check /data/ebb/values", "  ebb tiers check /data/ebb/values --json"})
  int check(
      @Parameters(paramLabel = "FILE", description = "The file of ebb.tiers.disk.path") Path file,
      @Mixin JsonOption json) {
    DiskCheck found;
    try (StatusLine line = StatusLine.onStandardError()) {
      found =
          DiskCheck.of(
              file,
              (done, regions) -> line.update(() -> "region %,d of %,d".formatted(done, regions)));
    }
    if (json.wanted()) {
      out().println(Json.text(found));
    } else {
      CHECK.lines(found).forEach(out()::println);
    }
    out().flush();
    if (found.damagedValues() + found.damagedRegions() > 0) {
      throw new UserError(
          "'%s' is damaged; a server can use it: what is damaged is never returned"
              .formatted(file));
    }
    return CommandLine.ExitCode.OK;
  }
}
