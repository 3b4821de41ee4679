package dev.ebb.host.testing;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** One tab of a headless browser, driven over the browser's own DevTools protocol. */
public final class Tab implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

  private static final int TIMEOUT_SECONDS = 60;
  private static final ObjectMapper JSON = new ObjectMapper();

  private Process process;
  private HttpClient client;
  private WebSocket socket;
  private @Nullable Path ownProfile;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final List<JsonNode> events = new CopyOnWriteArrayList<>();

  /** Creates a tab for all tests of a class. They are skipped if there is no browser. */
  @SuppressWarnings("NullAway.Init")
  public Tab() {}

  private void start(Path profile) throws IOException, InterruptedException {
    Optional<Path> program = Chromium.find();
    assumeTrue(program.isPresent(), Chromium.MISSING);
    process =
        new ProcessBuilder(
                Chromium.headless(
                    program.orElseThrow(), profile, "--remote-debugging-port=0", "about:blank"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    client = HttpClient.newHttpClient();
    try {
      Optional<URI> address = Optional.empty();
      for (int tries = 0; tries < TIMEOUT_SECONDS * 10 && address.isEmpty(); tries++) {
        address = address(client, profile);
        if (address.isEmpty() && process.waitFor(100, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
      assumeTrue(address.isPresent(), program.orElseThrow() + " does not start on this machine");
      socket =
          client.newWebSocketBuilder().buildAsync(address.orElseThrow(), new Listener()).join();
    } catch (RuntimeException | InterruptedException failed) {
      Chromium.end(process, Set.of());
      client.close();
      throw failed;
    }
    for (String domain : List.of("Runtime", "Network", "Log", "Page")) {
      command(domain + ".enable", Map.of());
    }
  }

  @Override
  public void beforeAll(ExtensionContext tests) throws IOException, InterruptedException {
    ownProfile = Files.createTempDirectory("ebb-browser");
    start(ownProfile);
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    size(1440, 900);
  }

  @Override
  public void afterAll(ExtensionContext tests) throws IOException {
    if (socket != null) {
      socket.abort();
      client.shutdownNow();
      Chromium.end(process, Set.of());
    }
    List<Path> files;
    try (Stream<Path> all = Files.walk(requireNonNull(ownProfile))) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }

  private static Optional<URI> address(HttpClient client, Path profile)
      throws IOException, InterruptedException {
    Path said = profile.resolve("DevToolsActivePort");
    List<String> lines = Files.exists(said) ? Files.readAllLines(said) : List.of();
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    URI list = URI.create("http://127.0.0.1:" + lines.getFirst() + "/json/list");
    String body =
        client
            .send(HttpRequest.newBuilder(list).build(), HttpResponse.BodyHandlers.ofString())
            .body();
    return JSON.readTree(body)
        .valueStream()
        .filter(target -> target.get("type").asString().equals("page"))
        .map(target -> URI.create(target.get("webSocketDebuggerUrl").asString()))
        .findFirst();
  }

  /** Opens a page, and clears the messages of the previous one. */
  public void go(String url) {
    command("Page.navigate", Map.of("url", "about:blank"));
    until("location.href === 'about:blank'");
    events.clear();
    command("Page.navigate", Map.of("url", url));
    until("location.href !== 'about:blank' && document.readyState === 'complete'");
  }

  /** Sets the screen size, for example of a phone. Scroll bars are hidden, as phones do it. */
  public void size(int width, int height) {
    command("Emulation.setScrollbarsHidden", Map.of("hidden", true));
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
  }

  /** Sets a media feature of the screen, such as {@code prefers-color-scheme} and {@code dark}. */
  public void screen(String feature, String value) {
    command(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", feature, "value", value))));
  }

  /** Returns the value of a JavaScript expression, promises awaited. */
  public JsonNode value(String expression) {
    JsonNode answer =
        command(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
    }
    return answer.at("/result/value");
  }

  /** Returns the visible text of the first element that a selector finds. */
  public String text(String selector) {
    return value("document.querySelector(" + JSON.writeValueAsString(selector) + ").innerText")
        .asString();
  }

  /** Returns the colour of a pixel of the page, which must be in the window. */
  public int colourAt(int x, int y) {
    Map<String, Integer> pixel = Map.of("x", x, "y", y, "width", 1, "height", 1, "scale", 1);
    JsonNode answer = command("Page.captureScreenshot", Map.of("format", "png", "clip", pixel));
    byte[] png = Base64.getDecoder().decode(answer.get("data").asString());
    try {
      return ImageIO.read(new ByteArrayInputStream(png)).getRGB(0, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the page's elements as they are now. */
  public String html() {
    return value("document.documentElement.outerHTML").asString();
  }

  /** Waits until an expression is true. */
  public void until(String expression) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS)) {
      if (value("!!(" + expression + ")").booleanValue()) {
        return;
      }
      Awaiting.pauseSince(start);
    }
    throw new AssertionError(
        "never true: " + expression + "\n" + value("document.body.innerText").asString());
  }

  /** Returns the page's errors: in the console, exceptions, failed loads. */
  public List<String> complaints() {
    return events.stream()
        .filter(event ->
            switch (event.get("method").asString()) {
              case "Runtime.exceptionThrown" -> true;
              case "Runtime.consoleAPICalled" ->
                  event.at("/params/type").asString().matches("error|warning|assert");
              case "Log.entryAdded" ->
                  event.at("/params/entry/level").asString().matches("error|warning");
              default -> false;
            })
        .map(JsonNode::toString)
        .toList();
  }

  /** Returns every network request of the page. */
  public List<String> requests() {
    return events.stream()
        .filter(event -> event.get("method").asString().equals("Network.requestWillBeSent"))
        .map(event -> event.at("/params/request/url").asString())
        .toList();
  }

  private JsonNode command(String method, Map<String, ?> parameters) {
    int id = ids.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    String text = JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters));
    socket.sendText(text, true).join();
    return answer.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  private void received(String text) {
    JsonNode message = JSON.readTree(text);
    if (!message.has("id")) {
      events.add(message);
      return;
    }
    CompletableFuture<JsonNode> answer = answers.remove(message.get("id").intValue());
    if (answer == null) {
      return;
    }
    if (message.has("error")) {
      answer.completeExceptionally(new AssertionError(message.get("error").toString()));
    } else {
      answer.complete(message.get("result"));
    }
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder unread = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      unread.append(data);
      if (last) {
        String text = unread.toString();
        unread.setLength(0);
        received(text);
      }
      from.request(1);
      return null;
    }
  }
}
