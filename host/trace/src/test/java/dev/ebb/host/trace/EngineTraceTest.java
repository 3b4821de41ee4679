package dev.ebb.host.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Traces and logs as vLLM, SGLang, LMCache, AIPerf and Dynamo write them. */
class EngineTraceTest {

  private static final String PARAMS =
      "SamplingParams(n=1, temperature=0.7, stop=['], prompt_token_ids: ['], max_tokens=64)";

  @TempDir private Path folder;

  private record Read(long millis, long inputTokens, List<Long> ids, long session) {}

  @Test
  void theRequestLogOfVllmHasThePromptsTokens() {
    List<Read> read =
        read(
            """
            INFO 09-10 19:10:43 [__init__.py:241] Automatically detected platform cuda.
            INFO:     Started server process [1]
            INFO 09-10 19:10:44 [logger.py:41] Received request cmpl-1: prompt: 'a, prompt_token_ids: [9]', params: %s, prompt_token_ids: %s, prompt_embeds shape: None, lora_request: None.
            INFO:     10.0.0.1:5000 - "POST /v1/completions HTTP/1.1" 200 OK
            INFO 09-10 19:10:46 [logger.py:41] Received request cmpl-2: prompt: 'b', params: %s, prompt_token_ids: %s, prompt_embeds shape: None, lora_request: None.
            """
                .formatted(PARAMS, tokens(0, 40), PARAMS, tokens(0, 32, 7)));

    assertThat(read).extracting(Read::millis).containsExactly(0L, 2_000L);
    assertThat(read).extracting(Read::inputTokens).containsExactly(40L, 33L);
    assertThat(read.getFirst().ids()).hasSize(3);
    assertThat(read.get(1).ids().subList(0, 2)).isEqualTo(read.getFirst().ids().subList(0, 2));
    assertThat(read.get(1).ids().get(2)).isNotEqualTo(read.getFirst().ids().get(2));
  }

  @Test
  void newerVersionsOfVllmLogThePromptAtTheLevelDebug() {
    List<Read> read =
        read(
            """
            (APIServer pid=7) DEBUG 12-31 23:59:59 [logger.py:49] Request chatcmpl-1 details: prompt: '<s>', prompt_token_ids: [1, 2, 3], prompt_embeds shape: None.
            (APIServer pid=7) INFO 12-31 23:59:59 [logger.py:57] Received request chatcmpl-1: params: %s, lora_request: None.
            (APIServer pid=7) DEBUG 01-01 00:00:01 [logger.py:49] Request chatcmpl-2 details: prompt: None, prompt_token_ids: [1, 2, 3, 4], prompt_embeds shape: None.
            """
                .formatted("SamplingParams(n=1)"));

    assertThat(read).extracting(Read::inputTokens).containsExactly(3L, 4L);
    // The log states no year.
    assertThat(read).extracting(Read::millis).containsExactly(0L, 2_000L);
  }

  @Test
  void theTextLogOfSglangHasThePromptsTokens() {
    List<Read> read =
        read(
            """
            [2026-09-10 08:00:00] INFO:     Application startup complete.
            [2026-09-10 08:00:01 TP0] Receive: obj=GenerateReqInput(rid='a', text=None, input_ids=[5, 6, 7], sampling_params={'temperature': 0})
            [2026-09-10 08:00:02] Finish: obj=GenerateReqInput(rid='a', input_ids=[5, 6, 7]), out={'meta_info': {}}
            [2026-09-10 08:00:03] Receive: obj=GenerateReqInput(rid='b', text='x', input_ids=[5, 6, 7], sampling_params={})
            """);

    assertThat(read).extracting(Read::millis).containsExactly(0L, 2_000L);
    assertThat(read.get(1).ids()).isEqualTo(read.getFirst().ids()).hasSize(1);
  }

  @Test
  void theJsonLogOfSglangHasThePromptsTokens() {
    List<Read> read =
        read(
            """
            {"timestamp": "2026-09-10T08:00:00.250000", "event": "request.received", "rid": "a", "obj": {"rid": "a", "text": null, "input_ids": %s, "sampling_params": {"stop": ["]"]}}}
            {"timestamp": "2026-09-10T08:00:01", "event": "request.finished", "rid": "a", "obj": {"input_ids": [1]}, "out": {"meta_info": {"prompt_tokens": 20}}}
            INFO:     10.0.0.1:5000 - "POST /generate HTTP/1.1" 200 OK
            {"timestamp": "2026-09-10T08:00:02.750000", "event": "request.received", "rid": "b", "obj": {"input_ids": %s}}
            """
                .formatted(tokens(0, 20), tokens(0, 16)));

    assertThat(read).extracting(Read::millis).containsExactly(0L, 2_500L);
    assertThat(read.getFirst().ids()).hasSize(2).startsWith(read.get(1).ids().getFirst());
  }

  @Test
  void theBlockSizeOfALogCanBeChosen() throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("vllm.log"),
            "INFO 09-10 19:10:44 [logger.py:41] Received request a: prompt: '', params: None,"
                + " prompt_token_ids: %s, lora_request: None.\n".formatted(tokens(0, 64)));

    try (TraceReader reader = TraceReader.open(log.toString(), OnError.STOP, 32)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.request().blocks()).isEqualTo(2);
    }
    assertThat(DecodedTrace.decode("log", TraceReader.open(log, OnError.STOP)).references())
        .isEqualTo(4);
  }

  @Test
  void theChunkHashesOfLmcacheAreBlocks() {
    List<Read> read =
        read(
            """
            {"timestamp": 1758000000.25, "lookup_id": "cmpl-1", "chunk_hashes": ["0x1a2b", "0xffffffffffffffff"]}
            {"timestamp": 1758000001.75, "lookup_id": "cmpl-2", "chunk_hashes": ["0x1a2b"]}
            {"timestamp": 1758000002.75, "lookup_id": "cmpl-3", "chunk_hashes": []}
            """);

    assertThat(read).extracting(Read::millis).containsExactly(0L, 1_500L, 2_500L);
    assertThat(read).extracting(Read::inputTokens).containsExactly(512L, 256L, 0L);
    assertThat(read.get(1).ids()).containsExactly(read.getFirst().ids().getFirst());
  }

  @Test
  void aDelayCountsFromThePreviousRequestOfTheSession() {
    List<Read> read =
        read(
            """
            {"session_id": "a", "timestamp": 1000, "input_length": 20, "output_length": 4, "hash_ids": [1, 2]}
            {"session_id": "a", "delay": 5000, "input_length": 40, "output_length": 4, "hash_ids": [1, 2, 3]}
            {"session_id": "a", "delay": 100.5, "input_length": 50, "output_length": 4, "hash_ids": [1, 2, 3, 4]}
            {"session_id": "b", "created_time": 2000, "input_tokens": 20, "output_tokens": 4, "hash_ids": [1, 9]}
            {"session_id": "b", "delay_ms": 1000, "input_tokens": 40, "output_tokens": 4, "hash_ids": [1, 9, 10]}
            """);

    assertThat(read).extracting(Read::millis).containsExactly(0L, 1_000L, 2_000L, 5_000L, 5_100L);
    assertThat(read).extracting(each -> each.ids().getLast()).containsExactly(2L, 9L, 10L, 3L, 4L);
    assertThat(read).extracting(Read::session).doesNotContain(-1L);
    assertThat(read.get(1).session()).isEqualTo(read.get(2).session());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"timestamp\": 0, \"input_length\": 5} | :1: hash_ids is missing & which prompts share"
            + " blocks",
        "{\"timestamp\": 0, \"text_input\": \"Hello\", \"output_length\": 4} | :1: hash_ids is"
            + " missing & does not tokenize",
        "{\"timestamp\": 0, \"messages\": [{\"role\": \"user\"}]} | :1: hash_ids is missing & does"
            + " not tokenize",
        "{\"input_length\": 5, \"hash_ids\": [1]} | :1: timestamp is missing",
        "{\"session_id\": \"a\", \"delay\": -1, \"input_length\": 5, \"hash_ids\": [1]} | :1: delay"
            + " is '-1' & from 0",
        "{\"timestamp\": \"noon\", \"event\": \"request.received\", \"obj\": {}} | :1: timestamp is"
            + " 'noon'",
        "{\"timestamp\": \"2026-09-10T08:00:00\", \"event\": \"request.received\", \"obj\":"
            + " {\"rid\": \"a\"}} | :1: input_ids & --log-requests-level 3",
        "{\"timestamp\": \"2026-09-10T08:00:00\", \"event\": \"request.received\", \"obj\":"
            + " {\"input_ids\": [1, \"...\", 2]}} | :1: & '...' & shortened & --log-requests-level"
            + " 3",
        "{\"timestamp\": \"2026-09-10T08:00:00\", \"event\": \"request.received\", \"obj\":"
            + " {\"input_ids\": [[1], [2]]}} | :1: & batch",
        "[2026-09-10 08:00:01] Receive: obj=GenerateReqInput(rid='a', input_ids=[1, 2] ... [3],"
            + " x=1) | :1: input_ids is shortened & --log-requests-level 3",
        "[2026-09-10 08:00:01] Receive: obj=GenerateReqInput(rid='a', text='x') | has 1 request of"
            + " SGLang without input_ids & --log-requests-level 3",
        "INFO 09-10 19:10:44 [logger.py:57] Received request a: params: None, lora_request: None. |"
            + " has 1 request of vLLM without prompt_token_ids & VLLM_LOGGING_LEVEL=DEBUG",
        "INFO 09-10 19:10:44 [logger.py:41] Received request a: prompt: 'x', params: None,"
            + " prompt_token_ids: None, lora_request: None. | :1: prompt_token_ids is 'None &"
            + " --enable-log-requests",
        "INFO 02-30 19:10:44 [logger.py:41] Received request a: prompt: 'x', params: None,"
            + " prompt_token_ids: [1], lora_request: None. | :1: time '02-30 19:10:44' does not"
            + " exist",
        "Received request a: prompt: 'x', params: None, prompt_token_ids: [1], lora_request: None."
            + " | :1: has no time",
        "INFO 09-10 19:10:43 [__init__.py:241] Automatically detected platform cuda. | is a log"
            + " without requests & --enable-log-requests & --log-requests",
        "once upon a time | :1: not JSON",
      })
  void aLogWithoutIdentityOfBlocksIsRefused(String line, String parts) {
    assertThatThrownBy(() -> read(line + "\n"))
        .isInstanceOf(TraceException.class)
        .satisfies(thrown -> assertThat(thrown.getMessage()).contains(parts.split(" & ")));
  }

  @Test
  void aPickleIsRefused() {
    byte[] pickle = {(byte) 0x80, 4, (byte) 0x95, 0, 0, 0, 0, '.'};

    assertThatThrownBy(
            () -> TraceReader.of("dump.pkl", new ByteArrayInputStream(pickle), OnError.STOP))
        .hasMessageContainingAll("dump.pkl", "pickle", "--log-requests-format json");
  }

  @Test
  void aBrokenLineOfALogCanBeSkipped() throws IOException {
    String log =
        """
        INFO 09-10 19:10:44 [logger.py:41] Received request a: prompt: '', params: None, prompt_token_ids: [1, x], lora_request: None.
        INFO 09-10 19:10:45 [logger.py:41] Received request b: prompt: '', params: None, prompt_token_ids: [1, 2], lora_request: None.
        """;
    try (TraceReader reader =
        TraceReader.of(
            "log", new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)), OnError.SKIP)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.request().inputTokens()).isEqualTo(2);
      assertThat(reader.next()).isFalse();
      assertThat(reader.skippedReasons()).singleElement().asString().contains("log:1", "'x'");
    }
  }

  private static String tokens(int from, int count, int... more) {
    return IntStream.concat(IntStream.range(from, from + count), Arrays.stream(more))
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static List<Read> read(String text) {
    List<Read> all = new ArrayList<>();
    try (TraceReader reader =
        TraceReader.of(
            "trace",
            new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
            OnError.STOP)) {
      while (reader.next()) {
        TraceRequest request = reader.request();
        all.add(
            new Read(
                request.timestampNanos() / 1_000_000,
                request.inputTokens(),
                IntStream.range(0, request.blocks()).mapToObj(request::id).toList(),
                request.sequenceId()));
      }
    }
    return all;
  }
}
