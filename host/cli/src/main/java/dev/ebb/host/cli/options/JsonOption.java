package dev.ebb.host.cli.options;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --json}, for every command that can write JSON instead of text. */
public final class JsonOption {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--json", description = "Writes JSON")
  private boolean json;

  public boolean wanted() {
    return json;
  }

  /** Prints a result: as JSON if that is wanted, and else as lines. */
  public void print(Supplier<String> document, Supplier<List<String>> lines) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(document.get());
    } else {
      lines.get().forEach(out::println);
    }
    out.flush();
  }
}
