package dev.ebb.server.peer;

import dev.ebb.host.errors.ConnectFailures;
import dev.ebb.host.openai.ApiError;
import dev.ebb.host.openai.OpenAiJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Sends requests to other engines. Thread-safe. */
public final class PeerClient implements AutoCloseable {

  /** The path of an engine's model. */
  public static final String MODEL = "/api/v1/peer";

  /** The path of sequences that move. */
  public static final String SEQUENCES = "/api/v1/sequences";

  /** The path to which pages are written. */
  public static final String PAGES = "/api/v1/pages";

  /** The path from which pages are read. */
  public static final String READ = "/api/v1/pages/read";

  /** The path of prompts to compute. */
  public static final String PREFILL = "/api/v1/prefill";

  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** For a move, which copies all pages. */
  private static final Duration MOVE = Duration.ofMinutes(10);

  private final @Nullable String key;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  /** Creates a client; {@code key} is null for engines that need none. */
  public PeerClient(@Nullable String key) {
    this.key = key;
  }

  /** An engine has refused a request. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  /** The number of leading pages of a prompt that an engine has. */
  public record Written(int pages) {}

  private HttpRequest.Builder request(URI engine, String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(engine.resolve(path));
    return key == null ? request : request.header("Authorization", "Bearer " + key);
  }

  private HttpRequest post(URI engine, String path, String type, BodyPublisher body) {
    return request(engine, path).header("Content-Type", type).POST(body).build();
  }

  private HttpRequest post(URI engine, String path, Object document) {
    BodyPublisher body = BodyPublishers.ofString(OpenAiJson.text(document));
    return post(engine, path, "application/json", body);
  }

  /** Returns the model of an engine. */
  public PeerModel model(URI engine) throws IOException {
    return read(get(request(engine, MODEL).build()), PeerModel.class);
  }

  /** Returns the running sequences of an engine. */
  public RunningSequences sequences(URI engine) throws IOException {
    return read(get(request(engine, SEQUENCES).build()), RunningSequences.class);
  }

  /** Lets an engine move a sequence to another one. */
  public Moved move(URI engine, long sequence, String to) throws IOException {
    String path = "%s/%d/move".formatted(SEQUENCES, sequence);
    return read(get(post(engine, path, Map.of("to", to)), MOVE), Moved.class);
  }

  /** Gives pages to an engine; returns how many leading pages of the prompt it has. */
  public int write(URI engine, PageFrames frames) throws IOException {
    BodyPublisher body = BodyPublishers.ofByteArray(frames.bytes());
    return read(get(post(engine, PAGES, "application/octet-stream", body)), Written.class).pages();
  }

  /** Returns pages that an engine has cached, from the first one asked for. */
  public List<byte[]> read(URI engine, PeerPrompt prompt, int pageBytes) throws IOException {
    byte[] body = get(post(engine, READ, prompt));
    try {
      return PageFrames.of(body, pageBytes).pages();
    } catch (IllegalArgumentException damaged) {
      throw new IOException(damaged.getMessage(), damaged);
    }
  }

  /** Sends a document, and returns the lines of the answer, which may come for a long time. */
  public PeerStream stream(URI engine, String path, Object document) throws IOException {
    PeerStream lines = new PeerStream();
    BodyHandler<byte[]> handler =
        head ->
            head.statusCode() == 200
                ? BodySubscribers.fromLineSubscriber(
                    lines, any -> new byte[0], StandardCharsets.UTF_8, "\n")
                : BodySubscribers.ofByteArray();
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(post(engine, path, document), handler);
    var _ =
        answer.whenComplete((response, failed) -> {
          if (failed != null) {
            lines.onError(failed.getCause() == null ? failed : failed.getCause());
          } else if (response.statusCode() != 200) {
            lines.onError(refusal(response));
          }
        });
    return lines;
  }

  private byte[] get(HttpRequest request) throws IOException {
    return get(request, ANSWER);
  }

  private byte[] get(HttpRequest request, Duration limit) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(request, BodyHandlers.ofByteArray());
    try {
      HttpResponse<byte[]> response = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (response.statusCode() != 200) {
        throw refusal(response);
      }
      return response.body();
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      throw new IOException(ConnectFailures.reason(cause == null ? failed : cause), failed);
    } catch (TimeoutException slow) {
      answer.cancel(true);
      throw new IOException("no answer within %d seconds".formatted(limit.toSeconds()), slow);
    } catch (InterruptedException stopping) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopping);
    }
  }

  private static RefusedException refusal(HttpResponse<byte[]> response) {
    String text = new String(response.body(), StandardCharsets.UTF_8);
    try {
      ApiError answer = OpenAiJson.answer(text, ApiError.class);
      if (answer.error() != null) {
        return new RefusedException(answer.error().message());
      }
    } catch (JacksonException notJson) {
      // Explained below.
    }
    return new RefusedException(
        "the status is '%d': is this an engine of Ebb?".formatted(response.statusCode()));
  }

  private static <T> T read(byte[] body, Class<T> type) throws IOException {
    try {
      return OpenAiJson.answer(new String(body, StandardCharsets.UTF_8), type);
    } catch (JacksonException foreign) {
      throw new IOException("the answer is not that of an engine of Ebb", foreign);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
