package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerSentEvents;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailedCallTest {

  /** A plugin can throw any of these. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        IllegalStateException.class,
        AssertionError.class,
        StackOverflowError.class,
        NoClassDefFoundError.class
      })
  void getsAnAnswer(Class<? extends Throwable> type) throws IOException, InterruptedException {
    Routes routes =
        new Routes()
            .add(
                Operation.page("/", ServerSentEvents.TYPE, "fails"),
                request -> {
                  throw FailedCallTest.<RuntimeException>unchecked(type);
                });
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpOptions options =
        new HttpOptions(
            any, AccessTokens.NONE, null, new HttpOptions.Names("--admin-port", "token", "tls"));
    try (HttpServer server = HttpServer.open(options, routes, HttpServer.clientMemory());
        HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/");
      HttpResponse<String> answer =
          client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).contains("the log says why");
    }
  }

  @Test
  void aChunkThatIsTooLargeIsAMistakeOfTheClient(@TempDir Path home) throws IOException {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      String answer =
          process.raw(
              """
              PUT /api/v1/policy HTTP/1.1
              Host: localhost
              Content-Type: application/json
              Transfer-Encoding: chunked
              Connection: close

              ffffffff
              {}
              """
                  .replace("\n", "\r\n"));
      assertThat(answer).startsWith("HTTP/1.1 400").contains("chunk");
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T unchecked(Class<? extends Throwable> type) throws T {
    try {
      throw (T) type.getConstructor().newInstance();
    } catch (ReflectiveOperationException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
