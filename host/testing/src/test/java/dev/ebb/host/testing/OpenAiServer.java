package dev.ebb.host.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A server with OpenAI's API, without a model: each word is a token, and the answer is as long as
 * it may be. It remembers prompts in blocks of 16 words and counts how many tokens of a prompt it
 * could reuse. It can also misbehave.
 */
public final class OpenAiServer implements AutoCloseable {

  /** The name of its model. */
  public static final String MODEL = "words-1";

  /** The words of a block. */
  public static final int BLOCK = 16;

  /** How a request is answered. */
  public enum Behaviour {
    GOOD,
    /** Status 429 with an error in JSON, which repeats the API key. */
    BUSY,
    /** An error inside the stream, after two tokens. */
    ERROR_IN_STREAM,
    /** The connection breaks after two tokens. */
    BREAKS,
    /** The stream ends after two tokens. */
    ENDS_EARLY,
    /** Nothing more comes after two tokens. */
    HANGS,
    /** Whole JSON in place of a stream. */
    NOT_STREAMED,
    /** A stream of something else. */
    GARBAGE
  }

  /** Where it reports reused tokens. */
  public enum Report {
    USAGE,
    /** In the usage, but only of answers with reused tokens. */
    USAGE_IF_ANY,
    /** In the field of llama.cpp. */
    TIMINGS,
    VLLM_METRICS,
    SGLANG_METRICS,
    LLAMA_METRICS,
    /** It does not report reused tokens. */
    NONE,
    /** It reports no tokens at all. */
    NO_USAGE
  }

  /** A request for an answer. */
  public record Received(String path, JsonNode body, @Nullable String authorization) {}

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int PIECE = 7;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final Set<String> prefixes = new HashSet<>();
  private final List<Received> requests = new ArrayList<>();
  private volatile Report report = Report.USAGE;
  private volatile IntFunction<Behaviour> behaviour = number -> Behaviour.GOOD;
  private volatile int tokensPerWord = 1;
  private volatile int context = Integer.MAX_VALUE;
  private volatile @Nullable String apiKey;
  private long promptTokens;
  private long reusedTokens;
  private int running;
  private int mostRunning;

  private OpenAiServer(HttpServer server) {
    this.server = server;
  }

  /** Starts a server on a free port. */
  public static OpenAiServer start() {
    // Otherwise each small piece waits for the acknowledgement of the one before.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    try {
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      OpenAiServer made = new OpenAiServer(http);
      http.setExecutor(made.threads);
      http.createContext("/v1/models", made::models);
      http.createContext("/v1/completions", made::generate);
      http.createContext("/v1/chat/completions", made::generate);
      http.createContext("/metrics", made::metrics);
      http.start();
      return made;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public OpenAiServer reporting(Report where) {
    report = where;
    return this;
  }

  /** Sets how requests are answered, by their number from 0 on. */
  public OpenAiServer behaving(IntFunction<Behaviour> byNumber) {
    behaviour = byNumber;
    return this;
  }

  /** Makes its tokenizer split each word. */
  public OpenAiServer splitting(int tokensOfWord) {
    tokensPerWord = tokensOfWord;
    return this;
  }

  /** Refuses prompts that do not fit so many tokens with their answers. */
  public OpenAiServer context(int tokens) {
    context = tokens;
    return this;
  }

  /** Refuses requests without this key. */
  public OpenAiServer needing(String key) {
    apiKey = key;
    return this;
  }

  /** Returns the requests for answers, in the order of their arrival. */
  public synchronized List<Received> requests() {
    return List.copyOf(requests);
  }

  public synchronized long promptTokens() {
    return promptTokens;
  }

  public synchronized long reusedTokens() {
    return reusedTokens;
  }

  /** Returns the largest number of answers that were being made at the same time. */
  public synchronized int mostRunning() {
    return mostRunning;
  }

  private void models(HttpExchange exchange) throws IOException {
    if (authorized(exchange)) {
      reply(
          exchange,
          200,
          "application/json",
          "{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"object\":\"model\"}]}".formatted(MODEL));
    }
  }

  private boolean authorized(HttpExchange exchange) throws IOException {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    boolean right = apiKey == null || ("Bearer " + apiKey).equals(given);
    if (!right) {
      reply(exchange, 401, "application/json", "{\"error\":{\"message\":\"no valid key\"}}");
    }
    return right;
  }

  private synchronized String metricsText() {
    String labels = "{model_name=\"%s\",engine=\"0\"}".formatted(MODEL);
    return switch (report) {
      case VLLM_METRICS ->
          "# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total%s %d\nvllm:prefix_cache_hits_total%s %d\nvllm:prefix_cache_queries_total%s 9e9\n"
              .formatted(labels, promptTokens, labels, reusedTokens, labels);
      case SGLANG_METRICS ->
          "sglang:prompt_tokens_total%s %d\nsglang:cached_tokens_total{cache_source=\"device\"} %d\nsglang:cached_tokens_total{cache_source=\"host\"} 0.0\n"
              .formatted(labels, promptTokens, reusedTokens);
      case LLAMA_METRICS ->
          "llamacpp:prompt_tokens_total %d\n".formatted(promptTokens - reusedTokens);
      case USAGE, USAGE_IF_ANY, TIMINGS, NONE, NO_USAGE -> "";
    };
  }

  private void metrics(HttpExchange exchange) throws IOException {
    String text = metricsText();
    reply(exchange, text.isEmpty() ? 404 : 200, "text/plain; version=0.0.4", text);
  }

  private static void reply(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  private void generate(HttpExchange exchange) throws IOException {
    JsonNode body = JSON.readTree(exchange.getRequestBody().readAllBytes());
    if (!authorized(exchange)) {
      return;
    }
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    int number;
    synchronized (this) {
      number = requests.size();
      requests.add(new Received(exchange.getRequestURI().getPath(), body, authorization));
      running++;
      mostRunning = Math.max(mostRunning, running);
    }
    AtomicBoolean over = new AtomicBoolean();
    Runnable end =
        () -> {
          if (over.compareAndSet(false, true)) {
            synchronized (this) {
              running--;
            }
          }
        };
    try {
      answer(exchange, body, behaviour.apply(number), end);
    } finally {
      end.run();
    }
  }

  private void answer(HttpExchange exchange, JsonNode body, Behaviour how, Runnable end)
      throws IOException {
    String model = body.path("model").asString("");
    if (!model.equals(MODEL)) {
      reply(
          exchange,
          404,
          "application/json",
          "{\"error\":{\"message\":\"The model `%s` does not exist.\"}}".formatted(model));
    } else if (how == Behaviour.BUSY) {
      reply(
          exchange,
          429,
          "application/json",
          "{\"error\":{\"message\":\"too busy for %s\",\"code\":429}}"
              .formatted(exchange.getRequestHeaders().getFirst("Authorization")));
    } else if (words(body).size() * tokensPerWord + body.path("max_tokens").asInt() > context) {
      reply(
          exchange,
          400,
          "application/json",
          "{\"error\":{\"message\":\"This model's maximum context length is %d tokens.\"}}"
              .formatted(context));
    } else if (how == Behaviour.NOT_STREAMED) {
      reply(exchange, 200, "application/json", "{\"choices\":[{\"text\":\"all\"}]}");
    } else {
      stream(exchange, body, how, end);
    }
  }

  /** Streams an answer; {@code end} is run before the client can know its end. */
  private void stream(HttpExchange exchange, JsonNode body, Behaviour how, Runnable end)
      throws IOException {
    boolean chat = body.has("messages");
    List<String> words = words(body);
    long reused = reuse(words);
    int tokens = body.path("max_tokens").asInt(0);
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    write(out, ": answers follow\r\n\r\n");
    if (chat) {
      write(out, event("{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}"));
    }
    for (int i = 0; i < tokens; i++) {
      if (i == 2 && how != Behaviour.GOOD) {
        misbehave(exchange, out, how);
        return;
      }
      String reason = i == tokens - 1 ? "\"length\"" : "null";
      write(
          out,
          event(
              chat
                  ? "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\" a%d\"},\"finish_reason\":%s}]}"
                      .formatted(i, reason)
                  : "{\"choices\":[{\"index\":0,\"text\":\" ä%d\",\"finish_reason\":%s}]}"
                      .formatted(i, reason)));
    }
    end.run();
    write(out, event(usage(words.size() * (long) tokensPerWord, reused, tokens)));
    write(out, event("[DONE]"));
    out.close();
  }

  private void misbehave(HttpExchange exchange, OutputStream out, Behaviour how)
      throws IOException {
    switch (how) {
      case ERROR_IN_STREAM -> {
        write(out, event("{\"error\":{\"message\":\"out of blocks\",\"code\":500}}"));
        write(out, event("[DONE]"));
        out.close();
      }
      case BREAKS -> throw new IOException("breaks as wanted"); // closes without the last chunk
      case ENDS_EARLY -> out.close();
      case GARBAGE -> {
        write(out, event("<html>\u001b[31m"));
        out.close();
      }
      case HANGS -> {
        try {
          closed.await();
        } catch (InterruptedException ended) {
          Thread.currentThread().interrupt();
        }
        exchange.close();
      }
      case GOOD, BUSY, NOT_STREAMED -> throw new IllegalArgumentException(how.toString());
    }
  }

  private static List<String> words(JsonNode body) {
    StringBuilder text = new StringBuilder(body.path("prompt").asString(""));
    for (JsonNode message : body.path("messages")) {
      text.append(' ').append(message.path("content").asString(""));
    }
    return List.of(text.toString().strip().split("\\s+"));
  }

  /** Counts the reusable tokens of a prompt, and remembers its blocks. */
  private synchronized long reuse(List<String> words) {
    int known = 0;
    for (int end = BLOCK; end <= words.size(); end += BLOCK) {
      String prefix = String.join(" ", words.subList(0, end));
      if (!prefixes.add(prefix) && known == end - BLOCK) {
        known = end;
      }
    }
    promptTokens += (long) words.size() * tokensPerWord;
    reusedTokens += (long) known * tokensPerWord;
    return (long) known * tokensPerWord;
  }

  private String usage(long prompt, long reused, int generated) {
    ObjectNode document = JSON.createObjectNode();
    document.putArray("choices");
    if (report != Report.NO_USAGE) {
      ObjectNode usage =
          document
              .putObject("usage")
              .put("prompt_tokens", prompt)
              .put("completion_tokens", generated)
              .put("total_tokens", prompt + generated);
      boolean details = report == Report.USAGE || (report == Report.USAGE_IF_ANY && reused > 0);
      if (details) {
        usage.putObject("prompt_tokens_details").put("cached_tokens", reused);
      } else {
        usage.putNull("prompt_tokens_details");
      }
    }
    if (report == Report.TIMINGS) {
      document.putObject("timings").put("cache_n", reused).put("prompt_n", prompt - reused);
    }
    return document.toString();
  }

  private static String event(String data) {
    return String.format(Locale.ROOT, "data: %s\n\n", data);
  }

  /** Writes a text in small pieces, which split lines and characters. */
  private static void write(OutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i += PIECE) {
      out.write(bytes, i, Math.min(PIECE, bytes.length - i));
      out.flush();
    }
  }

  @Override
  public void close() {
    if (stopped.compareAndSet(false, true)) {
      closed.countDown();
      server.stop(0);
      threads.shutdownNow();
    }
  }
}
