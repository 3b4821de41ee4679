package dev.ebb.host.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines with whole sessions, as WEKA and NeMo Gym write them. */
class SessionLineTest {

  private record Read(
      double seconds,
      long input,
      long output,
      List<Long> ids,
      long session,
      int turn,
      @Nullable String finish,
      @Nullable String workload) {}

  @Test
  void aSessionOfWekaHasItsRequestsInOrder() {
    List<Read> read =
        read(
            """
            {"id":"trace_1","models":["m"],"block_size":64,"hash_id_scope":"global","tool_tokens":10,"requests":[\
            {"t":0.0,"type":"s","model":"m","in":200,"out":7,"hash_ids":[5,6,7],"input_types":["text"],"stop":"tool_use","api_time":1.5},\
            {"t":2.5,"type":"n","model":"m","in":270,"out":8,"hash_ids":[5,6,7,9],"stop":"end_turn","think_time":0.0}]}
            """);

    assertThat(read).extracting(Read::seconds).containsExactly(0.0, 2.5);
    assertThat(read).extracting(Read::input).containsExactly(200L, 270L);
    assertThat(read).extracting(Read::output).containsExactly(7L, 8L);
    assertThat(read)
        .extracting(Read::ids)
        .containsExactly(List.of(5L, 6L, 7L), List.of(5L, 6L, 7L, 9L));
    assertThat(read).extracting(Read::turn).containsExactly(1, 2);
    assertThat(read).extracting(Read::finish).containsExactly("tool_calls", "stop");
    assertThat(read.getFirst().session()).isEqualTo(read.getLast().session());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.5", "3.5"})
  void aSubagentIsASessionOfItsOwnWhateverItsTimesCountFrom(String first) {
    List<Read> read =
        read(
            """
            {"id":"a","hash_id_scope":"local","requests":[\
            {"t":0,"type":"n","in":10,"hash_ids":[1]},\
            {"type":"subagent","agent_id":"x","subagent_type":"explore","requests":[\
            {"t":%s,"type":"n","in":20,"hash_ids":[1,2]},{"t":9,"type":"n","in":20}],"t":3},\
            {"t":4,"type":"n","in":30,"hash_ids":[1,3]}]}
            """
                .formatted(first));

    assertThat(read).extracting(Read::seconds).startsWith(0.0, 3.5, 4.0);
    assertThat(read).extracting(Read::workload).containsExactly(null, "explore", null, "explore");
    assertThat(read).extracting(Read::turn).containsExactly(1, 1, 2, 2);
    assertThat(read.get(1).session()).isEqualTo(read.get(3).session());
    assertThat(read.get(1).session()).isNotEqualTo(read.getFirst().session());
    assertThat(read.get(1).ids().getFirst()).isEqualTo(read.getFirst().ids().getFirst());
    assertThat(read.get(3).ids()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"local, false", "global, true"})
  void theScopeOfIdsSaysWhetherSessionsShareBlocks(String scope, boolean shared) {
    String session =
        "{\"id\":\"%s\",\"requests\":[{\"t\":%d,\"in\":9,\"hash_ids\":[1]}],\"hash_id_scope\":\"%s\"}\n";

    List<Read> read = read(session.formatted("a", 5, scope) + session.formatted("b", 2, scope));

    assertThat(read).extracting(Read::seconds).containsExactly(0.0, 3.0);
    assertThat(read.getFirst().ids().equals(read.getLast().ids())).isEqualTo(shared);
    assertThat(read.getFirst().session()).isNotEqualTo(read.getLast().session());
  }

  @Test
  void rolloutsRunAtTheSameTimeATurnEachSecond() {
    String rollout =
        """
        {"responses_create_params":{"input":[]},"reward":1.0,"response":{"id":"r","output":[\
        {"type":"function_call","prompt_token_ids":%s,"generation_token_ids":[7,8],"generation_log_probs":[-1,-2]},\
        {"type":"function_call_output","output":"4"},\
        {"type":"message","content":[],"prompt_token_ids":%s,"generation_token_ids":[9]}]}}
        """;

    List<Read> read =
        read(rollout.formatted(tokens(32), tokens(48)) + rollout.formatted(tokens(32), tokens(40)));

    assertThat(read).extracting(Read::seconds).containsExactly(0.0, 0.0, 1.0, 1.0);
    assertThat(read).extracting(Read::input).containsExactly(32L, 32L, 48L, 40L);
    assertThat(read).extracting(Read::output).containsExactly(2L, 2L, 1L, 1L);
    assertThat(read).extracting(Read::turn).containsExactly(1, 1, 2, 2);
    assertThat(read.get(1).ids()).isEqualTo(read.getFirst().ids());
    assertThat(read.get(2).ids()).startsWith(read.getFirst().ids().toArray(Long[]::new));
    assertThat(read.getFirst().session()).isNotEqualTo(read.get(1).session());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"requests":[{"in":1,"hash_ids":[1]}]}                | t is missing
          {"requests":[{"t":1,"hash_ids":[1]}]}                 | in is missing
          {"requests":[{"t":-1,"in":1}]}                        | t is '-1'
          {"requests":[7]}                                      | an element of requests is '7'
          {"requests":"x"}                                      | requests is 'x'
          {"hash_id_scope":"world","requests":[]}               | hash_id_scope is 'world'
          {"response":{"output":[{"prompt_token_ids":["a"]}]}}  | an id in prompt_token_ids is 'a'
          """)
  void saysWhatIsWrongInASession(String line, String message) {
    assertThatThrownBy(() -> read(line))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("t:1: ")
        .hasMessageContaining(message);
  }

  private static String tokens(int count) {
    int[] tokens = new int[count];
    Arrays.setAll(tokens, i -> i);
    return Arrays.toString(tokens);
  }

  private static List<Read> read(String text) {
    List<Read> read = new ArrayList<>();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (TraceReader reader = TraceReader.of("t", new ByteArrayInputStream(bytes), OnError.STOP)) {
      while (reader.next()) {
        TraceRequest request = reader.request();
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < request.blocks(); i++) {
          ids.add(request.id(i));
        }
        read.add(
            new Read(
                request.timestampNanos() / 1e9,
                request.inputTokens(),
                request.outputTokens(),
                ids,
                request.sequenceId(),
                request.turn(),
                request.finishReason(),
                request.workload()));
      }
    }
    return read;
  }
}
