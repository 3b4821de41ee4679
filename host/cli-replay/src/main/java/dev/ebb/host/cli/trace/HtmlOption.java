package dev.ebb.host.cli.trace;

import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.TraceReader;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --html}, for every command that can draw its result. */
public final class HtmlOption {

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also writes one self-contained page with charts")
  private @Nullable String file;

  public HtmlOption() {}

  /**
   * Returns the file of the page, null if none is wanted.
   *
   * @throws UserError if it cannot be written there
   */
  public @Nullable OutputFile page(List<String> traces) {
    if (file == null) {
      return null;
    }
    OutputFile page = new OutputFile(file, "--html");
    traces.stream()
        .filter(trace -> !trace.equals(TraceReader.STANDARD_INPUT))
        .forEach(trace -> page.mustNotBe(TraceReader.path(trace), "a trace"));
    return page.mustBePage();
  }
}
