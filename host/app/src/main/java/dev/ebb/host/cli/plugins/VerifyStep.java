package dev.ebb.host.cli.plugins;

import dev.ebb.host.devkit.Verdict;
import dev.ebb.host.devkit.VerifyFinding;
import dev.ebb.host.devkit.VerifyProgress;
import dev.ebb.host.http.Json;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One line from the process that verifies a JAR to the one that reports. One component is set.
 *
 * @param mistakes of the command line or the configuration
 */
record VerifyStep(
    @Nullable At at,
    @Nullable VerifyFinding found,
    @Nullable Verdict verdict,
    @Nullable List<String> mistakes) {

  /** Separates the lines from output that a plugin writes past {@code System.out}. */
  private static final String MARK = "ebb-verify-step ";

  /** The parameters of {@link VerifyProgress#at}. */
  record At(String what, int done, int total) {}

  static VerifyStep verdict(Verdict verdict) {
    return new VerifyStep(null, null, verdict, null);
  }

  static VerifyStep mistakes(List<String> mistakes) {
    return new VerifyStep(null, null, null, mistakes);
  }

  /** Parses a line; null if the line is not a step. */
  static @Nullable VerifyStep read(String line) {
    int mark = line.indexOf(MARK);
    return mark < 0 ? null : Json.read(line.substring(mark + MARK.length()), VerifyStep.class);
  }

  /** Writes the line. A process without a reader exits: the result would be lost. */
  void writeTo(PrintWriter out) {
    // Numbers that were not measured are NaN on both sides, unlike in documents.
    out.println(MARK + JsonMapper.shared().writeValueAsString(this));
    if (out.checkError()) {
      Runtime.getRuntime().halt(1);
    }
  }

  static VerifyProgress writer(PrintWriter out) {
    return new VerifyProgress() {
      @Override
      public void at(String what, int done, int total) {
        new VerifyStep(new At(what, done, total), null, null, null).writeTo(out);
      }

      @Override
      public void found(VerifyFinding finding) {
        new VerifyStep(null, finding, null, null).writeTo(out);
      }
    };
  }
}
