package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class TokensEvalCommandTest extends PluginFolderTest {

  private Path config;

  @BeforeEach
  void dropPolicy() {
    config = Configs.withPlugins(home);
    policy("newest", "SEQUENCE", "out[i] = i;");
  }

  @Test
  void aThirdPartysPolicyShowsUpByItself() throws IOException {
    JsonNode results = results(eval("--ratios", "25%,1", "--json"));

    assertThat(results).hasSize(6);
    for (JsonNode result : results) {
      // With everything kept it must be as good as the model with all tokens.
      if (result.get("ratio").asDouble() == 1) {
        assertThat(result.get("accuracy").asDouble()).isEqualTo(1);
      } else {
        assertThat(result.get("policy").asString()).isEqualTo("newest");
        assertThat(result.get("accuracy").asDouble()).isLessThan(1);
      }
    }
    assertThat(results.get(0).get("policy").asString()).isEqualTo("full");
  }

  @Test
  void showsATableForEachTimeOfAsking() {
    Run run = eval("--ratios", "10%,0.5");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains(
            "question in the prompt, 2 prompts of 64 tokens; facts known with all tokens: 100%")
        .contains("question afterwards, 2 prompts")
        .containsPattern("policy, tokens kept +10% +50%")
        .containsPattern("newest +\\d+% +\\d+%");
  }

  @Test
  void aSinglePromptIsSingular() {
    Run run = eval("--ratios", "50%", "--seeds", "1");

    assertThat(run.out()).contains(", 1 prompt of 64 tokens;");
  }

  @Test
  void writesOnePageWithoutForeignCode() throws IOException {
    policy("dear", "KV_HEAD", "out[i] = -i;");
    Path page = home.resolve("recall.html");

    Run run = eval("--ratios", "50%", "--policies", "dear,newest", "--html", page.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(Files.readString(page))
        .startsWith("<!doctype html>")
        .contains("Question afterwards", ">dear</th>", "<polyline class=\"line-1 dash-0\"")
        .doesNotContain("src=\"http", "{{");
  }

  @Test
  void aPolicyThatFailsLeavesTheOthersTheirResults() throws IOException {
    policy("broken", "LAYER", "out[i] = Float.NaN;");

    Run run = eval("--ratios", "50%", "--json");

    assertThat(run.exitCode()).isEqualTo(1);
    for (JsonNode result : new ObjectMapper().readTree(run.out()).get("results")) {
      boolean broken = result.get("policy").asString().equals("broken");
      assertThat(result.get("accuracy").isNull()).isEqualTo(broken);
      assertThat(result.get("failure").isNull()).isEqualTo(!broken);
    }
    assertThat(eval("--ratios", "50%").out())
        .contains("broken stopped: the score of index '0' is not a number");
    policy("thrower", "LAYER", "throw new IllegalStateException(\"tired\");");
    assertThat(eval("--ratios", "50%").out())
        .containsPattern("thrower stopped: score failed.*tired");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--ratios 0          | --ratios: '0.0' must be above 0 and at most 1",
        "--ratios some       | --ratios: 'some' must be a share such as 20% or 0.2",
        "--seeds 0           | --seeds: '0' must be 1 to 10000",
        "--tokens 10         | --tokens: '10' must be 64 to 4096",
        "--budget even       | no token budget named 'even'; available: [uniform, pyramid, ada]",
        "--policies newst    | 'newst' (did you mean 'newest'?); available: [newest]",
        "--policies adakv    | 'snapkv'; available: [newest]",
        "--budget ada --policies newest | the budget 'ada' needs a policy",
        "--html /no/such/x.html | --html: '/no/such/x.html' lies in a folder that does not"
      })
  void wrongOptionsAreReportedInOneLine(String options, String message) {
    Run run = eval(options.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message);
    assertThat(run.out()).isEmpty();
  }

  private static JsonNode results(Run run) throws IOException {
    assertThat(run.exitCode()).as(run.err()).isZero();
    return new ObjectMapper().readTree(run.out()).get("results");
  }

  private void policy(String name, String granularity, String score) {
    PluginJarBuilder.plugin(name)
        .tokenPolicy(name, "", granularity, score)
        .writeTo(folder, name + ".jar");
  }

  /** Small and quick by default. */
  private Run eval(String... options) {
    List<String> all = new ArrayList<>(List.of("tokens", "eval", "--config", config.toString()));
    List<String> given = List.of(options);
    if (!given.contains("--seeds")) {
      all.addAll(List.of("--seeds", "2"));
    }
    if (!given.contains("--tokens")) {
      all.addAll(List.of("--tokens", "64"));
    }
    all.addAll(given);
    return Run.of(all.toArray(String[]::new));
  }
}
