package dev.ebb.host.enginebench;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.trace.DecodedTrace;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnQueueTest {

  private static TurnQueue queue(String trace) {
    return new TurnQueue(DecodedTrace.decode("test", TraceText.open(trace)), 16);
  }

  private static EngineRequest take(TurnQueue queue) {
    return requireNonNull(queue.take());
  }

  @Test
  void aTurnWaitsForTheTurnBeforeIt() {
    TurnQueue queue = queue(TraceText.TWO_CHATS);
    EngineRequest x1 = take(queue);
    EngineRequest y1 = take(queue);
    EngineRequest other = take(queue);
    assertThat(x1.number()).isEqualTo(0);
    assertThat(y1.number()).isEqualTo(1);
    assertThat(other.number()).isEqualTo(4);
    assertThat(queue.take()).isNull();
    EngineRequest x2 = requireNonNull(queue.after(x1));
    assertThat(x2.number()).isEqualTo(2);
    assertThat(x2.last()).isFalse();
    EngineRequest x3 = requireNonNull(queue.after(x2));
    assertThat(x3.number()).isEqualTo(5);
    assertThat(x3.last()).isTrue();
    assertThat(queue.after(x3)).isNull();
    assertThat(requireNonNull(queue.after(y1)).number()).isEqualTo(3);
    assertThat(queue.after(other)).isNull();
  }

  @Test
  void aConversationWithoutATurnOnItsWayIsTakenInOrder() {
    TurnQueue queue = queue(TraceText.TWO_CHATS);
    for (int i = 0; i < 6; i++) {
      EngineRequest next = take(queue);
      assertThat(next.number()).isEqualTo(i);
      assertThat(queue.after(next)).isNull();
    }
    assertThat(queue.take()).isNull();
  }

  @Test
  void longerPromptsAreLeftOut() {
    DecodedTrace trace =
        DecodedTrace.decode(
            "test",
            TraceText.open(TraceText.TWO_CHATS),
            Long.MAX_VALUE,
            request -> TurnQueue.inputTokens(request, 16) <= 60,
            (ids, from, to) -> {},
            (read, fraction) -> {});
    assertThat(trace.requests()).isEqualTo(3);
    TurnQueue queue = new TurnQueue(trace, 16);
    assertThat(take(queue).inputTokens()).isEqualTo(60);
    assertThat(take(queue).inputTokens()).isEqualTo(40);
    assertThat(take(queue).inputTokens()).isEqualTo(32);
    assertThat(queue.take()).isNull();
  }

  @Test
  void aRequestWithoutBlocksHasBlocksOfItsOwn() {
    TurnQueue queue =
        queue(
            """
            {"timestamp":0,"input_length":40,"hash_ids":[]}
            {"timestamp":0,"input_length":40,"hash_ids":[]}
            {"timestamp":0,"input_length":0,"hash_ids":[1,2]}
            """);
    List<Long> first = take(queue).blocks();
    List<Long> second = take(queue).blocks();
    assertThat(first).hasSize(3).doesNotContainAnyElementsOf(second);
    assertThat(take(queue).inputTokens()).isEqualTo(32);
  }
}
