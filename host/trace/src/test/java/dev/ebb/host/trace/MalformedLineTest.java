package dev.ebb.host.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MalformedLineTest {

  private static final String GOOD =
      "{\"timestamp\": 0, \"input_length\": 10, \"output_length\": 5, \"hash_ids\": [1, 2]}\n";

  private static final String REQUIRED = "'timestamp': 0, 'input_length': 9, 'hash_ids': [1]";

  @Test
  void aLineWithoutEndOfBracketsIsRefused() {
    String nested = "[".repeat(100_000) + "]".repeat(100_000);

    try (TraceReader reader = reader("{\"x\": " + nested + "}\n", OnError.STOP)) {
      assertThatThrownBy(reader::next)
          .isInstanceOf(TraceException.class)
          .hasMessageStartingWith("trace:1: nested too deep");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'input_length': 9, 'hash_ids': [1]}   | timestamp is missing
          {'timestamp': 0, 'hash_ids': [1]}      | input_length is missing
          {'timestamp': 0, 'input_length': 9}    | hash_ids is missing; lengths do not show which prompts share blocks
          {'timestamp': null, 'input_length': 9, 'hash_ids': [1]} | timestamp is missing
          {}                                     | timestamp is missing
          {'timestamp': 'noon'}                  | timestamp is 'noon', must be a number, or a time such as 2026-01-31T12:00:00.5
          {'timestamp': true}                    | timestamp is 'true', must be a number
          {'timestamp': [1]}                     | timestamp is an array, must be a number
          {'timestamp': 1e300, 'input_length': 9, 'hash_ids': []} | timestamp is '1.0E300', must be 0 or more milliseconds since the trace's start
          {'timestamp': -1, 'input_length': 9, 'hash_ids': []} | timestamp is '-1', must be 0 or more milliseconds since the trace's start
          {'timestamp': 9300000000, 'input_length': 9, 'hash_ids': [], 'chat_id': 3} | timestamp is '9300000000', must be 0 or more seconds since the trace's start
          {'input_length': -4}                   | input_length is '-4', must be a whole number of tokens, 0 to 1000000000000
          {'input_length': 1.5}                  | input_length is '1.5', must be a whole number of tokens, 0 to 1000000000000
          {'input_length': '12'}                 | input_length is '12', must be a whole number of tokens, 0 to 1000000000000
          {'input_length': 99999999999999999999} | input_length is '99999999999999999999', must be a whole number of tokens, 0 to 1000000000000
          {'input_length': 1000000000001}        | input_length is '1000000000001', must be a whole number of tokens, 0 to 1000000000000
          {'output_length': -1}                  | output_length is '-1', must be a whole number of tokens, 0 to 1000000000000
          {'hash_ids': 5}                        | hash_ids is '5', must be a list of block ids
          {'hash_ids': {'0': 5}}                 | hash_ids is an object, must be a list of block ids
          {'hash_ids': [1, null]}                | an id in hash_ids is 'null', must be a whole number or a string
          {'hash_ids': [1, 2.5]}                 | an id in hash_ids is '2.5', must be a whole number or a string
          {'hash_ids': [[1]]}                    | an id in hash_ids is an array, must be a whole number or a string
          {'hash_ids': [18446744073709551616]}   | an id in hash_ids is '18446744073709551616', must fit in 64 bits, or be a string
          {'chat_id': true}                      | chat_id is 'true', must be a whole number or a string
          {'turn': 'a'}                          | turn is 'a', must be a whole number
          {'priority': 3000000000}               | priority is '3000000000', must be a whole number
          {'hint': 0.5}                          | hint is '0.5', must be a whole number
          {'lifetime': -1}                       | lifetime is '-1', must be a number from 0 to 1000000000
          {'lifetime': '3'}                      | lifetime is '3', must be a number from 0 to 1000000000
          {'return_after_s': -1}                 | return_after_s is '-1', must be a number from 0 to 1000000000
          {'finish_reason': 3}                   | finish_reason is '3', must be a string
          {'recompute_cost': 1e10}               | recompute_cost is '1e10', must be a number from 0 to 1000000000
          {'tenant': 7}                          | tenant is '7', must be a string
          {'workload': ['a long word that goes on and on and on', 2]} | workload is an array, must be a string
          {'turn': 'abcdefghijklmnopqrstuvwxyz0123456789-abcdefghijklmnopqrstuvwxyz'} | turn is 'abcdefghijklmnopqrstuvwxyz0123456789-abc...', must be a whole number
          {'timestamp': 0, 'hash_ids': [1, 2     | ends in the middle of a request; the trace may be cut off
          {'timesta                              | ends in the middle of a request; the trace may be cut off
          {                                      | ends in the middle of a request; the trace may be cut off
          [1, 2]                                 | not a JSON object; a request is one {...} in one line
          12                                     | not a JSON object; a request is one {...} in one line
          'text'                                 | not a JSON object; a request is one {...} in one line
          {'timestamp': 0,, }                    | not JSON at column 17
          {'timestamp': NaN}                     | not JSON at column 17
          timestamp,input_length                 | not JSON at column 10
          {REQUIRED} {REQUIRED}                  | more than one value; a request is one {...} in one line
          {REQUIRED} x                           | not JSON at column 54
          """)
  void saysWhatIsWrongAndReadsOn(String line, String problem) {
    String text = GOOD + line.replace("REQUIRED", REQUIRED).replace('\'', '"') + "\n" + GOOD + GOOD;

    try (TraceReader reader = reader(text, OnError.STOP)) {
      assertThat(reader.next()).isTrue();
      assertThatThrownBy(reader::next)
          .isInstanceOf(TraceException.class)
          .hasMessage(
              "trace:2: %s; fix the line, or leave such lines out with --on-error skip", problem);
    }
    try (TraceReader reader = reader(text, OnError.SKIP)) {
      assertThat(Requests.of(reader)).hasSize(3);
      assertThat(reader.skippedReasons()).containsExactly("trace:2: " + problem);
    }
  }

  private static TraceReader reader(String text, OnError onError) {
    return TraceReader.of("trace", new ByteArrayInputStream(text.getBytes(UTF_8)), onError);
  }
}
