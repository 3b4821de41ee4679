package dev.ebb.server.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.key.PriorityScale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class CompletionParserTest {

  @ParameterizedTest
  @CsvSource({
    "1, '{}', 1",
    "1, '{\"priority\": 7}', 6",
    "-1, '{}', 1",
    "-1, '{\"priority\": 0}', 1",
    "-1, '{\"priority\": -1}', 2",
    "-1, '{\"priority\": 90}', -4"
  })
  void prioritiesAreReadAsConfigured(int sign, String body, int priority) {
    CompletionParser parser =
        new CompletionParser(new JsonMapper().readTree(body), new PriorityScale(sign, 5));
    assertThat(parser.options("", 16, new OutputFormat(null, null)).priority()).isEqualTo(priority);
  }
}
