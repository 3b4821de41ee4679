package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.testing.Histories;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.testing.Engine;
import dev.ebb.server.cli.EngineProvider;
import dev.ebb.server.demo.RandomModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** Engines that move running sequences to each other, and compute each other's prompts. */
class MoveTest {

  private static final int ANSWER = 100;

  /** Moves in a run of the test. */
  private static final int MOVES = Integer.getInteger("ebb.moves", Histories.times(8));

  private static final int PROMPTS = 10;
  private static final Duration LONG = Duration.ofMinutes(2);

  /** A format whose answers are long. */
  private static final Map<String, Object> FLAGS =
      Map.of(
          "type",
          "json_schema",
          "json_schema",
          Map.of(
              "name",
              "flags",
              "schema",
              Map.of("type", "array", "items", Map.of("type", "boolean"), "minItems", 40)));

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path folder;
  private static Path file;
  private static Path config;
  private static LlamaModel model;
  private static TestServer source;
  private static TestServer target;

  /** Another engine, in a process that is killed. */
  private static Process process;

  private static String processUrl = "";

  @BeforeAll
  static void start() throws IOException {
    Engine.assumeRuns();
    file = model("tiny.gguf");
    model = LlamaModel.openAny(file);
    config = TestServer.configure(folder);
    process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                MoveTest.class.getName(),
                "start",
                file.toString(),
                "--served-model-name=tiny",
                "--config=" + config,
                "--kv-block-size=" + TestServer.BLOCK,
                "--eviction-policy=lru",
                "--context=2048",
                "--threads=1",
                "--batch-size=64",
                "--port=0",
                "--admin-port=0")
            .redirectError(folder.resolve("process.log").toFile())
            .start();
    source = TestServer.start(file, config, 2_048, 4, "lru");
    target = TestServer.start(file, config, 2_048, 4, "lru");
    processUrl = announced(process);
  }

  /** The main class of the other engine. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new EngineProvider().command()).execute(arguments));
  }

  private static Path model(String name) throws IOException {
    Path written = folder.resolve(name);
    new RandomModel("tiny", new RandomModel.Shape(4, 4, 2, 16, 128, 4_096))
        .writingLetters()
        .write(written, (tensor, weights) -> {});
    return written;
  }

  private static String announced(Process started) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher serving = Pattern.compile("serving .* at (http://[^/]+)/v1").matcher(line);
      if (serving.find()) {
        return serving.group(1);
      }
    }
    throw new AssertionError(Files.readString(folder.resolve("process.log")));
  }

  @AfterAll
  static void stop() {
    if (process != null) {
      process.destroyForcibly();
      source.close();
      target.close();
      model.close();
    }
  }

  private static String url(TestServer server) {
    return "http://127.0.0.1:" + server.server.address().getPort();
  }

  /** The stream of a client, and its text so far. */
  private static final class Client implements AutoCloseable {
    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;
    private final StringBuilder text = new StringBuilder();

    Client(TestServer server, Map<String, ?> request) throws Exception {
      Map<String, Object> body = new HashMap<>(request);
      body.put("stream", true);
      response =
          HTTP.send(
              server
                  .request("/v1/completions")
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(TestServer.JSON.writeValueAsString(body)))
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /** Reads until the text has so many characters, or ends. */
    String read(int length) throws IOException {
      assertThat(response.statusCode()).isEqualTo(200);
      while (text.length() < length) {
        String line = lines.readLine();
        assertThat(line).as("stream after '%s'", text).isNotNull();
        if (line.equals("data: [DONE]")) {
          return text.toString();
        }
        if (line.startsWith("data: {")) {
          JsonNode choices = TestServer.JSON.readTree(line.substring(6)).path("choices");
          assertThat(choices.isArray()).as(line).isTrue();
          choices.forEach(choice -> text.append(choice.path("text").asString()));
        }
      }
      return text.toString();
    }

    String all() throws IOException {
      return read(Integer.MAX_VALUE);
    }

    @Override
    public void close() throws IOException {
      response.body().close();
    }
  }

  private static Map<String, Object> greedy(int[] prompt, int tokens) {
    return new HashMap<>(
        Map.of("prompt", prompt, "max_tokens", tokens, "temperature", 0, "ignore_eos", true));
  }

  private static List<Long> running(TestServer server) {
    try {
      List<Long> ids = new ArrayList<>();
      TestServer.JSON
          .readTree(server.get("/api/v1/sequences").body())
          .get("sequences")
          .forEach(each -> ids.add(each.get("id").longValue()));
      return ids;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static HttpResponse<String> move(TestServer from, String to) throws Exception {
    List<Long> ids = running(from);
    long id = ids.isEmpty() ? 0 : ids.getLast();
    return from.post("/api/v1/sequences/" + id + "/move", Map.of("to", to));
  }

  private static String expected(int[] prompt, int tokens) {
    return TestServer.text(model, TestServer.alone(model, prompt, tokens));
  }

  private static double metric(TestServer server, String name) throws Exception {
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() < end).isTrue();
      Thread.sleep(10);
    }
  }

  private static void assertNothingLeaks(TestServer... servers) throws Exception {
    for (TestServer server : servers) {
      await(() -> server.server.ebb().stats().devices().getFirst().openSequences() == 0);
      await(() -> running(server).isEmpty());
      server.server.ebb().view().blocks().evictTo(0);
      PoolReport report = server.server.ebb().view().pools().getFirst().report();
      assertThat(report.pool().freeBlocks()).isEqualTo(report.pool().blocks());
    }
  }

  @Test
  void aMovedAnswerIsTheSame() throws Exception {
    Random random = new Random(11);
    List<int[]> prompts = new ArrayList<>();
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < PROMPTS; i++) {
      prompts.add(TestServer.prompt(i, 5 + random.nextInt(150)));
      answers.add(expected(prompts.get(i), ANSWER));
    }
    int moved = 0;
    int blocks = 0;
    for (int i = 0; moved < MOVES; i++) {
      assertThat(i).as("attempts for '%d' moves", moved).isLessThan(10 * MOVES);
      TestServer from = random.nextBoolean() ? source : target;
      TestServer to = from == source ? target : source;
      int chosen = random.nextInt(PROMPTS);
      try (Client client = new Client(from, greedy(prompts.get(chosen), ANSWER))) {
        client.read(random.nextInt(ANSWER / 2));
        HttpResponse<String> answer = move(from, url(to));
        if (answer.statusCode() == 200) {
          moved++;
          blocks += TestServer.JSON.readTree(answer.body()).get("blocks").intValue();
        } else {
          assertThat(answer.body()).containsAnyOf("has ended", "no sequence");
        }
        assertThat(client.all())
            .as("pair '%d' %s", i, answer.body())
            .isEqualTo(answers.get(chosen));
      }
    }
    assertThat(blocks).isGreaterThan(moved);
    assertThat(metric(source, "ebb_sequences_moved_total{direction=\"out\"}")).isPositive();
    assertThat(metric(source, "ebb_sequences_moved_total{direction=\"in\"}")).isPositive();
    assertThat(metric(source, "ebb_peer_page_bytes_total{direction=\"in\"}")).isPositive();
    assertNothingLeaks(source, target);
  }

  @Test
  void drawsPenaltiesFormatsAndStopsMoveToo() throws Exception {
    int[] prompt = TestServer.prompt(77, 60);
    for (Map<String, Object> options :
        List.of(
            Map.<String, Object>of("temperature", 1, "seed", 5),
            Map.<String, Object>of("frequency_penalty", 1.5, "repetition_penalty", 1.3),
            Map.<String, Object>of("response_format", FLAGS),
            Map.<String, Object>of("stop", List.of("qqqq"), "logprobs", 2))) {
      Map<String, Object> request =
          new HashMap<>(Map.of("prompt", prompt, "max_tokens", 200, "temperature", 0));
      request.putAll(options);
      String stayed =
          TestServer.text(TestServer.JSON.readTree(source.post("/v1/completions", request).body()));
      int moved = 0;
      for (int i = 0; i < 20 && moved == 0; i++) {
        try (Client client = new Client(source, request)) {
          client.read(Math.min(3, stayed.length() - 1));
          HttpResponse<String> answer = move(source, url(target));
          moved += answer.statusCode() == 200 ? 1 : 0;
          assertThat(client.all()).as("%s %s", options, answer.body()).isEqualTo(stayed);
        }
      }
      assertThat(moved).as("%s", options).isOne();
    }
    assertNothingLeaks(source, target);
  }

  @Test
  void whatCannotMoveIsRefusedAndGoesOn() throws Exception {
    Map<String, Object> draws = greedy(TestServer.prompt(78, 30), 400);
    draws.putAll(Map.of("temperature", 1, "seed", 3, "top_p", 0.5));
    try (Client client = new Client(source, draws)) {
      HttpResponse<String> answer = move(source, url(target));
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("seed", "top_p");
      assertThat(client.all()).isNotEmpty();
    }
    Path other = folder.resolve("other.gguf");
    Files.copy(file, other, StandardCopyOption.REPLACE_EXISTING);
    byte[] bytes = Files.readAllBytes(other);
    bytes[bytes.length - 9] ^= 2;
    Files.write(other, bytes);
    int[] prompt = TestServer.prompt(79, 30);
    try (TestServer foreign = TestServer.start(other, config, 1_024, 2, "lru");
        Client client = new Client(source, greedy(prompt, 400))) {
      HttpResponse<String> answer = move(source, url(foreign));
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("other weights", "goes on here");
      assertThat(client.all()).isEqualTo(expected(prompt, 400));
    }
    assertThat(command("move", "4711", "--to", url(target))).contains("'4711'", "[]");
    assertThat(command("move", "4711", "--to", "here")).contains("'here'", "http://10.0.0.1:8000");
    assertThat(command("sequences")).contains("PROMPT");
    assertNothingLeaks(source, target);
  }

  @Test
  void anEngineIsNoTargetForItself() throws Exception {
    int[] prompt = TestServer.prompt(83, 40);
    try (Client client = new Client(source, greedy(prompt, 400))) {
      client.read(1);
      HttpResponse<String> answer = move(source, url(source));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
      assertThat(answer.body()).contains(url(source), "is this engine");
      assertThat(client.all()).isEqualTo(expected(prompt, 400));
    }
    assertNothingLeaks(source);
  }

  @Test
  void aListNamesTheEngineThatHasASequence() throws Exception {
    boolean named = false;
    for (int i = 0; i < 20 && !named; i++) {
      try (Client client = new Client(source, greedy(TestServer.prompt(84, 40), 1_200))) {
        client.read(1);
        named =
            move(source, url(target)).statusCode() == 200
                && command("sequences").contains(url(target));
      }
    }
    assertThat(named).isTrue();
    assertNothingLeaks(source, target);
  }

  @Test
  void aBodyThatIsTooLargeIsAnswered() throws Exception {
    HttpResponse<String> answer =
        source.post("/v1/completions", Map.of("prompt", "x".repeat(40 << 20)));
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("bytes allowed");
  }

  @Test
  void whatNoEngineSendsIsRefused() throws Exception {
    for (String path : List.of("/api/v1/prefill", "/api/v1/sequences", "/api/v1/pages/read")) {
      assertThat(source.post(path, Map.of()).statusCode()).as(path).isEqualTo(400);
    }
    Object own = TestServer.JSON.readValue(source.get("/api/v1/peer").body(), Map.class);
    Map<String, Object> sequence =
        new HashMap<>(
            Map.of("model", own, "request", Map.of(), "chat", false, "owner", "", "seed", 1));
    sequence.putAll(Map.of("max_tokens", 9, "prompt", List.of(100), "answer", List.of(1 << 20)));
    HttpResponse<String> foreign = source.post("/api/v1/sequences", sequence);
    assertThat(foreign.statusCode()).as(foreign.body()).isEqualTo(400);
    assertThat(foreign.body()).contains("not a token");
    assertNothingLeaks(source);
  }

  @Test
  void peersNeedTheirKey() throws Exception {
    Path keyed = Files.writeString(folder.resolve("keyed.conf"), Files.readString(config));
    try (TestServer closed = TestServer.start(file, keyed, Map.of("sk-1", "ann"), false)) {
      HttpResponse<String> answer = closed.post("/api/v1/prefill", Map.of(), "sk-1");
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).contains("ebb.engine.peer-key", "permission_error");
      assertThat(closed.post("/v1/completions", Map.of(), "sk-2").body())
          .contains("not one of")
          .doesNotContain("a token is needed");
    }
    Files.writeString(keyed, "ebb.engine.peer-key = among-us\n", StandardOpenOption.APPEND);
    try (TestServer closed = TestServer.start(file, keyed, Map.of("sk-1", "ann"), false)) {
      Map<String, ?> to = Map.of("to", url(target));
      assertThat(closed.post("/api/v1/sequences/1/move", to, "sk-1").statusCode()).isEqualTo(401);
      assertThat(closed.post("/api/v1/sequences/1/move", to, "among-us").statusCode())
          .isEqualTo(404);
    }
  }

  private static String command(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--url", url(source), "--config", config.toString()));
    StringWriter output = new StringWriter();
    new CommandLine(new EngineProvider().command())
        .setOut(new PrintWriter(output))
        .setErr(new PrintWriter(output))
        .setExecutionExceptionHandler((failure, command, result) -> {
          output.write(String.valueOf(failure.getMessage()));
          return 1;
        })
        .execute(all.toArray(String[]::new));
    return output.toString();
  }

  @Test
  void aClientThatLeavesEndsItsMovedSequence() throws Exception {
    boolean moved = false;
    for (int i = 0; i < 20 && !moved; i++) {
      try (Client client = new Client(source, greedy(TestServer.prompt(80, 40), 1_200))) {
        client.read(1);
        moved = move(source, url(target)).statusCode() == 200;
      }
    }
    assertThat(moved).isTrue();
    assertNothingLeaks(source, target);
  }

  @Test
  void promptsAreComputedElsewhere() throws Exception {
    try (TestServer decode = decoding(url(source))) {
      assertThat(answers(decode, 90, 6, () -> null)).isTrue();
      assertThat(metric(decode, "ebb_prefill_tokens_total")).isGreaterThan(1_000);
      assertThat(metric(decode, "ebb_prefills_total{result=\"failed\"}")).isZero();
      assertNothingLeaks(decode, source);
      Object model = TestServer.JSON.readValue(decode.get("/api/v1/peer").body(), Map.class);
      HttpResponse<String> asked =
          decode.post(
              "/api/v1/prefill", Map.of("model", model, "owner", "", "tokens", List.of(100)));
      assertThat(asked.body()).contains("role 'decode'");
    }
  }

  private static TestServer decoding(String prefill) throws IOException {
    Path own = folder.resolve("decode.conf");
    Files.writeString(
        own,
        Files.readString(config)
            + "ebb.engine { role = decode, prefill = \"%s\" }\n".formatted(prefill));
    return TestServer.start(file, own, 2_048, 4, "lru");
  }

  /** Sends prompts together; returns whether all answers are those of one engine alone. */
  private static boolean answers(TestServer server, int seed, int count, Callable<?> meanwhile)
      throws Exception {
    try (ExecutorService clients = Executors.newFixedThreadPool(count)) {
      List<int[]> prompts = new ArrayList<>();
      List<Future<JsonNode>> answers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int[] prompt = TestServer.prompt(seed + i, 250 + 11 * i);
        prompts.add(prompt);
        answers.add(clients.submit(() -> server.complete(prompt, 8)));
      }
      meanwhile.call();
      for (int i = 0; i < count; i++) {
        assertThat(TestServer.tokens(answers.get(i).get()))
            .as("answer '%d'", i)
            .isEqualTo(TestServer.alone(model, prompts.get(i), 8));
      }
    }
    return true;
  }

  @Test
  void anEngineThatStopsDuringPromptsCostsNoAnswer() throws Exception {
    double failed = 0;
    for (int i = 0; i < 10 && failed == 0; i++) {
      TestServer prefill = TestServer.start(file, config, 2_048, 4, "lru");
      try (TestServer decode = decoding(url(prefill))) {
        Callable<?> stop =
            () -> {
              while (metric(decode, "ebb_peer_page_bytes_total{direction=\"in\"}") == 0) {
                Thread.sleep(1);
              }
              prefill.close();
              return null;
            };
        assertThat(answers(decode, 200 + 20 * i, 12, stop)).isTrue();
        failed = metric(decode, "ebb_prefills_total{result=\"failed\"}");
        assertNothingLeaks(decode);
      } finally {
        prefill.close();
      }
    }
    assertThat(failed).isPositive();
  }

  @Test
  void aKilledEngineCostsNoAnswer() throws Exception {
    int[] prompt = TestServer.prompt(81, 50);
    try (TestServer decode = decoding(processUrl)) {
      assertThat(answers(decode, 120, 3, () -> null)).isTrue();
      assertThat(metric(decode, "ebb_prefill_tokens_total")).isPositive();
      boolean moved = false;
      for (int i = 0; i < 20 && !moved; i++) {
        try (Client client = new Client(source, greedy(prompt, 800))) {
          client.read(5);
          moved = move(source, processUrl).statusCode() == 200;
          if (moved) {
            answers(decode, 140, 12, () -> process.destroyForcibly().waitFor());
            assertThat(answers(decode, 160, 1, () -> null)).isTrue();
          }
          assertThat(client.all()).isEqualTo(expected(prompt, 800));
        }
      }
      assertThat(moved).isTrue();
      assertThat(metric(decode, "ebb_prefills_total{result=\"failed\"}")).isPositive();
      assertThat(metric(source, "ebb_sequence_moves_failed_total{phase=\"after\"}")).isPositive();
      assertThat(move(source, processUrl).statusCode()).isIn(404, 502);
      assertNothingLeaks(decode, source);
    }
  }
}
