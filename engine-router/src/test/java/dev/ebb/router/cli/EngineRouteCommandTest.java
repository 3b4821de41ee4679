package dev.ebb.router.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cli.EbbMain;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineRouteCommandTest {

  private record Result(int exitCode, String out, String err) {}

  private static Result run(String... options) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of("engine", "route"));
    all.addAll(List.of(options));
    int exitCode =
        EbbMain.run(new PrintWriter(out), new PrintWriter(err), all.toArray(String[]::new));
    return new Result(exitCode, out.toString(), err.toString());
  }

  @Test
  void isACommandOfTheEngine() {
    Result help = run("--help");
    assertThat(help.exitCode).isZero();
    assertThat(help.out).contains("ebb engine route", "--engine", "--shared-cost");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--port 0 | --engine | --engine",
        "--engine ftp://a | 'ftp://a' | http://10.0.0.1:8000",
        "--engine http://a:1/x | 'http://a:1/x' | http://10.0.0.1:8000",
        "--engine http://a --policy best | 'best' | least-loaded",
        "--engine http://a --shared-cost 2 | '2.0' | 0 to 1",
        "--engine http://a --request-tokens -1 | '-1' | 0 to 1000000",
        "--engine http://a --health-interval 0 | '0' | 1 to 3600",
        "--engine http://a --host 0.0.0.0 | '0.0.0.0' | --api-key-file",
        "--engine http://a --port 70000 | '70000' | 0 to 65535"
      })
  void optionsThatCannotBeHonouredAreRefused(String options, String value, String remedy) {
    Result result = run(options.split(" "));
    assertThat(result.exitCode).isEqualTo(2);
    assertThat(result.err).contains(value, remedy).doesNotContain("\tat ");
  }
}
