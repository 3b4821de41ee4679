package dev.ebb.host.trace;

import static java.lang.Double.NaN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceReaderTest {

  private static final String GOOD =
      "{\"timestamp\": 0, \"input_length\": 10, \"output_length\": 5, \"hash_ids\": [1, 2]}\n";

  @TempDir Path folder;

  @Test
  void readsTheMooncakeFormat() {
    assertThat(
            read(
                """
                {"timestamp": 27, "input_length": 1000, "output_length": 50, "hash_ids": [0, 7]}
                {"timestamp": 30, "input_length": 400, "output_length": 0, "hash_ids": [0]}
                """))
        .containsExactly(
            new Requests.Copy(0, 1000, 50, List.of(0L, 7L), -1, -1, null, null, 1, 0),
            new Requests.Copy(3_000_000, 400, 0, List.of(0L), -1, -1, null, null, 1, 0));
  }

  @Test
  void readsWholeNumbersOfTokensInAnyNotation() {
    assertThat(
            read(
                """
                {"timestamp": 0, "input_length": 20.0, "output_length": 5e1, "hash_ids": [0]}
                """))
        .containsExactly(new Requests.Copy(0, 20, 50, List.of(0L), -1, -1, null, null, 1, 0));
  }

  @Test
  void readsTheQwenFormatWithSecondsAndConversations() {
    assertThat(
            read(
                """
                {"chat_id": 5, "parent_chat_id": -1, "timestamp": 61.25, "input_length": 20, \
                "output_length": 3, "type": "text", "turn": 1, "hash_ids": [10, 11]}
                {"chat_id": 6, "parent_chat_id": -1, "timestamp": 62, "input_length": 9, \
                "output_length": 1, "type": "search", "turn": 1, "hash_ids": [12]}
                {"chat_id": 8, "parent_chat_id": 5, "timestamp": 63.114, "input_length": 40, \
                "output_length": 2, "type": "text", "turn": 2, "hash_ids": [10, 11, 13]}
                {"chat_id": 9, "parent_chat_id": 8, "timestamp": 64.0, "input_length": 50, \
                "output_length": 2, "type": "text", "turn": 3, "hash_ids": [10, 11, 13, 14]}
                """))
        .containsExactly(
            new Requests.Copy(0, 20, 3, List.of(10L, 11L), 5, 1, null, "text", 1, 0),
            new Requests.Copy(750_000_000, 9, 1, List.of(12L), 6, 1, null, "search", 1, 0),
            new Requests.Copy(
                1_864_000_000, 40, 2, List.of(10L, 11L, 13L), 5, 2, null, "text", 1, 0),
            new Requests.Copy(
                2_750_000_000L, 50, 2, List.of(10L, 11L, 13L, 14L), 5, 3, null, "text", 1, 0));
  }

  @Test
  void readsOptionalFieldsAndIgnoresUnknownOnes() {
    assertThat(
            read(
                """
                {"x": {"y": [1, {"z": "{]"}], "hash_ids": 3}, "tenant": "acme", "hash_ids": [4], \
                "workload": "rag", "type": "text", "priority": 2, "hint": -7, "session_id": 99, \
                "turn": 4, "timestamp": 1.5, "input_length": 16, "round": null, "e": []}
                """))
        .containsExactly(new Requests.Copy(0, 16, -1, List.of(4L), 99, 4, "acme", "rag", 2, -7));
  }

  @Test
  void readsWhatTheClientSaysAboutReuse() {
    assertThat(
            read(
                """
                {"timestamp": 0, "input_length": 1, "hash_ids": [], "lifetime": 2.5, \
                "recompute_cost": 12}
                {"timestamp": 0, "input_length": 1, "hash_ids": [], "lifetime": 0}
                {"timestamp": 0, "input_length": 1, "hash_ids": [], "lifetime": null}
                """))
        .extracting(Requests.Copy::lifetimeNanos, Requests.Copy::recomputeCost)
        .containsExactly(tuple(2_500_000_000L, 12.0), tuple(0L, NaN), tuple(-1L, NaN));
  }

  @Test
  void savedAttributesAreReadAgain() throws IOException {
    String line =
        """
        {"timestamp":1.5,"input_length":9,"output_length":3,"session_id":7,"turn":2,"tenant":"a",\
        "workload":"b","priority":5,"hint":4,"lifetime":1.25,"recompute_cost":0.5,"hash_ids":[8]}
        """;
    List<Requests.Copy> read = read(line);
    Path file = folder.resolve("saved.jsonl");
    try (TraceReader source = reader(line, OnError.STOP);
        TraceCursor cursor = DecodedTrace.decode("trace", source).cursor();
        TraceWriter writer = new TraceWriter(file)) {
      while (cursor.next()) {
        writer.write(cursor.request());
      }
      writer.finish();
    }
    assertThat(read(Files.readString(file))).isEqualTo(read);
  }

  @Test
  void objectGroupsAreReadAndWrittenAgain() throws IOException {
    String line =
        """
        {"timestamp":1,"input_length":2,"object_groups":"full:1,state:3","hash_ids":[8]}
        """;
    Path file = folder.resolve("groups.jsonl");
    try (TraceReader source = reader(line, OnError.STOP);
        TraceCursor cursor = DecodedTrace.decode("trace", source).cursor();
        TraceWriter writer = new TraceWriter(file)) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.request().groups()).isEqualTo("full:1,state:3");
      writer.write(cursor.request());
      writer.finish();
    }
    assertThat(Files.readString(file)).contains("\"object_groups\":\"full:1,state:3\"");
    String other = line + line.replace("state:3", "state:2") + line.replace("object_", "");
    try (TraceReader source = reader(other, OnError.STOP)) {
      assertThat(DecodedTrace.decode("trace", source).groups())
          .containsExactly("full:1,state:3", "full:1,state:2");
    }
  }

  @Test
  void readsWhatTheEndOfARequestShowsAndWritesItAgain() throws IOException {
    String line =
        """
        {"timestamp":0,"input_length":1,"finish_reason":"tool_calls","model":"small",\
        "return_after_s":2.5,"hash_ids":[8]}
        """;
    Path file = folder.resolve("ended.jsonl");
    try (TraceReader source = reader(line, OnError.STOP);
        TraceCursor cursor = DecodedTrace.decode("trace", source).cursor();
        TraceWriter writer = new TraceWriter(file)) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.request().finishReason()).isEqualTo("tool_calls");
      assertThat(cursor.request().model()).isEqualTo("small");
      assertThat(cursor.request().returnNanos()).isEqualTo(2_500_000_000L);
      writer.write(cursor.request());
      writer.finish();
    }
    assertThat(Files.readString(file)).isEqualTo(line);
    try (TraceReader plain =
        reader("{\"timestamp\":0,\"input_length\":1,\"hash_ids\":[]}", OnError.STOP)) {
      assertThat(plain.next()).isTrue();
      assertThat(plain.request().finishReason()).isNull();
      assertThat(plain.request().model()).isNull();
      assertThat(plain.request().returnNanos()).isEqualTo(-1);
    }
  }

  @Test
  void takesNullOptionalFieldsForUnknown() {
    assertThat(
            read(
                """
                {"timestamp": 0, "input_length": 16, "output_length": null, "tenant": null, \
                "session_id": null, "turn": null, "hash_ids": []}
                """))
        .containsExactly(new Requests.Copy(0, 16, -1, List.of(), -1, -1, null, null, 1, 0));
  }

  @Test
  void prefersAStatedSessionOverTheChat() {
    assertThat(
            read(
                """
                {"chat_id": 5, "session_id": 77, "timestamp": 0, "input_length": 1, "hash_ids": []}
                """))
        .extracting(Requests.Copy::sequenceId)
        .containsExactly(77L);
  }

  @Test
  void takesIdsOf64BitsSignedUnsignedOrAsStrings() {
    List<Requests.Copy> requests =
        read(
            """
            {"timestamp": 0, "input_length": 1, "hash_ids": [-9223372036854775808, \
            18446744073709551615, "a1", "b2"], "session_id": "x"}
            {"timestamp": 0, "input_length": 1, "hash_ids": ["a1", "a2"], "session_id": "x"}
            {"timestamp": 0, "input_length": 1, "hash_ids": [], "session_id": "y"}
            """);

    List<Long> first = requests.get(0).ids();
    List<Long> second = requests.get(1).ids();
    assertThat(first.subList(0, 2)).containsExactly(Long.MIN_VALUE, -1L);
    assertThat(first.get(2)).isEqualTo(second.get(0)).isNotEqualTo(second.get(1));
    assertThat(first.get(3)).isNotEqualTo(second.get(1)).isNotEqualTo(second.get(0));
    assertThat(requests.get(0).sequenceId())
        .isEqualTo(requests.get(1).sequenceId())
        .isNotEqualTo(requests.get(2).sequenceId());
  }

  @Test
  void letsTheClockStandStillWhereTheTraceGoesBack() {
    assertThat(
            read(
                """
                {"timestamp": 1000, "input_length": 1, "hash_ids": []}
                {"timestamp": 3000, "input_length": 1, "hash_ids": []}
                {"timestamp": 500, "input_length": 1, "hash_ids": []}
                {"timestamp": 3001, "input_length": 1, "hash_ids": []}
                """))
        .extracting(Requests.Copy::timestampNanos)
        .containsExactly(0L, 2_000_000_000L, 2_000_000_000L, 2_001_000_000L);
  }

  @Test
  void ignoresBlankLinesAByteOrderMarkAndCarriageReturns() {
    String text = "\uFEFF\r\n" + GOOD.replace("\n", "\r\n") + "\n  \t\r\n" + GOOD.strip();

    assertThat(read(text)).hasSize(2);
    assertThat(read("\uFEFF" + GOOD)).hasSize(1);
  }

  @Test
  void namesFileAndLineOfAMalformedOne() throws Exception {
    Path file = folder.resolve("t.jsonl");
    Files.writeString(file, GOOD + "\n" + GOOD + "{\"timestamp\": 3}\n");

    try (TraceReader reader = TraceReader.open(file.toString(), OnError.STOP)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isTrue();
      assertThatThrownBy(reader::next)
          .isInstanceOf(TraceException.class)
          .hasMessage(
              file
                  + ":4: input_length is missing; fix the line, or leave such lines out with"
                  + " --on-error skip")
          .satisfies(e -> assertThat(e.getStackTrace()).isEmpty());
    }
  }

  @Test
  void skipsMalformedLinesAndSaysWhich() {
    String text = "nonsense\n" + GOOD + "{\"a\"\n" + "[1]\n" + GOOD + "7\n8\n9\n{";

    try (TraceReader reader = reader(text, OnError.SKIP)) {
      assertThat(Requests.of(reader)).hasSize(2);
      assertThat(reader.requestsRead()).isEqualTo(2);
      assertThat(reader.skippedLines()).isEqualTo(7);
      assertThat(reader.skippedReasons())
          .containsExactly(
              "trace:1: not a JSON object; a request is one {...} in one line",
              "trace:3: ends in the middle of a request; the trace may be cut off",
              "trace:4: not a JSON object; a request is one {...} in one line",
              "trace:6: not a JSON object; a request is one {...} in one line",
              "trace:7: not a JSON object; a request is one {...} in one line");
    }
  }

  @Test
  void refusesATraceWithoutRequests() {
    assertThatThrownBy(() -> read(""))
        .isInstanceOf(TraceException.class)
        .hasMessage("trace: holds no requests; is it the right file?");
    assertThatThrownBy(() -> read("\n \n"))
        .hasMessage("trace: holds no requests; is it the right file?");
    assertThatThrownBy(() -> Requests.of(reader("7\n", OnError.SKIP)))
        .hasMessage(
            "trace: holds no requests, only malformed lines; the first: trace:1: not a JSON"
                + " object; a request is one {...} in one line");
  }

  @Test
  void refusesAnEndlessLineWithoutKeepingIt() {
    InputStream endless =
        new InputStream() {
          private long left = 200L << 20;

          @Override
          public int read() {
            return left-- > 0 ? ' ' : -1;
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            if (left <= 0) {
              return -1;
            }
            left -= length;
            return length;
          }
        };
    try (TraceReader reader = TraceReader.of("trace", endless, OnError.STOP)) {
      assertThatThrownBy(reader::next)
          .hasMessage(
              "trace:1: longer than 64 MiB; a request is one {...} in one line; fix the line, or"
                  + " leave such lines out with --on-error skip");
    }
  }

  @Test
  void readsStandardInput() {
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream((GOOD + "x\n").getBytes(UTF_8)));
      try (TraceReader reader = TraceReader.open("-", OnError.STOP)) {
        assertThat(reader.next()).isTrue();
        assertThat(reader.fraction()).isNaN();
        assertThatThrownBy(reader::next).hasMessageStartingWith("standard input:2: not JSON");
      }
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void saysHowFarItHasCome() throws Exception {
    Path file = folder.resolve("t.jsonl");
    Files.writeString(file, GOOD.repeat(3));

    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.bytesRead()).isEqualTo(GOOD.length());
      assertThat(reader.fraction()).isBetween(0.0, 1.0);
      assertThat(Requests.of(reader)).hasSize(2);
      assertThat(reader.bytesRead()).isEqualTo(3L * GOOD.length());
      assertThat(reader.fraction()).isEqualTo(1);
    }
  }

  @Test
  void saysWhyAFileCannotBeOpened() {
    assertThatThrownBy(() -> TraceReader.open("no-such.jsonl", OnError.STOP))
        .isInstanceOf(TraceException.class)
        .hasMessage(
            "trace 'no-such.jsonl' cannot be opened: no such file or folder; check the path");
    assertThatThrownBy(() -> TraceReader.open(folder, OnError.STOP))
        .hasMessage("trace '" + folder + "' is a directory; name one file in it");
    assertThatThrownBy(() -> TraceReader.open("a\0b", OnError.STOP))
        .hasMessage("trace 'a\0b' is not a path");
  }

  private static List<Requests.Copy> read(String text) {
    try (TraceReader reader = reader(text, OnError.STOP)) {
      return Requests.of(reader);
    }
  }

  private static TraceReader reader(String text, OnError onError) {
    return TraceReader.of("trace", new ByteArrayInputStream(text.getBytes(UTF_8)), onError);
  }
}
