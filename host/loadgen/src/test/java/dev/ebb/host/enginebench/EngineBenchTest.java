package dev.ebb.host.enginebench;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.enginebench.EngineResult.Fault;
import dev.ebb.host.enginebench.EngineResult.Source;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.OpenAiServer;
import dev.ebb.host.testing.OpenAiServer.Behaviour;
import dev.ebb.host.testing.OpenAiServer.Received;
import dev.ebb.host.testing.OpenAiServer.Report;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

class EngineBenchTest {

  /** Requests of the bench before the measurement. */
  private static final int PROBES = 2;

  /** What the server can reuse of {@link TraceText#TWO_CHATS}, sent in its order. */
  private static final long REUSED = 16 + 48 + 32 + 80;

  private static final long PROMPTS = 60 + 40 + 90 + 70 + 32 + 130;

  private final OpenAiServer server = OpenAiServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private EngineTarget target(EngineTarget.Api api, @Nullable String model, @Nullable String key) {
    return target(server.url(), api, model, key, Duration.ofSeconds(60));
  }

  private static EngineTarget target(
      String url,
      EngineTarget.Api api,
      @Nullable String model,
      @Nullable String key,
      Duration timeout) {
    return new EngineTarget(EngineTarget.address(url), api, model, key, timeout, null);
  }

  private static EngineLoad load(EngineLoad.Pace pace, long requests) {
    return new EngineLoad(pace, requests, 8, false, Long.MAX_VALUE, 16, 1);
  }

  private static EngineResult run(EngineTarget target, EngineLoad load, TraceCursor trace) {
    return EngineBench.run(target, load, "test", trace, state -> {});
  }

  private EngineResult run(EngineTarget.Api api) {
    return run(
        target(api, null, null),
        load(new EngineLoad.Clients(1), Long.MAX_VALUE),
        TraceText.open(TraceText.TWO_CHATS));
  }

  private List<JsonNode> bodies() {
    return server.requests().stream().skip(PROBES).map(Received::body).toList();
  }

  @Test
  void countsWhatTheServerPrefilledReusedAndGenerated() {
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);

    assertThat(result.good()).as("%s", result.faults()).isTrue();
    assertThat(result.model()).isEqualTo(OpenAiServer.MODEL);
    assertThat(result.completed()).isEqualTo(6);
    assertThat(result.tokens().prompt()).isEqualTo(PROMPTS);
    assertThat(result.tokens().reused())
        .isEqualTo(REUSED)
        .isEqualTo((double) server.reusedTokens());
    assertThat(result.tokens().prefilled()).isEqualTo(PROMPTS - REUSED);
    assertThat(result.tokens().source()).isEqualTo(Source.USAGE);
    assertThat(result.tokens().generated()).isEqualTo(5 * 4 + 8);
    assertThat(result.tokens().estimated()).isFalse();
    assertThat(result.wordsPerToken()).isEqualTo(1);
    assertThat(result.firstToken().getTotalCount()).isEqualTo(6);
    // Tokens that arrive with the first one have no time of their own.
    assertThat(result.interToken().getTotalCount()).isBetween(0L, 5L * 3 + 7);
    assertThat(result.latency().getMinValue()).isPositive();
    assertThat(result.requestsPerSecond()).isPositive();
  }

  @Test
  void requestsFollowTheTrace() {
    run(EngineTarget.Api.COMPLETIONS);

    List<JsonNode> bodies = bodies();
    String first = bodies.getFirst().path("prompt").asString();
    assertThat(first.strip().split(" ")).hasSize(60);
    assertThat(bodies.get(2).path("prompt").asString().split(" "))
        .startsWith(List.of(first.split(" ")).subList(0, 49).toArray(String[]::new));
    assertThat(bodies)
        .extracting(body -> body.path("max_tokens").asInt())
        .containsExactly(4, 4, 4, 8, 4, 4);
    assertThat(bodies)
        .extracting(body -> body.path("user").asString("none"))
        .containsExactly("a", "b", "a", "b", "none", "a");
    assertThat(bodies)
        .allMatch(body -> body.path("stream").asBoolean())
        .allMatch(body -> body.path("stream_options").path("include_usage").asBoolean())
        .noneMatch(body -> body.has("ignore_eos"));
  }

  @Test
  void fairnessIsJainsIndexOverTheTenants() {
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);

    assertThat(result.tenants()).extracting(EngineResult.Tenant::name).containsExactly("a", "b");
    double a = (48.0 + 80) / (60 + 90 + 130);
    double b = (16.0 + 32) / (40 + 70);
    assertThat(result.reuseFairness())
        .isCloseTo((a + b) * (a + b) / (2 * (a * a + b * b)), within(1e-12));
    assertThat(result.latencyFairness()).isBetween(0.5, 1.0);
  }

  @ParameterizedTest
  @CsvSource({
    "USAGE_IF_ANY, USAGE",
    "TIMINGS, USAGE",
    "VLLM_METRICS, METRICS",
    "SGLANG_METRICS, METRICS",
    "LLAMA_METRICS, METRICS"
  })
  void reusedTokensAreFoundWhereTheServerReportsThem(Report report, Source source) {
    server.reporting(report);
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);

    assertThat(result.tokens().prompt()).isEqualTo(PROMPTS);
    assertThat(result.tokens().reused()).isEqualTo(REUSED);
    assertThat(result.tokens().source()).isEqualTo(source);
  }

  @Test
  void whatIsNotReportedIsNotInvented() {
    server.reporting(Report.NONE);
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);
    assertThat(result.tokens().source()).isEqualTo(Source.NOT_REPORTED);
    assertThat(result.tokens().prompt()).isEqualTo(PROMPTS);
    assertThat(result.tokens().reused()).isNaN();
    assertThat(result.reuseFairness()).isNaN();
    assertThat(EngineText.write(result)).contains("not reported reused");

    server.reporting(Report.NO_USAGE);
    result = run(EngineTarget.Api.COMPLETIONS);
    assertThat(result.tokens().prompt()).isNaN();
    assertThat(result.tokens().generated()).isEqualTo(5 * 4 + 8);
    assertThat(result.tokens().estimated()).isTrue();
    assertThat(EngineText.json(result)).contains("\"promptTokens\":null");
  }

  @Test
  void aTurnOfAChatHasTheRealAnswersBeforeIt() {
    EngineResult result = run(EngineTarget.Api.CHAT);

    assertThat(result.good()).isTrue();
    List<JsonNode> bodies = bodies();
    JsonNode last = bodies.get(5).path("messages");
    assertThat(last)
        .extracting(message -> message.path("role").asString())
        .containsExactly("user", "assistant", "user", "assistant", "user");
    assertThat(last.path(1).path("content").asString()).isEqualTo(" a0 a1 a2 a3");
    assertThat(last.path(0)).isEqualTo(bodies.get(0).path("messages").path(0));
    assertThat(last.path(2)).isEqualTo(bodies.get(2).path("messages").path(2));
    assertThat(words(last.path(0))).isEqualTo(60);
    assertThat(words(last.path(2))).isEqualTo(90 - 60 - 4);
    assertThat(words(last.path(4))).isEqualTo(130 - 90 - 4);
    assertThat(result.tokens().reused()).isPositive();
  }

  private static int words(JsonNode message) {
    return message.path("content").asString().strip().split(" ").length;
  }

  @Test
  void aTurnAfterAFailedOneIsOneMessage() {
    server.behaving(number -> number == PROBES ? Behaviour.BUSY : Behaviour.GOOD);
    EngineResult result = run(EngineTarget.Api.CHAT);

    assertThat(result.errors()).isEqualTo(1);
    JsonNode second = bodies().get(2).path("messages");
    assertThat(second).hasSize(1);
    assertThat(words(second.path(0))).isEqualTo(90);
  }

  @Test
  void textsAreAsLongAsTheTokenizerMakesThem() {
    server.splitting(2);
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);

    assertThat(result.wordsPerToken()).isEqualTo(0.5);
    assertThat(result.tokens().prompt()).isEqualTo(PROMPTS);
  }

  @ParameterizedTest
  @CsvSource({
    "BUSY, HTTP 429, status 429: too busy",
    "ERROR_IN_STREAM, error in the stream, out of blocks",
    "BREAKS, incomplete stream, broke the connection",
    "ENDS_EARLY, incomplete stream, (after 2 tokens)",
    "NOT_STREAMED, malformed answer, 'application/json'",
    "GARBAGE, malformed answer, <html>"
  })
  void failuresAreCountedByTheirKind(Behaviour behaviour, String kind, String message) {
    server.behaving(number -> number >= PROBES && number % 2 == 0 ? behaviour : Behaviour.GOOD);
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);

    assertThat(result.good()).isFalse();
    assertThat(result.completed()).isEqualTo(3);
    Fault fault = result.faults().getFirst();
    assertThat(result.faults()).hasSize(1);
    assertThat(fault.kind()).isEqualTo(kind);
    assertThat(fault.count()).isEqualTo(3);
    assertThat(fault.first()).contains("'" + server.url() + "'", message).doesNotContain("\u001b");
    assertThat(result.stopped()).isNull();
  }

  @Test
  void aServerThatSendsNothingMoreIsATimeout() {
    server.behaving(number -> number >= PROBES ? Behaviour.HANGS : Behaviour.GOOD);
    EngineResult result =
        run(
            target(server.url(), EngineTarget.Api.CHAT, null, null, Duration.ofSeconds(3)),
            load(new EngineLoad.Clients(2), 2),
            TraceText.open(TraceText.TWO_CHATS));

    assertThat(result.faults()).hasSize(1);
    assertThat(result.faults().getFirst().kind()).isEqualTo("timeout");
    assertThat(result.faults().getFirst().first()).contains("3 s", "(after 2 tokens)");
  }

  @Test
  void aServerThatStopsEndsTheMeasurement() {
    server.behaving(number -> {
      if (number == 10) {
        Thread.ofPlatform().start(server::close);
      }
      return Behaviour.GOOD;
    });
    EngineResult result =
        run(
            target(EngineTarget.Api.COMPLETIONS, null, null),
            load(new EngineLoad.Clients(4), 500),
            new SyntheticTrace(
                SyntheticTrace.Shape.CHAT, new SyntheticOptions().requests(500).users(4)));

    assertThat(result.stopped()).contains("20 requests");
    assertThat(result.sent()).isLessThan(500);
    assertThat(result.faults()).extracting(Fault::kind).contains("connection");
    assertThat(EngineText.write(result)).contains("stopped");
  }

  @ParameterizedTest
  @EnumSource(EngineTarget.Api.class)
  void turnsOfAConversationAreNeverSentTogether(EngineTarget.Api api) {
    StringBuilder trace = new StringBuilder();
    StringBuilder ids = new StringBuilder("1");
    for (int i = 1; i <= 8; i++) {
      trace.append(
          """
          {"timestamp":%d,"input_length":%d,"output_length":4,"hash_ids":[%s],"session_id":1}
          """
              .formatted(i, 32 * i, ids.append(',').append(2 * i)));
      ids.append(',').append(2 * i + 1);
    }
    for (EngineLoad.Pace pace :
        List.of(
            new EngineLoad.Clients(4), new EngineLoad.Rate(10_000), new EngineLoad.Speed(1_000))) {
      EngineResult result =
          run(
              target(api, null, null),
              load(pace, Long.MAX_VALUE),
              TraceText.open(trace.toString()));
      assertThat(result.completed()).isEqualTo(8);
    }
    assertThat(server.mostRunning()).isEqualTo(1);
  }

  @Test
  void severalClientsSendTogether() {
    server.behaving(number -> number >= PROBES ? Behaviour.HANGS : Behaviour.GOOD);
    run(
        target(server.url(), EngineTarget.Api.COMPLETIONS, null, null, Duration.ofSeconds(3)),
        load(new EngineLoad.Clients(3), 2),
        TraceText.open(TraceText.TWO_CHATS));

    assertThat(server.mostRunning()).isEqualTo(2);
  }

  @Test
  void longPromptsAreLeftOut() {
    EngineResult result =
        run(
            target(EngineTarget.Api.COMPLETIONS, null, null),
            new EngineLoad(new EngineLoad.Clients(1), 3, 1, true, 60, 16, 1),
            TraceText.open(TraceText.TWO_CHATS));

    assertThat(result.completed()).isEqualTo(3);
    assertThat(result.leftOut()).isEqualTo(2);
    assertThat(bodies())
        .allMatch(body -> body.path("ignore_eos").asBoolean())
        .allMatch(body -> body.path("max_tokens").asInt() == 1);

    assertThatThrownBy(() ->
            run(
                target(EngineTarget.Api.COMPLETIONS, null, null),
                new EngineLoad(new EngineLoad.Clients(1), 5, 1, false, 10, 16, 1),
                TraceText.open(TraceText.TWO_CHATS)))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("--max-input-tokens")
        .hasMessageContaining("'10'");
  }

  @ParameterizedTest
  @CsvSource({"78, 70", "72, 60", "48, 40", "200, -1"})
  void longPromptsThatDoNotFitAreNamedWithTheLimitThatFits(int context, long fitting) {
    server.context(context);
    EngineResult result = run(EngineTarget.Api.COMPLETIONS);
    if (fitting < 0) {
      assertThat(result.promptLimit()).isNull();
      assertThat(EngineText.write(result)).doesNotContain("too long");
      return;
    }
    EngineResult.PromptLimit limit = requireNonNull(result.promptLimit());
    assertThat(limit.maxInputTokens()).isEqualTo(fitting);
    assertThat(limit.contextTokens()).isEqualTo(130 + 4);
    assertThat(EngineText.write(result)).contains("too long", "context of about 134 tokens");
    assertThat(EngineText.json(result)).contains("\"maxInputTokens\":" + fitting);

    server.context((int) limit.contextTokens());
    assertThat(run(EngineTarget.Api.COMPLETIONS).good()).isTrue();
    server.context(context);
    EngineLoad shorter =
        new EngineLoad(new EngineLoad.Clients(1), Long.MAX_VALUE, 8, false, fitting, 16, 1);
    TraceCursor trace = TraceText.open(TraceText.TWO_CHATS);
    assertThat(run(target(EngineTarget.Api.COMPLETIONS, null, null), shorter, trace).good())
        .isTrue();
  }

  @Test
  void withoutAPromptThatFitsOnlyTheNeededContextIsNamed() {
    server.context(50);
    EngineResult result =
        run(
            target(EngineTarget.Api.CHAT, null, null),
            load(new EngineLoad.Clients(1), 1),
            TraceText.open("{\"timestamp\":0,\"input_length\":90,\"hash_ids\":[1,2,3,4,5,6]}\n"));

    assertThat(result.promptLimit()).isEqualTo(new EngineResult.PromptLimit(0, 98));
    assertThat(EngineText.write(result))
        .contains("context of about 98 tokens")
        .doesNotContain("--max-input-tokens");
  }

  @Test
  void theProgressSaysWhatWaitsAndWhatIsBeingAnswered() {
    server.behaving(number -> number >= PROBES ? Behaviour.HANGS : Behaviour.GOOD);
    List<EngineBench.Progress.State> states = new CopyOnWriteArrayList<>();
    EngineResult result =
        EngineBench.run(
            target(server.url(), EngineTarget.Api.COMPLETIONS, null, null, Duration.ofSeconds(3)),
            load(new EngineLoad.Clients(3), 2),
            "test",
            TraceText.open(TraceText.TWO_CHATS),
            states::add);

    assertThat(result.errors()).isEqualTo(2);
    assertThat(states)
        .allMatch(state -> state.waiting() >= 0 && state.answering() >= 0)
        .allMatch(state -> state.done() + state.waiting() + state.answering() <= 2)
        .anyMatch(state -> state.answering() == 2 && state.done() == 0);
  }

  @Test
  void anApiKeyIsSentAndNeverShown() {
    server
        .needing("secret-key-1")
        .behaving(number -> number >= PROBES ? Behaviour.BUSY : Behaviour.GOOD);
    EngineTarget target = target(EngineTarget.Api.COMPLETIONS, null, "secret-key-1");
    EngineResult result =
        run(
            target,
            load(new EngineLoad.Clients(1), Long.MAX_VALUE),
            TraceText.open(TraceText.TWO_CHATS));

    assertThat(result.faults().getFirst().first()).contains("too busy for Bearer ***");
    assertThat(EngineText.write(result) + EngineText.json(result) + EngineText.html(result))
        .doesNotContain("secret-key-1");
    assertThat(target).hasToString(server.url());
    assertRefused(
        target(EngineTarget.Api.COMPLETIONS, null, "wrong"), "does not accept", "--api-key");
    assertRefused(
        target(EngineTarget.Api.COMPLETIONS, null, null), "needs an API key", "--api-key");
  }

  private static void assertRefused(EngineTarget target, String... parts) {
    assertThatThrownBy(() ->
            run(
                target,
                load(new EngineLoad.Clients(1), Long.MAX_VALUE),
                TraceText.open(TraceText.TWO_CHATS)))
        .isInstanceOf(UserError.class)
        .satisfies(error -> assertThat(error.getMessage()).contains(parts));
  }

  @Test
  void aServerThatCannotBeUsedIsExplained() throws IOException {
    assertRefused(
        target(EngineTarget.Api.CHAT, "words-2", null), "'words-2'", OpenAiServer.MODEL, "--model");
    server.behaving(number -> Behaviour.NOT_STREAMED);
    assertRefused(target(EngineTarget.Api.CHAT, null, null), "'application/json'", "OpenAI's API");
    server.behaving(number -> Behaviour.BUSY);
    assertRefused(target(EngineTarget.Api.CHAT, null, null), "status 429", "too busy");
    assertRefused(
        target(server.url() + "/other", EngineTarget.Api.CHAT, null, null, Duration.ofSeconds(60)),
        "status 404",
        "--url");
    assertRefused(
        target("http://none.invalid:1", EngineTarget.Api.CHAT, null, null, Duration.ofSeconds(60)),
        "'none.invalid'",
        "--url");
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String nobody = "http://127.0.0.1:" + port;
    assertRefused(
        target(nobody, EngineTarget.Api.CHAT, null, null, Duration.ofSeconds(60)),
        "'" + nobody + "'",
        "--url");
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8000, http://127.0.0.1:8000",
    "http://127.0.0.1:8000/, http://127.0.0.1:8000",
    "https://host/v1/, https://host",
    "http://host/engine/v1, http://host/engine"
  })
  void anAddressMayHaveTheVersionOfTheApi(String given, String base) {
    assertThat(EngineTarget.address(given)).isEqualTo(URI.create(base));
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1:8000", "ftp://host", "http://", "http://a b", "http://user:pw@host"})
  void anotherAddressIsRefused(String given) {
    assertThatThrownBy(() -> EngineTarget.address(given))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'" + given + "'")
        .hasMessageContaining("http://127.0.0.1:8000");
  }
}
