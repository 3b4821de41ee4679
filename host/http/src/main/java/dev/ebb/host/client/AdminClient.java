package dev.ebb.host.client;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of the admin server of an Ebb process. Every failure becomes a {@link UserError}. */
public final class AdminClient implements AutoCloseable {

  /** A server of another version may report more properties, but not fewer. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .addModule(new RecordConstructors())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  private final ServerAddress server;
  private final Duration timeout;
  private final CallFailures failures;
  private final HttpClient http;
  private boolean checked;

  /** Creates a client; {@code tls} is null for the certificates of the JDK. */
  public AdminClient(ServerAddress server, Duration timeout, @Nullable SSLContext tls) {
    this.server = server;
    this.timeout = timeout;
    failures = new CallFailures(server, timeout);
    HttpClient.Builder client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout)
            .followRedirects(HttpClient.Redirect.NEVER);
    if (!server.encrypted()) {
      client.sslContext(new NoTls());
    } else if (tls != null) {
      client.sslContext(tls);
    }
    http = client.build();
  }

  public ServerAddress server() {
    return server;
  }

  /** Requests a document. The path starts with {@code /api} and includes the query. */
  public <T> Answer<T> get(String path, Class<T> type) {
    return call("GET", path, BodyPublishers.noBody(), type);
  }

  /** Requests a document; empty if the server answers 404. */
  public <T> Optional<Answer<T>> find(String path, Class<T> type) {
    HttpResponse<String> response = exchange("GET", path, BodyPublishers.noBody());
    return response.statusCode() == 404
        ? Optional.empty()
        : Optional.of(read("GET " + path, response, type));
  }

  public <T> Answer<T> delete(String path, Class<T> type) {
    return call("DELETE", path, BodyPublishers.noBody(), type);
  }

  /** Sends a document of strings, numbers, flags, maps and lists. */
  public <T> Answer<T> send(String method, String path, Map<String, ?> document, Class<T> type) {
    return call(method, path, BodyPublishers.ofString(JSON.writeValueAsString(document)), type);
  }

  /** Receives events until the listener returns false. */
  public <T> void events(String path, Class<T> type, Predicate<T> listener) {
    try {
      HttpResponse<Stream<String>> response =
          http.send(request(path).build(), BodyHandlers.ofLines());
      try (Stream<String> lines = response.body()) {
        if (response.statusCode() / 100 != 2) {
          String body = lines.collect(Collectors.joining());
          throw failures.refused("GET " + path, response.statusCode(), JSON.readTree(body));
        }
        if (!heard(lines.iterator(), type, listener)) {
          throw new UserError("the Ebb at '%s' ended the connection".formatted(server.base()));
        }
      }
    } catch (IOException failed) {
      throw failures.unreachable(failed);
    } catch (UncheckedIOException broken) {
      throw new UserError(
          "the connection to '%s' broke: %s".formatted(server.base(), broken.getMessage()));
    } catch (JacksonException notJson) {
      throw failures.foreign("GET " + path, 200);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted");
    }
  }

  private static <T> boolean heard(Iterator<String> lines, Class<T> type, Predicate<T> listener) {
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith("data: ")
          && !listener.test(JSON.readValue(line.substring("data: ".length()), type))) {
        return true;
      }
    }
    return false;
  }

  private <T> Answer<T> call(
      String method, String path, HttpRequest.BodyPublisher body, Class<T> type) {
    return read(method + " " + path, exchange(method, path, body), type);
  }

  private HttpResponse<String> exchange(
      String method, String path, HttpRequest.BodyPublisher body) {
    refusePlainSpeech();
    HttpRequest.Builder request =
        request(path).header("Accept", "application/json").method(method, body);
    if (body.contentLength() != 0) {
      request.header("Content-Type", "application/json");
    }
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException failed) {
      throw failures.unreachable(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted");
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.base() + path)).timeout(timeout);
    return server.token() == null
        ? request
        : request.header("Authorization", "Bearer " + server.token());
  }

  private void refusePlainSpeech() {
    if (!checked && server.encrypted()) {
      if (PlainHttpProbe.isSpokenBy(server.base())) {
        throw failures.notEncrypted();
      }
      checked = true;
    }
  }

  private <T> Answer<T> read(String call, HttpResponse<String> response, Class<T> type) {
    JsonNode document = tree(call, response);
    if (response.statusCode() / 100 != 2) {
      throw failures.refused(call, response.statusCode(), document);
    }
    return new Answer<>(
        response.body().strip(),
        () -> {
          try {
            return JSON.treeToValue(document, type);
          } catch (JacksonException differs) {
            throw failures.otherVersion(call, differs);
          }
        });
  }

  private JsonNode tree(String call, HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (JacksonException notJson) {
      throw failures.foreign(call, response.statusCode());
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
