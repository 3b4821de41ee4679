package dev.ebb.host.cli.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.devkit.Cost;
import dev.ebb.host.devkit.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerifyStepTest {

  @Test
  void costsThatWereNotMeasuredStayUnknown() {
    Cost cost = new Cost("mine", 1_000, 12.5, Double.NaN, Double.NaN, 1, 2, 3, 1);
    StringWriter line = new StringWriter();

    VerifyStep.verdict(new Verdict(Path.of("a.jar"), "acme", "1.0.0", List.of(), List.of(cost)))
        .writeTo(new PrintWriter(line, true));

    assertThat(VerifyStep.read("noise " + line))
        .isNotNull()
        .satisfies(step -> assertThat(step.verdict().costs()).containsExactly(cost));
  }
}
