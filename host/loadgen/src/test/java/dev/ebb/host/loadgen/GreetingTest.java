package dev.ebb.host.loadgen;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GreetingTest {

  @Test
  void aServerThatAcceptsAndDoesNotAnswerIsNamed() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      BenchTarget target = new BenchTarget("127.0.0.1", silent.getLocalPort(), null, 0, null);

      assertThatThrownBy(() -> Greeting.open(target, Duration.ofMillis(50)))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll("'" + target + "'", "did not answer within 50 ms", "RESP");
    }
  }
}
