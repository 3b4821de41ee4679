package dev.ebb.host.config.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1:7480", "node-a.example:1", "[::1]:65535"})
  void anAddressIsShownAsItWasGiven(String text) {
    assertThat(HostPort.parse(" " + text + " ")).map(HostPort::toString).hasValue(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "host", ":7480", "host:", "host:0", "host:65536", "::1:7480", "h:x"})
  void otherTextsAreNone(String text) {
    assertThat(HostPort.parse(text)).isEmpty();
  }

  @Test
  void theHostOfAVersion6AddressHasNoBrackets() {
    assertThat(HostPort.parse("[::1]:7480")).contains(new HostPort("::1", 7480));
  }
}
