package dev.ebb.host.cli.plugins;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.devkit.Verdict;
import dev.ebb.host.devkit.Verification;
import dev.ebb.host.devkit.VerifyFinding;
import dev.ebb.host.devkit.VerifyProgress;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb plugins verify}: checks whether a built JAR keeps the contract. */
@Command(
    name = "verify",
    description =
        "Verifies a built JAR: loads it as the host does, checks the whole contract, measures its"
            + " cost next to lru, and checks for leaks. Exit code 1 if a check fails",
    sortOptions = false,
    footer = {
      "  ebb plugins verify target/my-policy-1.0.0.jar",
      "  ebb plugins verify build/my-policy-1.0.0.jar --json",
      "",
      "The rules are in docs/writing-a-policy.md."
    })
final class PluginsVerifyCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;
  @Mixin private ConfigOption config;

  @Parameters(paramLabel = "FILE", description = "The JAR")
  private Path file;

  @Option(
      names = "--steps",
      hidden = true,
      description = "Verifies in this process, and writes lines for the process that started it")
  private boolean steps;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (steps) {
      verify().writeTo(out);
      return CommandLine.ExitCode.OK;
    }
    Verdict verdict = run(out);
    json.print(() -> Json.text(VerdictText.document(verdict)), () -> VerdictText.summary(verdict));
    return verdict.passed() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private Verdict run(PrintWriter out) {
    try (StatusLine line = StatusLine.onStandardError()) {
      VerifyProgress status = shownOn(line);
      VerifyProgress progress = json.wanted() ? status : new PrintingProgress(status, line, out);
      return new VerifyProcess(file, arguments(), progress).run();
    }
  }

  private List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("plugins", "verify", "--steps"));
    arguments.addAll(config.arguments());
    arguments.addAll(List.of("--", file.toString()));
    return arguments;
  }

  private VerifyStep verify() {
    VerifyProgress progress = VerifyStep.writer(spec.commandLine().getOut());
    try {
      return VerifyStep.verdict(new Verification(config.load().orThrow(), progress).run(file));
    } catch (UserError wrong) {
      return VerifyStep.mistakes(wrong.messages());
    }
  }

  /** Progress, and each finding when it is made. */
  private record PrintingProgress(VerifyProgress status, StatusLine line, PrintWriter out)
      implements VerifyProgress {

    @Override
    public void at(String what, int done, int total) {
      status.at(what, done, total);
    }

    @Override
    public void found(VerifyFinding finding) {
      line.clear();
      VerdictText.lines(finding).forEach(out::println);
      out.flush();
    }
  }

  static VerifyProgress shownOn(StatusLine line) {
    return (what, done, total) ->
        line.update(() -> "%s (%d of %d)".formatted(what, done + 1, total));
  }
}
