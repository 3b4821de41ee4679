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
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the admin server of one running Ebb. Whatever goes wrong becomes a {@link UserError}. */
public final class AdminClient implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final ServerAddress server;
  private final Duration timeout;
  private final CallFailures failures;
  private final HttpClient http;
  private boolean checked;

  /**
   * A client.
   *
   * @param server where it calls
   * @param timeout how long it waits for a connection, and for an answer
   */
  public AdminClient(ServerAddress server, Duration timeout) {
    this.server = server;
    this.timeout = timeout;
    failures = new CallFailures(server, timeout);
    http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /**
   * Where it calls.
   *
   * @return the address
   */
  public ServerAddress server() {
    return server;
  }

  /**
   * Asks for a document.
   *
   * @param path from {@code /api} on, with its query
   * @return the document
   * @throws UserError if the server cannot be reached, or refuses
   */
  public Answer get(String path) {
    return call("GET", path, BodyPublishers.noBody());
  }

  /**
   * Takes something away.
   *
   * @param path from {@code /api} on, with its query
   * @return what the server says
   * @throws UserError if the server cannot be reached, or refuses
   */
  public Answer delete(String path) {
    return call("DELETE", path, BodyPublishers.noBody());
  }

  /**
   * Sends a document.
   *
   * @param method {@code POST}, {@code PUT} or {@code PATCH}
   * @param path from {@code /api} on
   * @param document texts, numbers, flags, maps and lists
   * @return what the server says
   * @throws UserError if the server cannot be reached, or refuses
   */
  public Answer send(String method, String path, Map<String, ?> document) {
    return call(method, path, BodyPublishers.ofString(JSON.writeValueAsString(document)));
  }

  /**
   * Listens to events until it has heard enough.
   *
   * @param path from {@code /api} on
   * @param listener receives each event's name and document; false to hear no more
   * @throws UserError if the server cannot be reached, refuses, or ends first
   */
  public void events(String path, BiPredicate<String, JsonNode> listener) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.base() + path)).timeout(timeout);
    if (server.token() != null) {
      request.header("Authorization", "Bearer " + server.token());
    }
    try {
      HttpResponse<Stream<String>> response = http.send(request.build(), BodyHandlers.ofLines());
      try (Stream<String> lines = response.body()) {
        if (response.statusCode() / 100 != 2) {
          String body = lines.collect(Collectors.joining());
          throw failures.refused("GET " + path, response.statusCode(), JSON.readTree(body));
        }
        if (!heard(lines.iterator(), listener)) {
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

  private static boolean heard(Iterator<String> lines, BiPredicate<String, JsonNode> listener) {
    String name = "";
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith("event: ")) {
        name = line.substring("event: ".length());
      } else if (line.startsWith("data: ")
          && !listener.test(name, JSON.readTree(line.substring("data: ".length())))) {
        return true;
      }
    }
    return false;
  }

  private Answer call(String method, String path, HttpRequest.BodyPublisher body) {
    refusePlainSpeech();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.base() + path))
            .timeout(timeout)
            .header("Accept", "application/json")
            .method(method, body);
    if (body.contentLength() != 0) {
      request.header("Content-Type", "application/json");
    }
    if (server.token() != null) {
      request.header("Authorization", "Bearer " + server.token());
    }
    try {
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      return read(method + " " + path, response);
    } catch (IOException failed) {
      throw failures.unreachable(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted");
    }
  }

  private void refusePlainSpeech() {
    if (!checked && "https".equalsIgnoreCase(server.base().getScheme())) {
      if (PlainHttpProbe.isSpokenBy(server.base())) {
        throw failures.notEncrypted();
      }
      checked = true;
    }
  }

  private Answer read(String call, HttpResponse<String> response) {
    JsonNode document;
    try {
      document = JSON.readTree(response.body());
    } catch (JacksonException notJson) {
      throw failures.foreign(call, response.statusCode());
    }
    if (response.statusCode() / 100 != 2) {
      throw failures.refused(call, response.statusCode(), document);
    }
    return new Answer(response.body().strip(), document);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
