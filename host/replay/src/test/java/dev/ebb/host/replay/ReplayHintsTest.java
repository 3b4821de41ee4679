package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.optimum.FutureUses;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hints of traces, and invented ones. Blocks have ten tokens. */
class ReplayHintsTest {

  /** The first block returns after 100 s, both after 300 s. */
  private static final List<String> LINES =
      List.of(
          request(0, "[1, 2, 3]", ""),
          request(100, "[1, 9]", ""),
          request(300, "[1, 2, 7]", ""),
          request(400, "[5]", ""));

  private static String request(int seconds, String ids, String more) {
    return """
    {"timestamp": %d, "input_length": 30, "hash_ids": %s%s}\
    """
        .formatted(seconds * 1_000, ids, more);
  }

  private static DecodedTrace trace(List<String> lines) {
    byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    try (TraceReader reader =
        TraceReader.of("test", new ByteArrayInputStream(bytes), OnError.STOP)) {
      return DecodedTrace.decode("test", reader);
    }
  }

  private static List<@Nullable Retention> hints(DecodedTrace trace) {
    List<@Nullable Retention> hints = new ArrayList<>();
    try (TraceCursor cursor = trace.cursor()) {
      while (cursor.next()) {
        Retention retention = cursor.request().retention();
        hints.add(retention == null ? null : retention.inBlocks(10));
      }
    }
    return hints;
  }

  private static List<@Nullable Retention> invented(double accuracy, DecodedTrace trace) {
    return hints(new ReplayHints(accuracy).hinted(trace, new FutureUses(trace), 10, 1));
  }

  @Test
  void rightHintsRetainWhatReturnsUntilThen() {
    List<@Nullable Retention> hints = invented(1, trace(LINES));

    Retention first = hints.getFirst();
    assertThat(first).isNotNull();
    assertThat(first.strength(0)).isGreaterThan(first.strength(1));
    assertThat(first.strength(1)).isPositive();
    assertThat(first.strength(2)).isZero();
    assertThat(first.untilNanos(0)).isBetween(100_000_000_000L, 102_000_000_000L);
    assertThat(first.untilNanos(1)).isBetween(300_000_000_000L, 302_000_000_000L);
    assertThat(hints.get(2)).isNull();
    assertThat(hints.get(3)).isNull();
  }

  @Test
  void wrongHintsAreTheOpposite() {
    List<@Nullable Retention> hints = invented(0, trace(LINES));

    assertThat(hints.getFirst()).isNull();
    assertThat(hints.get(1)).isNull();
    assertThat(hints.get(2)).isNotNull().extracting(hint -> hint.strength(2) > 0).isEqualTo(true);
    assertThat(hints.get(3)).isNotNull();
  }

  @Test
  void aShareOfManyIsRight() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      lines.add(request(i, "[%d]".formatted(i % 2_000), ""));
    }
    List<@Nullable Retention> hints = invented(0.8, trace(lines));

    assertThat(Collections.frequency(hints.subList(0, 2_000), null)).isBetween(340, 460);
    assertThat(Collections.frequency(hints.subList(2_000, 4_000), null)).isBetween(1_540, 1_660);
  }

  @Test
  void aTraceMayHaveHints() {
    String envelope =
        """
        , "kv_hints": {"protocol_version": "0.1", "message_id": "m", "actions": [
          {"action_id": "a", "action_type": "kv.retain", "action_version": "1.0",
           "payload": {"directives": [{"end": 20, "priority": 70, "duration": 5}]}}]}, "turn": 3\
        """
            .replace("\n", " ");
    DecodedTrace trace = trace(List.of(request(0, "[1, 2, 3]", envelope), LINES.get(1)));

    List<@Nullable Retention> hints = hints(trace);
    assertThat(hints.getFirst())
        .isNotNull()
        .satisfies(hint -> {
          assertThat(hint.strength(1)).isEqualTo(70);
          assertThat(hint.strength(2)).isZero();
        });
    assertThat(hints.get(1)).isNull();
    assertThatThrownBy(() -> trace(List.of(request(0, "[1]", ", \"kv_hints\": 7"))))
        .hasMessageContaining("kv_hints")
        .hasMessageContaining("'7'");
  }

  @Test
  void refusesHintsOfATraceThatHasNone() {
    DecodedTrace trace = trace(LINES);

    assertThatThrownBy(() -> ReplayHints.parse("trace").hinted(trace, new FutureUses(trace), 10, 1))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'%s'".formatted(trace.name()))
        .hasMessageContaining("retain:0.8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "retain", "retain:1.5", "retain:-0.1", "retain:x", "all"})
  void refusesOtherOptions(String text) {
    assertThatThrownBy(() -> ReplayHints.parse(text))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("retain:0.8");
  }
}
