package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.SimRequest;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerHintTest {

  @ParameterizedTest
  @CsvSource({"-3, 0", "0, 0", "1, 1", "15, 15", "900, 15"})
  void aHintIsAGroupOfItsOwn(int hint, int group) {
    SimRequest request = new SimRequest(1);
    request.hint = hint;
    assertThat(CallerHint.group(request)).isEqualTo(group);
  }

  @ParameterizedTest
  @CsvSource({
    "0, expected after 0-3 s",
    "10, expected after 3-15 s",
    "60, expected after 15-67 s",
    "3600, expected after 1343-6021 s",
    "1000000, expected after 26999 s"
  })
  void aReturnTimeIsAGroupByItsMagnitude(long seconds, String words) {
    SimRequest request = new SimRequest(1);
    request.finishReason = "stop";
    request.returnAfterNanos = TimeUnit.SECONDS.toNanos(seconds);
    int group = CallerHint.group(request);
    assertThat(CallerHint.describe(group)).isEqualTo(words);
    request.hint = 4;
    assertThat(CallerHint.group(request)).as("the caller's own hint comes first").isEqualTo(4);
  }

  @Test
  void reasonsAndModelsAreDistinguished() {
    Set<Integer> groups = new HashSet<>();
    for (String reason : new String[] {"stop", "length", "tool_calls", "content_filter", null}) {
      for (String model : new String[] {"a", "b", null}) {
        SimRequest request = new SimRequest(1);
        request.finishReason = reason;
        request.model = model;
        groups.add(CallerHint.group(request));
      }
    }
    assertThat(groups).hasSize(15).contains(0).allMatch(group -> group < CallerHint.GROUPS);
    SimRequest anthropic = new SimRequest(1);
    anthropic.finishReason = "tool_use";
    assertThat(CallerHint.describe(CallerHint.group(anthropic))).isEqualTo("ended by a tool call");
  }
}
