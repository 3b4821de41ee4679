package dev.ebb.host.hint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.errors.UserError;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHintsTest {

  private static final long SECOND = 1_000_000_000;

  private static final RequestHints.Target TARGET =
      new RequestHints.Target(10, 16, false, false, 3_600 * SECOND);

  static String envelope(String... actions) {
    return """
    {"protocol_version": "0.1", "message_id": "m-1", "actions": [%s]}\
    """
        .formatted(String.join(", ", actions));
  }

  static String action(String type, String payload) {
    return """
    {"action_id": "a-%s", "action_type": "%s", "action_version": "1.0", "payload": %s}\
    """
        .formatted(type, type, payload);
  }

  private static RequestHints read(String... actions) {
    return RequestHints.of(HintEnvelope.parse(envelope(actions)), TARGET);
  }

  private static Retention retention(RequestHints hints) {
    return Objects.requireNonNull(hints.retention(100));
  }

  @Test
  void retainsRangesOfTokensAsChunksAndForAWhile() {
    RequestHints hints =
        read(
            action(
                "kv.retain",
                """
                {"scope": "run-7", "directives": [
                  {"start": 0, "end": 40, "priority": 80, "duration": 60.5},
                  {"start": 40, "end": null, "priority": 20}]}\
                """));
    Retention retention = retention(hints);

    assertThat(hints.results())
        .containsExactly(new HintResult("a-kv.retain", "kv.retain", HintOutcome.APPLIED, ""));
    assertThat(List.of(0, 2, 3, 9, 500))
        .extracting(retention::strength)
        .containsExactly(80, 80, 20, 20, 20);
    assertThat(retention.untilNanos(1)).isEqualTo(100 + 60_500_000_000L);
    assertThat(retention.untilNanos(5)).as("shortened").isEqualTo(100 + 3_600 * SECOND);
    assertThat(retention.scope()).isEqualTo("run-7");
    assertThat(hints.retainedChunks()).isEqualTo(10);
    assertThat(hints.retainedTokens()).isEqualTo(160);
  }

  @Test
  void aPriorityOfVllmConcernsTheWholePromptAndNullEndsIt() {
    String set =
        """
        {"target": "request_cached", "location": "local_g1", "claim_id": "c", "revision": 1,
         "value": 10, "ttl_seconds": 60}\
        """;

    assertThat(retention(read(action("vllm.set_priority", set))).strength(3)).isEqualTo(10);
    assertThat(
            retention(
                    read(
                        action(
                            "vllm.set_priority",
                            "{\"target\": \"request_cached\", \"claim_id\": \"c\", \"value\": null}")))
                .strength(3))
        .isZero();
  }

  @Test
  void aSessionPausesAndEnds() {
    RequestFacts paused =
        read(
                action("session.start", "{\"session_id\": \"s\"}"),
                action("session.pause", "{\"return_after\": 2.5}"))
            .addTo(RequestFacts.UNKNOWN, 0);
    RequestHints ended = read(action("session.end", "{\"session_id\": \"s\"}"));

    assertThat(paused.end().returnNanos()).isEqualTo(2_500_000_000L);
    assertThat(paused.sequenceId()).isNotNegative();
    assertThat(ended.addTo(RequestFacts.UNKNOWN, 0).sequenceId()).isEqualTo(paused.sequenceId());
    assertThat(retention(ended).strength(0)).isEqualTo(Retention.DEMOTED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kv.retain | {'directives': [{'start': 0, 'end': 16}]} | priority",
        "kv.retain | {'directives': [{'priority': 101}]} | 101",
        "kv.retain | {'directives': [{'priority': true}]} | true",
        "kv.retain | {'directives': [{'priority': 1e400}]} | priority",
        "kv.retain | {'directives': [{'start': -1, 'priority': 1}]} | -1",
        "kv.retain | {'directives': [{'start': 16, 'end': 16, 'priority': 1}]} | 17",
        "kv.retain | {'directives': [{'start': 99999999999999999999, 'priority': 1}]} | start",
        "kv.retain | {'directives': [{'priority': 1, 'duration': -1}]} | duration",
        "kv.retain | {'directives': [{'priority': 1, 'duration': 'x'}]} | 'x'",
        "kv.retain | {'directives': [{'priority': 1, 'duration': 1e400}]} | duration",
        "kv.retain | {'directives': [{'priority': 1, 'bogus': 1}]} | bogus",
        "kv.retain | {'directives': [{'priority': 1, 'covers_output': 'false'}]} | true or false",
        "kv.retain | {'directives': [{'priority': 1, 'covers_output': true, 'end': 3}]} | covers_output",
        "kv.retain | {'directives': ['x']} | an object",
        "kv.retain | {'directives': {}} | a list",
        "kv.retain | {'scope': 7, 'directives': []} | scope",
        "kv.retain | {'directives': [{'end': 16, 'priority': 1}, {'start': 16, 'priority': 2}]} | rise",
        "kv.retain | 7 | payload",
        "vllm.set_priority | {'claim_id': 'c', 'value': 1} | request_cached",
        "vllm.set_priority | {'target': 'request_cached', 'value': 1} | claim_id",
        "session.start | {} | session_id",
        "session.pause | {} | return_after",
      })
  void refusesAWrongActionAloneAndSaysWhy(String type, String payload, String named) {
    RequestHints hints =
        read(
            action(type, payload.replace('\'', '"')),
            action("kv.retain", "{\"directives\": [{\"priority\": 50}]}"));

    assertThat(hints.results().getFirst().outcome()).isEqualTo(HintOutcome.REFUSED);
    assertThat(hints.results().getFirst().reason()).contains(named.replace("'x'", "x"));
    assertThat(hints.results().getLast().outcome()).isEqualTo(HintOutcome.APPLIED);
    assertThat(retention(hints).strength(4)).isEqualTo(50);
  }

  @Test
  void refusesAnotherScopeAndAnotherSession() {
    RequestHints hints =
        read(
            action("kv.retain", "{\"scope\": \"a\", \"directives\": [{\"priority\": 50}]}"),
            action("kv.retain", "{\"scope\": \"b\", \"directives\": [{\"priority\": 40}]}"),
            action("session.start", "{\"session_id\": \"s\"}"),
            action("kv.demote", "{\"session_id\": \"t\"}"));

    assertThat(hints.results())
        .extracting(HintResult::outcome)
        .containsExactly(
            HintOutcome.APPLIED, HintOutcome.REFUSED, HintOutcome.APPLIED, HintOutcome.REFUSED);
  }

  @Test
  void ignoresUnknownTypesAndVersions() {
    String newer =
        """
        {"action_id": "a", "action_type": "kv.retain", "action_version": "2.0",
         "payload": {"anything": []}}\
        """;
    RequestHints unknown =
        RequestHints.of(
            HintEnvelope.parse(envelope(action("kv.demote", "{}")).replace("\"0.1\"", "\"7.0\"")),
            TARGET);

    assertThat(read(newer, action("kv.teleport", "{}"), action("kv.fetch", "{}")).results())
        .extracting(HintResult::outcome)
        .containsOnly(HintOutcome.IGNORED);
    assertThat(unknown.results().getFirst().reason()).contains("7.0");
    assertThat(unknown.retention(0)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "7",
        "[]",
        "{",
        "{}",
        "{\"protocol_version\": \"0.1\", \"message_id\": \"m\"}",
        "{\"protocol_version\": \"0.1\", \"message_id\": \"m\", \"actions\": {}}",
        "{\"protocol_version\": 1, \"message_id\": \"m\", \"actions\": []}",
        "{\"protocol_version\": \"0.1\", \"message_id\": \"\", \"actions\": []}",
        "{\"protocol_version\": \"0.1\", \"message_id\": \"m\", \"actions\": []} 1",
      })
  void refusesWhatIsNoEnvelope(String json) {
    assertThatThrownBy(() -> HintEnvelope.parse(json)).isInstanceOf(UserError.class);
    assertThatThrownBy(() -> HintEnvelope.parse("[".repeat(100_000))).isInstanceOf(UserError.class);
    assertThatThrownBy(() ->
            HintEnvelope.parse(envelope(Collections.nCopies(65, "{}").toArray(String[]::new))))
        .isInstanceOf(UserError.class);
  }
}
