package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.AnswerReader.StreamedAnswer;
import dev.ebb.host.enginebench.EngineException.Kind;
import dev.ebb.host.errors.ConnectFailures;
import dev.ebb.host.errors.UntrustedText;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Sends requests to a server with OpenAI's API. For any number of threads. */
final class EngineClient implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int BAD_REQUEST = 400;
  private static final int TOO_LARGE = 413;
  private static final String KEEP_ALIVE = "jdk.httpclient.keepalive.timeout";

  /** How long to wait for the end of a connection's response, so that it can be used again. */
  private static final Duration REST = Duration.ofMillis(500);

  private final EngineTarget target;
  private final HttpClient http;

  /** A reply that is not a stream. */
  record Reply(int status, String text) {}

  /** An answer, and the nanoseconds between its tokens. */
  record Measured(StreamedAnswer answer, LongArrayList intervals) {}

  EngineClient(EngineTarget target) {
    this.target = target;
    if (System.getProperty(KEEP_ALIVE) == null) {
      // Python servers close idle connections after 5 s. The JDK's client would use one that is
      // just being closed, and does not repeat a POST.
      System.setProperty(KEEP_ALIVE, "3");
    }
    HttpClient.Builder client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(target.timeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(Executors.newVirtualThreadPerTaskExecutor());
    if (target.tls() != null) {
      client.sslContext(target.tls());
    }
    http = client.build();
  }

  /**
   * Requests a document.
   *
   * @param path starts with a slash
   * @throws EngineException if the server cannot be reached, or is too slow
   */
  Reply get(String path) {
    HttpResponse<TimedBody> response = send(request(path).GET().build());
    try (TimedBody body = response.body()) {
      return new Reply(response.statusCode(), body.text());
    } catch (EngineException failed) {
      throw named(failed, 0);
    }
  }

  /**
   * Sends a prompt and reads the whole answer.
   *
   * @param begun called when its first text arrives, if it has any
   * @throws EngineException if there is no complete answer
   */
  Measured stream(String body, Runnable begun) {
    HttpRequest request =
        request(target.api().path())
            .header("Content-Type", "application/json")
            .header("Accept", "text/event-stream")
            .POST(BodyPublishers.ofString(body))
            .build();
    AnswerReader reader = new AnswerReader(System.nanoTime(), begun);
    HttpResponse<TimedBody> response = send(request);
    try (TimedBody pieces = response.body()) {
      if (response.statusCode() != 200) {
        throw refused(response.statusCode(), pieces.text());
      }
      String type = response.headers().firstValue("Content-Type").orElse("");
      if (!type.startsWith("text/event-stream")) {
        throw new EngineException(
            Kind.MALFORMED,
            "answered %s with '%s' instead of a stream"
                .formatted(target.api().path(), UntrustedText.line(type)));
      }
      return read(pieces, reader);
    } catch (EngineException failed) {
      throw named(failed, reader.events());
    }
  }

  private static Measured read(TimedBody pieces, AnswerReader reader) {
    SseParser parser = new SseParser(reader::event);
    TimedBody.Piece piece = pieces.next();
    while (piece != null && !reader.ended()) {
      for (ByteBuffer part : piece.bytes()) {
        parser.feed(part);
      }
      reader.arrived(piece.nanos());
      if (!reader.ended()) {
        piece = pieces.next();
      }
    }
    if (piece == null) {
      parser.end();
      reader.arrived(System.nanoTime());
    } else {
      readRest(pieces);
    }
    return new Measured(reader.answer(System.nanoTime()), reader.intervals());
  }

  /** Reads the end of a response whose events have ended, so that the connection is used again. */
  private static void readRest(TimedBody pieces) {
    try {
      while (pieces.next(REST) != null) {
        // Ignored, as all clients do.
      }
    } catch (EngineException stillOpen) {
      // The answer is complete, and the connection is closed instead.
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target.base() + path)).timeout(target.timeout());
    if (target.apiKey() != null) {
      request.header("Authorization", "Bearer " + target.apiKey());
    }
    return request;
  }

  private HttpResponse<TimedBody> send(HttpRequest request) {
    AtomicBoolean answered = new AtomicBoolean();
    try {
      return http.send(
          request,
          head -> {
            answered.set(true);
            return new TimedBody(target.timeout());
          });
    } catch (HttpConnectTimeoutException | ConnectException noServer) {
      throw new EngineException(
          Kind.CONNECTION,
          ConnectFailures.isUnknownHost(noServer)
              ? "no such host '%s'".formatted(target.base().getHost())
              : "no server listens at '%s'".formatted(target));
    } catch (HttpTimeoutException slow) {
      throw new EngineException(
          Kind.TIMEOUT, "'%s' did not answer within %s".formatted(target, target.shownTimeout()));
    } catch (SSLException untrusted) {
      throw new EngineException(
          Kind.CONNECTION,
          "no TLS connection to '%s': %s".formatted(target, untrusted.getMessage()));
    } catch (IOException broken) {
      throw new EngineException(
          answered.get() ? Kind.INCOMPLETE : Kind.CONNECTION,
          "'%s' broke the connection: %s".formatted(target, broken.getMessage()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EngineException(Kind.CONNECTION, "interrupted");
    }
  }

  private EngineException refused(int status, String body) {
    String message;
    try {
      message = AnswerReader.messageOf(JSON.readTree(body), body);
    } catch (JacksonException notJson) {
      message = UntrustedText.line(body.strip());
    }
    // All servers name the context in the message or the code of such an error.
    boolean tooLong =
        (status == BAD_REQUEST || status == TOO_LARGE)
            && body.toLowerCase(Locale.ROOT).contains("context");
    return new EngineException(
        status,
        tooLong,
        "refused %s with status %d%s"
            .formatted(target.api().path(), status, message.isEmpty() ? "" : ": " + message));
  }

  /** Completes a message with the server, and how far the answer had come. */
  private EngineException named(EngineException failed, long events) {
    String message = "'%s' %s".formatted(target, hidden(failed.text()));
    String detail =
        switch (failed.kind()) {
          case TIMEOUT -> " for %s".formatted(target.shownTimeout()) + after(events);
          case INCOMPLETE -> after(events);
          case CONNECTION, STATUS, REPORTED, MALFORMED -> "";
        };
    return failed.kind() == Kind.STATUS
        ? new EngineException(failed.status(), failed.isTooLong(), message + detail)
        : new EngineException(failed.kind(), message + detail);
  }

  private static String after(long events) {
    return " (after %d %s)".formatted(events, events == 1 ? "token" : "tokens");
  }

  /** Servers repeat a wrong API key in their messages. */
  private String hidden(String text) {
    return target.apiKey() == null ? text : text.replace(target.apiKey(), "***");
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
