package dev.ebb.host.cli;

import dev.ebb.host.app.ConfigCheck;
import dev.ebb.host.app.ConfigFinding;
import dev.ebb.host.http.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ebb config check}: checks whether Ebb would serve. */
@Command(
    name = "check",
    description =
        "Checks everything that 'ebb serve' needs, and reports every mistake: keys and values,"
            + " plugins, the policy and its settings, the pool's memory, both ports",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb config check", "  ebb config check --config /etc/ebb.conf --json"})
final class ConfigCheckCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ConfigCheckCommand() {}

  private record Document(boolean ok, List<Check> checks) {}

  private record Check(String level, String subject, String text) {}

  @Override
  public Integer call() {
    List<ConfigFinding> findings = ConfigCheck.findings(config.load());
    boolean ok = findings.stream().noneMatch(each -> each.level() == ConfigFinding.Level.WRONG);
    PrintWriter out = spec.commandLine().getOut();
    if (json.wanted()) {
      List<Check> checks =
          findings.stream()
              .map(each -> new Check(level(each), each.subject(), each.text()))
              .toList();
      out.println(Json.text(new Document(ok, checks)));
    } else {
      findings.forEach(each ->
          out.println("%-7s  %-7s  %s".formatted(level(each), each.subject(), each.text())));
    }
    out.flush();
    return ok ? 0 : 1;
  }

  private static String level(ConfigFinding finding) {
    return finding.level().name().toLowerCase(Locale.ROOT);
  }
}
